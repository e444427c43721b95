import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Sallyport } from 'sallyport';
import { postgresStore } from 'sallyport/stores';
import { exactlyOnce } from 'sallyport/streams';
import { describe, expect, onTestFinished, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { stage } from '../stage.js';
import { postgresDrivers } from '../stores/drivers.js';
import type { PokeReplicaSetup } from './poke-replica.js';

async function postgres() {
  const server = await startPostgres();
  const { client, close } = await postgresDrivers['a pg pool']!(server.url);
  await postgresStore(client).setUp();
  await exactlyOnce(client as never, { handler: () => {} }).setUp();
  await close();
  return server;
}

const engines = [
  ['a store in Redis', startRedis],
  ['a store in PostgreSQL', postgres],
  ['exactlyOnce in PostgreSQL', postgres],
] as const;

requires(
  'redis-server',
  'postgresql',
  'test/stores/drivers/node_modules',
)('replicas of a stream', () => {
  const programs = programsOf(['test/streams/poke-replica.ts']);

  /** Starts replicas, and waits until one follows and the others stand by. */
  async function replicasOf(count: number, setup: PokeReplicaSetup) {
    const handledAt = new Map<string, number>();
    const replicas: ChildProcess[] = [];
    for (let at = 0; at < count; at++) {
      const child = fork(programs.file('poke-replica'), [JSON.stringify(setup)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.on('message', ({ handled, at: time }: { handled?: string; at: number }) => {
        if (handled !== undefined) handledAt.set(handled, time);
      });
      replicas.push(child);
    }
    /** Sends a question to a replica, and waits for an answer with this field. */
    const ask = (replica: ChildProcess, question: string, field: string): Promise<unknown> =>
      new Promise((resolve) => {
        const onMessage = (answer: Record<string, unknown>): void => {
          if (!(field in answer)) return;
          replica.off('message', onMessage);
          resolve(answer[field]);
        };
        replica.on('message', onMessage);
        replica.send(question);
      });
    for (;;) {
      const states = await Promise.all(replicas.map((one) => ask(one, 'state', 'state')));
      if (states.filter((state) => state === 'standby').length === count - 1 && states.includes('following'))
        return { replicas, standby: replicas.filter((_, at) => states[at] === 'standby'), handledAt, ask };
      await pause(50);
    }
  }

  describe.each(engines)('with %s', (engine, start) => {
    test('handle an event within 1.5 seconds (p95) after a poke to any replica', async () => {
      const server = await start();
      onTestFinished(() => server.close());
      const { emulator } = await stage({ clock: undefined, listen: true });
      const client = new Sallyport({ ...emulator.credentials, baseUrl: emulator.url });
      const { replicas, handledAt } = await replicasOf(3, {
        ...emulator.credentials,
        baseUrl: emulator.url,
        engine,
        url: server.url,
      });

      const pokedAt = new Map<string, number>();
      for (let at = 0; at < 24; at++) {
        await client.userManagement.createUser({ email: `${at}@acme.test` });
        const { data } = await client.events.listEvents({ order: 'desc', limit: 1 });
        pokedAt.set(data[0]!.id, Date.now());
        replicas[at % 3]!.send('poke');
        await pause(137 + 61 * (at % 5));
      }
      for (const end = Date.now() + 20_000; handledAt.size < 24 && Date.now() < end; ) await pause(20);

      const delays = [...pokedAt].map(([id, at]) => (handledAt.get(id) ?? Infinity) - at).sort((a, b) => a - b);
      expect(delays[22]).toBeLessThan(1_500);
    }, 90_000);

    test('resolve settled() in every process only after the leader has handled the event', async () => {
      const server = await start();
      onTestFinished(() => server.close());
      const { emulator } = await stage({ clock: undefined, listen: true });
      const client = new Sallyport({ ...emulator.credentials, baseUrl: emulator.url });
      const { replicas, handledAt, ask } = await replicasOf(8, {
        ...emulator.credentials,
        baseUrl: emulator.url,
        engine,
        url: server.url,
      });

      for (const [at, replica] of replicas.entries()) {
        await client.userManagement.createUser({ email: `${at}@acme.test` });
        const { data } = await client.events.listEvents({ order: 'desc', limit: 1 });
        await ask(replica, 'settle', 'isSettled');
        const settledAt = Date.now();
        // The message about the event comes from another process.
        while (!handledAt.has(data[0]!.id)) await pause(5);
        expect(handledAt.get(data[0]!.id)).toBeLessThanOrEqual(settledAt);
      }
    }, 90_000);
  });
});
