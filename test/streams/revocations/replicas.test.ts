import { postgresStore } from 'sallyport/stores';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { programsOf } from '../../builds/programs.js';
import type { Service } from '../../databases/database.js';
import { startPostgres } from '../../databases/postgres.js';
import { startRedis } from '../../databases/redis.js';
import { requires } from '../../runner/requirements.js';
import { stage } from '../../stage.js';
import { postgresDrivers } from '../../stores/drivers.js';
import type { ReplicaAnswer, ReplicaSetup } from './replica.js';
import { delaysOf, signedInOften, startReplica } from './replicas.js';

// SALLYPORT_REVOCATIONS=1000 runs the full test, which takes some minutes.
const revoked = Number(process.env.SALLYPORT_REVOCATIONS ?? 40);
const timeout = 120_000 + revoked * 200;

const engines = {
  ioredis: startRedis,
  async 'a pg pool'() {
    const server = await startPostgres();
    const { client, close } = await postgresDrivers['a pg pool']!(server.url);
    await postgresStore(client).setUp();
    await close();
    return server;
  },
};

requires(
  'redis-server',
  'postgresql',
  'test/stores/drivers/node_modules',
)('eight processes that share revocations', () => {
  const programs = programsOf(['test/streams/revocations/replica.ts']);

  const replicaOf = async (setup: ReplicaSetup) => {
    const replica = await startReplica(programs.file('replica'), { pollMs: 300, storePollMs: 100, ...setup });
    onTestFinished(() => replica.kill());
    return replica;
  };

  /** Waits until this holds for the answers of all replicas. */
  async function untilAll(
    replicas: readonly { ask(): Promise<ReplicaAnswer> }[],
    holds: (answer: ReplicaAnswer) => boolean,
  ) {
    for (const end = Date.now() + 40_000; ; ) {
      const answers = await Promise.all(replicas.map((one) => one.ask()));
      if (answers.every(holds)) return answers;
      if (Date.now() > end) throw new Error(`That did not happen: ${JSON.stringify(answers)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  describe.each(Object.entries(engines))('in a store accessed through %s', (driver, start) => {
    let server: Service;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    test(`deny only the ${revoked} revoked sessions, even after the feeder process is killed`, {
      timeout,
    }, async () => {
      const { emulator } = await stage({ clock: undefined, listen: true });
      const { tokens, revoke } = await signedInOften(emulator, 2 * revoked + 2);
      const setup = { ...emulator.credentials, driver, storeUrl: server.url, staleMs: 2_000 + 10 * revoked };
      const feeder = await replicaOf({ ...setup, feed: true });
      const readers = await Promise.all(Array.from({ length: 7 }, () => replicaOf({ ...setup, feed: false })));
      const everybody = [feeder, ...readers];

      const before = await Promise.all(everybody.map((one) => one.ask(tokens)));
      expect(new Set(before.flatMap(({ found }) => found))).toEqual(new Set(['active']));

      for (let at = 0; at < revoked; at++) await revoke(2 * at);
      await untilAll(everybody, ({ entries }) => entries === revoked);
      const expected = tokens.map((_, at) => (at % 2 === 0 && at < 2 * revoked ? 'session_revoked' : 'active'));
      for (const one of everybody) expect((await one.ask(tokens)).found).toEqual(expected);

      feeder.kill();
      await revoke(2 * revoked);
      const stale = await untilAll(readers, ({ isStale }) => isStale);
      expect(stale.map(({ problems }) => problems)).toEqual(readers.map(() => ['revocations_stale']));
      for (const one of readers) expect((await one.ask(tokens)).found).toEqual(expected);

      await replicaOf({ ...setup, feed: true });
      await untilAll(readers, ({ entries, isStale }) => entries === revoked + 1 && !isStale);
      const [{ found, problems }] = (await Promise.all(readers.slice(0, 1).map((one) => one.ask(tokens)))) as [
        ReplicaAnswer,
      ];
      expect(found[2 * revoked]).toBe('session_revoked');
      expect(found.filter((one) => one === 'active')).toHaveLength(revoked + 1);
      expect(problems).toEqual(['revocations_stale']);
    });

    test(`deny ${revoked} sessions within five seconds (p99) of the revocation, and never before`, {
      timeout,
    }, async () => {
      const { emulator } = await stage({ clock: undefined, listen: true });
      const sessions = await signedInOften(emulator, revoked);
      const setup = {
        ...emulator.credentials,
        driver,
        storeUrl: server.url,
        name: 'usual',
        pollMs: 1_000,
        storePollMs: 250,
      };
      const replicas = await Promise.all(Array.from({ length: 8 }, () => replicaOf(setup)));

      const delays = await delaysOf(replicas, sessions, revoked * 30);

      expect(delays).toHaveLength(8 * revoked);
      // The aim is two seconds, which bench/revocations.mjs measures on an idle machine.
      expect(delays[Math.floor(0.99 * delays.length)]).toBeLessThan(5_000);
    });
  });
});
