import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { postgresStore } from 'sallyport/stores';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Runnable, runnable } from '../../builds/runnable.js';
import type { Service } from '../../databases/database.js';
import { startPostgres } from '../../databases/postgres.js';
import { startRedis } from '../../databases/redis.js';
import { requires } from '../../runner/requirements.js';
import { postgresDrivers } from '../../stores/drivers.js';
import type { ProcessResult, ProcessSetup, Work } from './limits-worker.js';

const engines: Readonly<Record<string, () => Promise<Service>>> = {
  ioredis: startRedis,
  async 'a pool of pg'() {
    const server = await startPostgres();
    const { client, close } = await postgresDrivers['a pool of pg']!(server.url);
    await postgresStore(client).setUp();
    await close();
    return server;
  },
};

const allowance = { requests: 100, windowMs: 2_000 };

requires(
  'redis-server',
  'postgresql',
  'test/stores/drivers/node_modules',
)('the limits of eight processes', () => {
  let programs: Runnable;
  beforeAll(async () => {
    programs = await runnable(['test/transport/limits/limits-worker.ts']);
  });
  afterAll(() => programs?.remove());

  describe.each(Object.entries(engines))('that share a store by %s', (driver, start) => {
    let server: Service;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    /** Eight processes, and a service that refuses requests beyond the limit. */
    const eightProcesses = async () => {
      const emulator = await createEmulator();
      onTestFinished(() => emulator.close());
      const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const { id } = await sallyport.userManagement.createUser({ email: 'ada@example.com' });
      await emulator.setRateLimit('user_management_reads', allowance);
      const { apiKey } = emulator.credentials;
      const setup: ProcessSetup = {
        apiKey,
        baseUrl: await emulator.listen(),
        driver,
        storeUrl: server.url,
        userId: id,
        limits: { user_management_reads: allowance },
      };
      const children = Array.from({ length: 8 }, () => fork(programs.file('limits-worker')));
      onTestFinished(() => {
        for (const child of children) child.kill();
      });
      const run = (work: Work): Promise<ProcessResult[]> =>
        Promise.all(
          children.map(async (child) => {
            child.send(work);
            const [result] = await once(child, 'message');
            return result as ProcessResult;
          }),
        );
      for (const child of children) child.send(setup);
      return { emulator, run };
    };

    // A machine that is busy with something else can stop a process for longer than a call waits for the store.
    test('are used to at least 0.85, each process has its part, and no call is refused', {
      timeout: 120_000,
      retry: 2,
    }, async () => {
      const { run } = await eightProcesses();
      await run({ callers: 1, ms: 0 });

      const results = await run({ callers: 10, ms: 10_000 });

      // 500 requests are allowed in 10 seconds, so 62 are the fair share of each process.
      const answered = results.map((result) => result.answered);
      expect(answered.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(425);
      expect(Math.min(...answered)).toBeGreaterThanOrEqual(31);
      expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    });

    test('let calls pass while the store is away, and are shared again when it is back', {
      timeout: 120_000,
      retry: 2,
    }, async () => {
      const { run } = await eightProcesses();
      await run({ callers: 10, ms: 2_000 });
      await server.stop();

      const away = await run({ callers: 10, ms: 3_000 });
      await server.start();
      const before = away.map(({ storeAnswers }) => storeAnswers);
      const areBack = async () => {
        const results = await run({ callers: 1, ms: 0 });
        return results.every(({ storeAnswers }, at) => storeAnswers > before[at]!);
      };

      // Eight processes that cannot see each other exceed the limit now and then, and retries do not save every call.
      const failures = away.flatMap((one) => one.failures);
      const answered = away.reduce((sum, one) => sum + one.answered, 0);
      expect(failures.filter((failure) => !/rate limited/.test(failure))).toEqual([]);
      expect(failures.length).toBeLessThanOrEqual(answered / 10);
      expect(answered).toBeGreaterThanOrEqual(100);
      expect(away.every(({ problems }) => problems > 0)).toBe(true);
      await expect.poll(areBack, { interval: 100 }).toBe(true);
    });
  });
});
