import { postgresStore } from 'sallyport/stores';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { processOf, race, service, signIn, workers } from '../session/race.js';
import type { Setup } from '../session/racer.js';
import { password } from '../session/signed-in.js';
import { postgresDrivers } from './drivers.js';
import type { StoreSetup } from './refresh-worker.js';

// Eight processes refresh at a service without idempotency keys: without a store, all but one of them would sign the user out.

const rounds = Number(process.env.SALLYPORT_ROUNDS ?? 8);
const timeout = 60_000 + rounds * 1_000;

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
)('eight processes with a shared store', () => {
  workers('test/stores/refresh-worker.ts');

  describe.each(Object.entries(engines))('accessed through %s', (driver, start) => {
    let server: Service;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    /** Starts the service, a signed-in user, and the replicas. */
    const application = async () => {
      const there = await service({ passesKeys: false });
      const setup: Setup = { ...there.emulator.credentials, baseUrl: there.url, cookiePassword: password };
      const jar = await signIn(there.emulator, setup);
      const storeSetup: StoreSetup = { ...setup, driver, storeUrl: server.url };
      const replicas = await Promise.all(Array.from({ length: 8 }, () => processOf(storeSetup, 'refresh-worker')));
      return { there, jar, replicas };
    };

    test(`refresh a session only once each time the access token expires (${rounds} rounds)`, { timeout }, async () => {
      const { there, jar, replicas } = await application();

      await race(there, replicas, 2, jar, { rounds, loses: false });

      expect(there.rotations()).toBe(rounds);
    });

    test('keep the user signed in even if the processes start while the service is down', { timeout }, async () => {
      const there = await service();
      const setup: Setup = { ...there.emulator.credentials, baseUrl: there.url, cookiePassword: password };
      const jar = await signIn(there.emulator, setup);
      const now = there.emulator.clock.now();
      const told: StoreSetup = { ...setup, driver, storeUrl: server.url };
      const round = async (processes: number) => {
        const replicas = await Promise.all(Array.from({ length: processes }, () => processOf(told, 'refresh-worker')));
        const all = await Promise.all(replicas.map((one) => one.run({ cookie: jar.header, requests: 2, now })));
        return [...new Set(all.flat().map(({ status, reason }) => reason ?? status))];
      };

      const before = await round(1);
      await there.emulator.close();

      expect([before, await round(8)]).toEqual([['active'], ['active']]);
    });

    test("keep the user signed in while the store's database restarts", { timeout }, async () => {
      const { there, jar, replicas } = await application();
      const round = async (during?: () => Promise<void>): Promise<string[]> => {
        there.emulator.clock.advance('6m');
        const now = there.emulator.clock.now();
        const race = replicas.map((one) => one.run({ cookie: jar.header, requests: 2, now }));
        const [results] = await Promise.all([Promise.all(race), during?.()]);
        const all = results.flat();
        jar.keep(all.find(({ status }) => status === 'refreshed')?.cookies ?? []);
        return [...new Set(all.map(({ status, reason }) => reason ?? status))].sort();
      };

      expect(await round()).toEqual(['refreshed']);
      const seen = [await round(server.stop), await round(), await round(), await round(server.start)];
      // A replica that noticed the outage may be about to reconnect.
      const recovered = async (): Promise<string[]> => {
        const statuses = await round();
        seen.push(statuses);
        return statuses;
      };
      await expect.poll(recovered, { interval: 50 }).toEqual(['refreshed']);

      for (const statuses of seen) expect(statuses).toContain('refreshed');
      expect([...new Set(seen.flat())].sort()).toEqual(['refreshed', 'store_unavailable']);
      await race(there, replicas, 2, jar, { rounds: 5, loses: false });
    });
  });
});
