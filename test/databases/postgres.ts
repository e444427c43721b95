import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from './database.js';
import { unusedPort } from './port.js';

/** Where Debian puts the programs of each version; the newest first. */
const installed = '/usr/lib/postgresql';

function programs(): string {
  const [newest] = existsSync(installed)
    ? readdirSync(installed).sort((one, other) => Number(other) - Number(one))
    : [];
  if (newest === undefined) throw new Error(`PostgreSQL was not found in ${installed}: install it from Debian`);
  return join(installed, newest, 'bin');
}

/** Starts a PostgreSQL server with one user, `postgres`, who needs no password. */
export async function startPostgres(): Promise<Service> {
  const bin = programs();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-postgres-'));
  const port = await unusedPort();
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  // PostgreSQL refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chmodSync(folder, 0o777);
  const run = async (program: string, ...args: string[]): Promise<void> => {
    const command = [join(bin, program), ...args];
    const [file, ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    try {
      // This waits for every process that inherited a pipe, so the server must log to a file.
      await promisify(execFile)(file!, rest, { cwd: folder });
    } catch (error) {
      const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-4_000) : '';
      throw new Error(`${program} failed: ${(error as Error).message}\n${said}`);
    }
  };
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200`;
  const start = () => run('pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', options);
  let runs = false;

  await run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  await start();
  runs = true;
  const stop = async (): Promise<void> => {
    if (!runs) return;
    runs = false;
    await run('pg_ctl', 'stop', '-w', '-D', data, '-m', 'fast');
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async start() {
      await start();
      runs = true;
    },
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
