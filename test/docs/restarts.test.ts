import { fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Runnable, runnable } from '../builds/runnable.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { packages } from '../streams/once/drivers.js';
import { codeIn, pages, read } from './markdown.js';

/** The answer of a documented program when the test asks whether its connection works. */
const uses = { pg: "pool.query('SELECT 1')", redis: "client.get('key')" };

const blocks = pages.flatMap((page) =>
  codeIn(read(page), 'ts').flatMap((code, at) => {
    const [, driver] = /\bfrom '(pg|redis)'/.exec(code) ?? [];
    // A single server is not a cluster, and a type needs no server. The suites of the mirror and of shared limits restart their own.
    if (!driver || /createCluster|import type|sallyport\/mirror|rate-limiter-flexible/.test(code)) return [];
    return [{ page, driver: driver as keyof typeof uses, name: `${page.replaceAll(/\W/g, '-')}-${at}`, code }];
  }),
);

requires(
  'postgresql',
  'redis-server',
  packages,
)('an example program', () => {
  let servers: Record<keyof typeof uses, Service>;
  let sources: string;
  let built: Runnable;
  beforeAll(async () => {
    const [pg, redis] = await Promise.all([startPostgres(), startRedis()]);
    servers = { pg, redis };
    mkdirSync('.cache', { recursive: true });
    sources = mkdtempSync(join('.cache', 'restarts-'));
    for (const { name, code, driver } of blocks)
      writeFileSync(
        join(sources, `${name}.ts`),
        `${code}\nprocess.on('message', () => void ${uses[driver]}.then(() => process.send?.('works'), () => process.send?.('fails')));\n` +
          `await ${uses[driver]};\nprocess.send?.('ready');\n`,
      );
    built = await runnable(
      blocks.map(({ name }) => join(sources, `${name}.ts`)),
      // The drivers are found from this folder.
      join(packages, '.cache'),
    );
  });
  afterAll(async () => {
    built?.remove();
    if (sources) rmSync(sources, { recursive: true });
    await Promise.all(Object.values(servers ?? {}).map((one) => one.close()));
  });

  test.each(blocks.map((block) => [block.page, block.driver, block.name] as const))(
    'in %s with the %s driver survives a restart of the database server',
    async (_, driver, name) => {
      const server = servers[driver];
      const child = fork(built.file(name), {
        env: { ...process.env, DATABASE_URL: server.url, REDIS_URL: server.url },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let errors = '';
      child.stderr!.on('data', (chunk) => {
        errors += chunk;
      });
      expect(await emitted(child, 'message')).toEqual(['ready', undefined]);

      await server.stop();
      await server.start();
      const works = async (): Promise<unknown> => {
        if (!child.connected) throw new Error(`The program ended:\n${errors}`);
        child.send('does it work?');
        return Promise.race([emitted(child, 'message'), emitted(child, 'exit')]);
      };

      await expect.poll(works).toEqual(['works', undefined]);
      // Node warns about a pool without a listener.
      expect(errors).not.toContain('Warning');
    },
  );

  test('exists for the pg driver and the redis driver', () => {
    expect([...new Set(blocks.map(({ driver }) => driver))].sort()).toEqual(['pg', 'redis']);
  });
});
