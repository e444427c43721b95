import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { applicationsBeside } from './cache.js';

/** The folder of Next and its packages, for `requires`. */
export const nextPackages = 'test/frameworks/installed/next/node_modules';

/** An application that Next serves in development, where a refusal is answered with its message too. */
export interface NextServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves an application with Next.
 *
 * @param files The text of each of its files.
 * @param entries The sources of this package that it imports, by the names of their files.
 * @param packages The folder of Next, and of all else that it imports.
 */
export async function serveWithNext(
  files: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, string>>,
  packages = nextPackages,
): Promise<NextServer> {
  const folder = mkdtempSync(join(applicationsBeside(packages), 'development-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await build({
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    format: 'esm',
    alias: { '#crypto': resolve('src/crypto/web') },
    external: ['next/*'],
    logLevel: 'silent',
  });
  const next = resolve(packages, 'next/dist/bin/next');
  const server = spawn(process.execPath, [next, 'dev', '--port', '0', '--hostname', 'localhost'], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' },
    detached: true,
  });
  const url = await new Promise<string>((ready, fail) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk;
      const address = /http:\/\/localhost:\d+/.exec(said)?.[0];
      if (address) ready(address);
    };
    server.stdout.on('data', listen);
    server.stderr.on('data', listen);
    server.once('exit', () => fail(new Error(said)));
  });
  return {
    url,
    async close() {
      // The server starts child processes, so the whole group is ended.
      process.kill(-server.pid!, 'SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
