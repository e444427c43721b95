import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { programsOf } from '../../builds/programs.js';
import type { Service } from '../../databases/database.js';
import { startPostgres } from '../../databases/postgres.js';
import { startRedis } from '../../databases/redis.js';
import { serve } from '../../servers/server.js';
import { wirePage, wireUser } from '../../servers/wire.js';
import { postgresDrivers } from '../../stores/drivers.js';
import type { ProcessResult, ProcessSetup, Work } from './limits-worker.js';

const engines: Readonly<Record<ProcessSetup['engine'], () => Promise<Service>>> = {
  Redis: startRedis,
  async PostgreSQL() {
    const server = await startPostgres();
    const { client, close } = await postgresDrivers['a pg pool']!(server.url);
    await (client as { query(sql: string): Promise<unknown> }).query(
      'CREATE TABLE rate_limits (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)',
    );
    await close();
    return server;
  },
};

const limits = {
  user_management_reads: { requests: 500, windowMs: 10_000 },
  directory_users: { requests: 4, windowMs: 1_000 },
};

/** A process that has just started may be too busy to receive the limiter's answers in time, so it makes other calls first. */
const warmUp = { ms: 2_000, readers: 0, listers: 10 };
/** A limit that does not delay these calls. */
const largeLists = { requests: 1_000, windowMs: 1_000 };

/** Test eight processes that share a limiter. */
export function shareLimiter(engine: ProcessSetup['engine']): void {
  describe(`that share a limiter in ${engine}`, () => {
    const programs = programsOf(['test/transport/limits/limits-worker.ts']);
    let server: Service;
    beforeAll(async () => {
      server = await engines[engine]();
    });
    afterAll(() => server?.close());

    const startProcesses = (setup: Pick<ProcessSetup, 'apiKey' | 'baseUrl' | 'limits'>, aheadMs = 0) => {
      const children = Array.from({ length: 8 }, () => fork(programs.file('limits-worker')));
      onTestFinished(() => {
        for (const child of children) child.kill();
      });
      children.forEach((child, at) => {
        const ahead = at === 0 ? aheadMs : 0;
        const databaseUrl = server.url;
        child.send({
          ...setup,
          engine,
          databaseUrl,
          aheadMs: ahead,
        } satisfies ProcessSetup);
      });
      return (work: Work): Promise<ProcessResult[]> =>
        Promise.all(
          children.map(async (child) => {
            child.send(work);
            const [result] = await once(child, 'message');
            return result as ProcessResult;
          }),
        );
    };
    const sum = (results: readonly ProcessResult[], name: 'read' | 'listed') =>
      results.reduce((total, result) => total + result[name], 0);

    /** An emulator that refuses requests beyond these limits. */
    const startService = async (enforced: Partial<typeof limits>) => {
      const emulator = await createEmulator();
      onTestFinished(() => emulator.close());
      const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const { id: userId } = await sallyport.userManagement.createUser({ email: 'ada@example.com' });
      const { id: directory } = await emulator.createDirectory({ name: 'Acme', type: 'okta scim v2.0' });
      for (const [name, numbers] of Object.entries(enforced))
        await emulator.setRateLimit(name as keyof typeof limits, numbers);
      const { apiKey } = emulator.credentials;
      return { apiKey, baseUrl: await emulator.listen(), userId, directory };
    };

    test('use at least 85% of a large limit and 60% of a small limit without a failed call', {
      timeout: 180_000,
      retry: 1,
    }, async () => {
      const { apiKey, baseUrl, ...ids } = await startService(limits);
      const run = startProcesses({ apiKey, baseUrl, limits });
      await run({ ms: 0, readers: 1, listers: 0, ...ids });

      const results = await run({ ms: 20_000, readers: 10, listers: 1, ...ids });

      expect(results.flatMap(({ failures }) => failures)).toEqual([]);
      // 1,000 reads and 80 lists are allowed in 20 seconds.
      expect(sum(results, 'read')).toBeGreaterThanOrEqual(850);
      expect(sum(results, 'listed')).toBeGreaterThanOrEqual(48);
    });

    // On a busy machine the limiter may be slow, and then a process limits only its own calls.
    test("send at most twice the limit in any window if one process's clock is three seconds ahead", {
      timeout: 120_000,
      retry: 1,
    }, async () => {
      const times: number[] = [];
      const service = await serve(({ path }, response) => {
        const isRead = path.startsWith('/user_management/');
        if (isRead) times.push(performance.now());
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(isRead ? wireUser() : wirePage([])));
      });
      const run = startProcesses(
        {
          apiKey: 'sk_test',
          baseUrl: service.url,
          limits: { user_management_reads: { requests: 100, windowMs: 4_000 }, directory_users: largeLists },
        },
        3_000,
      );
      const ids = { userId: 'user_1', directory: 'directory_1' };
      await run({ ...warmUp, ...ids });

      await run({ ms: 12_000, readers: 10, listers: 0, ...ids });

      expect(times.length).toBeGreaterThanOrEqual(225);
      const inWindow = times.map((start) => times.filter((at) => at >= start && at < start + 4_000).length);
      expect(Math.max(...inWindow)).toBeLessThanOrEqual(200);
    });

    test('continue to send calls while the database is down', { timeout: 120_000 }, async () => {
      // Without the database, the processes send more than the limit together. A 429 would make them wait.
      const { apiKey, baseUrl, ...ids } = await startService({});
      const run = startProcesses({ apiKey, baseUrl, limits: { ...limits, directory_users: largeLists } });
      await run({ ...warmUp, ...ids });
      await server.stop();

      const away = await run({ ms: 3_000, readers: 5, listers: 0, ...ids });
      await server.start();

      expect(away.flatMap(({ failures }) => failures)).toEqual([]);
      expect(sum(away, 'read')).toBeGreaterThanOrEqual(100);
      expect(away.map(({ problems }) => problems)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    });
  });
}
