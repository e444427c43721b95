import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { postgresStore } from 'sallyport/stores';
import { signWebhook } from 'sallyport/webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import type { Runnable } from '../builds/runnable.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import type { Told } from './replica.js';

// Eight processes with a common store receive each event ten times over HTTP.

const drivers = 'test/stores/drivers/node_modules';
const replicas = 8;
const secret = 'whsec_replicas';

/** Starts the replicas, and records what they did. */
async function application(programs: Pick<Runnable, 'file'>, kind: string, url: string) {
  const handled: string[] = [];
  const unnoted = new Set<string>();
  const children: ChildProcess[] = [];
  const ports = await Promise.all(
    Array.from({ length: replicas }, () => {
      const child = fork(programs.file('replica'), [kind, url, secret]);
      children.push(child);
      return new Promise<number>((ready, fail) => {
        child.once('error', fail);
        child.on('message', (told: Told) => {
          if ('port' in told) ready(told.port);
          else if ('handled' in told) handled.push(told.handled);
          else unnoted.add(told.unnoted);
        });
      });
    }),
  );
  const statuses = new Map<number, number>();
  const send = async (id: string): Promise<number> => {
    const payload = JSON.stringify({ id, event: 'user.created', data: {} });
    const sigHeader = await signWebhook({ payload, secret, timestamp: Date.now() });
    const port = ports[Math.floor(Math.random() * ports.length)];
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'service-signature': sigHeader },
      body: payload,
    });
    await response.arrayBuffer();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    return response.status;
  };
  /** Sends each event ten times, in random order and several at once, and repeats it until each is answered with 200. */
  const deliver = async (ids: readonly string[], during?: (sent: number) => Promise<void> | undefined) => {
    let due = ids.flatMap((id) => Array.from({ length: 10 }, () => id)).sort(() => Math.random() - 0.5);
    let sent = 0;
    while (due.length > 0) {
      const again: string[] = [];
      const next = [...due];
      const sender = async (): Promise<void> => {
        for (let id = next.pop(); id !== undefined; id = next.pop()) {
          await during?.(sent++);
          if ((await send(id)) !== 200) again.push(id);
        }
      };
      await Promise.all(Array.from({ length: 16 }, sender));
      due = again;
    }
  };
  const end = (): void => {
    for (const child of children) child.kill();
  };
  return { handled, unnoted, statuses, deliver, end };
}

const eventIds = (count: number) => Array.from({ length: count }, (_, number) => `event_${number}`);
const timesOf = (handled: readonly string[]): Map<string, number> => {
  const times = new Map<string, number>();
  for (const id of handled) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
};

const kinds = {
  redis: { start: startRedis, setUp: async () => undefined },
  postgres: {
    start: startPostgres,
    async setUp(url: string) {
      const { Pool } = createRequire(resolve('test/stores/drivers/package.json'))('pg');
      const pool = new Pool({ connectionString: url });
      await postgresStore(pool).setUp();
      await pool.end();
    },
  },
};

requires(
  'redis-server',
  'postgresql',
  drivers,
)('eight webhook receivers', () => {
  const programs = programsOf(['test/webhooks/replica.ts']);

  describe.each(Object.entries(kinds))('that share a store in %s', (kind, { start, setUp }) => {
    let server: Service;
    let app: Awaited<ReturnType<typeof application>>;
    beforeAll(async () => {
      server = await start();
      await setUp(server.url);
      app = await application(programs, kind, server.url);
    });
    afterAll(async () => {
      app?.end();
      await server?.close();
    });

    test('handle each event once despite repeated deliveries and handler failures', async () => {
      const ids = eventIds(80);
      await app.deliver(ids);

      expect([...app.handled].sort()).toEqual([...ids].sort());
      expect(app.statuses.get(500)).toBeGreaterThan(0);
      expect(app.statuses.get(200)).toBe(800);
    }, 60_000);

    test('lose no events during a store outage, and handle no recorded event twice', async () => {
      const ids = eventIds(50).map((id) => `${id}_outage`);
      app.handled.length = 0;
      app.unnoted.clear();
      await app.deliver(ids, async (sent) => {
        if (sent === 150) await server.stop();
        if (sent === 300) await server.start();
      });
      const times = timesOf(app.handled);

      expect([...times.keys()].sort()).toEqual([...ids].sort());
      expect([...times].filter(([id, count]) => count > 1 && !app.unnoted.has(id))).toEqual([]);
      expect(app.statuses.get(503)).toBeGreaterThan(0);
    }, 120_000);
  });
});
