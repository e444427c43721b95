import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { postgresStore } from 'sallyport/stores';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { requires } from '../../requirements.js';
import { type Runnable, runnable } from '../../runnable.js';
import { startPostgres } from '../../services/postgres.js';
import { startRedis } from '../../services/redis.js';
import type { Service } from '../../services/service.js';
import { postgresDrivers } from '../../stores/drivers.js';
import type { ReplicaResult, ReplicaSetup } from './limits-worker.js';

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

/** In a window; a replica takes a twentieth of it at a time. */
const allowance = { requests: 100, seconds: 2 };
const lease = 5;

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

    /** Eight processes, and a service that refuses what exceeds the allowance. */
    const replicas = async () => {
      const emulator = await createEmulator();
      onTestFinished(() => emulator.close());
      const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const { id } = await sallyport.userManagement.createUser({ email: 'ada@example.com' });
      await emulator.setRateLimit('user_management_reads', allowance);
      const { apiKey } = emulator.credentials;
      const setup: ReplicaSetup = {
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
      const read = (count: number): Promise<ReplicaResult[]> =>
        Promise.all(
          children.map(async (child) => {
            child.send(count);
            const [result] = await once(child, 'message');
            return result as ReplicaResult;
          }),
        );
      for (const child of children) child.send(setup);
      return { emulator, read };
    };

    // Where the machine is so busy that the store is silent for a while, the replicas rightly help themselves: once more, then.
    test('exceed the allowance by no more than a part that one takes at a time', {
      timeout: 60_000,
      retry: 3,
    }, async () => {
      const { read } = await replicas();
      const began = performance.now();

      const results = await read(60);

      const seconds = (performance.now() - began) / 1_000;
      const refused = results.flatMap(({ failures }) => failures);
      // A replica that hears nothing of the store for 50 ms, on a busy machine, takes one part by itself.
      expect(refused.length).toBeLessThanOrEqual(8 * lease);
      expect(refused.filter((message) => !message.includes('429'))).toEqual([]);
      expect(results.map(({ problems }) => problems)).toEqual(Array(8).fill(0));
      // 480 reads are four whole windows and most of a fifth.
      expect(seconds).toBeGreaterThan(8);
      expect(seconds).toBeLessThan(30);
    });

    test('go on by themselves while the store is away, and share again when it is back', {
      timeout: 60_000,
    }, async () => {
      const { emulator, read } = await replicas();
      await read(1);
      // Together they may now exceed the allowance.
      await emulator.clearRateLimit('user_management_reads');
      await server.stop();

      const away = await read(20);
      await server.start();
      const before = away.map(({ parts }) => parts);
      const areBack = async () => (await read(1)).every(({ parts }, at) => parts > before[at]!);

      expect(away.flatMap(({ failures }) => failures)).toEqual([]);
      expect(away.map(({ problems }) => problems)).toEqual(Array(8).fill(1));
      await expect.poll(areBack, { timeout: 20_000, interval: 100 }).toBe(true);
      const back = await read(5);
      expect(back.flatMap(({ failures }) => failures)).toEqual([]);
      expect(back.map(({ problems }) => problems)).toEqual(Array(8).fill(1));
    });
  });
});
