import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './database.js';
import { unusedPort } from './port.js';

/** Starts a redis-server that writes down every change, so that it has the same after `stop` and `start`. */
export async function startRedis(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-redis-'));
  const port = await unusedPort();
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'no' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    server = child;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`redis-server ended with code ${code}:\n${said}`)));
      child.stdout.on('data', (chunk) => {
        said = (said + chunk).slice(-4_000);
        if (said.includes('Ready to accept connections')) resolve();
      });
    });
  };
  const stop = async (): Promise<void> => {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
