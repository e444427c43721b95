import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { postgresStore, redisStore, type Store } from 'sallyport/stores';
import { follow, type StreamProblem, storeCheckpoint } from 'sallyport/streams';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { type Connection, postgresDrivers, redisDrivers } from '../stores/drivers.js';
import { until } from './world.js';

/** Starts the servers of a store, and describes how two processes connect to them. */
const kinds = {
  Redis: {
    start: startRedis,
    connect: async (url: string) => {
      const connection = await redisDrivers.ioredis!(url);
      return { connection, store: redisStore(connection.client) };
    },
  },
  PostgreSQL: {
    start: startPostgres,
    connect: async (url: string) => {
      const connection = await postgresDrivers['a pg pool']!(url);
      const store = postgresStore(connection.client);
      await store.setUp();
      return { connection, store };
    },
  },
};

requires(
  'redis-server',
  'postgresql',
  'test/stores/drivers/node_modules',
)('a stream with a checkpoint', () => {
  describe.each(Object.entries(kinds))('in %s', (_, { start, connect }) => {
    let emulator: Emulator;
    let client: Sallyport;
    let server: Service;
    let connections: readonly { readonly connection: Connection<unknown>; readonly store: Store }[];
    beforeEach(async () => {
      emulator = await createEmulator();
      client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      server = await start();
      connections = await Promise.all([connect(server.url), connect(server.url)]);
    });
    afterEach(async () => {
      for (const { connection } of connections) await connection.close();
      await server.close();
      await emulator.close();
    });

    test('delivers each event once despite a server outage and a takeover by the standby process', {
      timeout: 60_000,
    }, async () => {
      const add = async (from: number, to: number): Promise<void> => {
        for (let n = from; n < to; n++) await client.userManagement.createUser({ email: `user-${n}@acme.test` });
      };
      const problems: StreamProblem[][] = [[], []];
      const seen: string[][] = [[], []];
      const process = (at: number) => {
        const stream = follow(client, {
          events: ['user.created'],
          checkpoint: storeCheckpoint(connections[at]!.store, 'people'),
          pollMs: 50,
          onProblem: (problem) => problems[at]!.push(problem),
        });
        const ended = stream.run((event) => void seen[at]!.push((event.data as { readonly email: string }).email));
        return { stream, ended };
      };
      const first = process(0);
      await until(() => first.stream.status().state === 'following');
      const second = process(1);
      await add(0, 20);
      await until(() => seen[0]!.length === 20);

      await server.stop();
      await add(20, 40);
      await until(() => problems[0]!.length > 0 && seen[0]!.length === 40);
      await server.start();
      await add(40, 60);
      await until(() => seen[0]!.length === 60 && first.stream.status().state === 'following');
      await first.stream.close();
      await first.ended;
      await until(() => second.stream.status().state === 'following');
      await add(60, 80);
      await until(() => seen[1]!.length >= 20);
      await second.stream.close();
      await second.ended;

      // A restored connection may fail once more, which counts as another outage.
      expect(new Set(problems.flat().map(({ code }) => code))).toEqual(new Set(['checkpoint']));
      expect([...seen[0]!, ...seen[1]!]).toEqual(Array.from({ length: 80 }, (_, n) => `user-${n}@acme.test`));
    });
  });
});
