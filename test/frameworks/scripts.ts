import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from '../builds/cache.js';
import { missingOf } from '../runner/requirements.js';
import type { Framework } from './frameworks.js';

/** Runs a script of an application like `npm run`, until it ends. Throws with its output if it fails. */
export async function runScript(framework: Framework, folder: string, script: string): Promise<void> {
  const { child, output } = begin(framework, folder, script);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${script} in ${folder} failed:\n${output()}`);
}

/** A running application. */
export interface Server {
  /** Its URL, with a slash at the end. */
  readonly home: string;
  close(): Promise<void>;
}

/** Starts an application with its environment variables, and waits until it answers. */
export async function start(
  framework: Framework,
  folder: string,
  script: string,
  variablesAt: (home: string) => Promise<Readonly<Record<string, string>>>,
): Promise<Server> {
  const port = await freePort();
  const home = `http://localhost:${port}/`;
  const { child, output } = begin(framework, folder, script, { PORT: `${port}`, ...(await variablesAt(home)) });
  const ended = once(child, 'close');
  const close = async (): Promise<void> => {
    // This includes the children of the script.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await ended;
  };
  for (let at = 0; at < 600; at++) {
    if (child.exitCode !== null) break;
    const answer = await fetch(home).catch(() => undefined);
    if (answer) {
      await answer.arrayBuffer();
      return { home, close };
    }
    await pause(50);
  }
  await close();
  throw new Error(`${script} in ${folder} has not started to listen:\n${output()}`);
}

function begin(framework: Framework, folder: string, script: string, variables: Readonly<Record<string, string>> = {}) {
  const { HOME = '', PATH = '', TMPDIR = '/tmp' } = process.env;
  const child: ChildProcess = spawn('sh', ['-c', script], {
    cwd: folder,
    detached: true,
    env: { ...quiet, HOME, TMPDIR, PATH: pathOf(framework, folder, PATH), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const print = (chunk: unknown): void => {
    printed = `${printed}${chunk}`.slice(-20_000);
  };
  child.stdout?.on('data', print);
  child.stderr?.on('data', print);
  return { child, output: () => printed };
}

/** The environment without variables of the tests, and without telemetry. */
const quiet = {
  NODE_ENV: 'production',
  CI: '1',
  // Node 22 and later start faster with the code that an earlier start has compiled.
  NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
  DO_NOT_TRACK: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  // Next looks for a lock file in the folder of the application; its packages have one in the folder above.
  NEXT_IGNORE_INCORRECT_LOCKFILE: '1',
};

/** The path for the commands of an application: its runtime as `node`, and the programs of its packages. */
function pathOf({ runtime }: Framework, folder: string, path: string): string {
  const found = path.split(delimiter).find((one) => missingOf([runtime], one).length === 0) ?? '';
  const node = dirname(realpathSync(join(found, runtime)));
  return [node, join(folder, 'node_modules/.bin'), join(folder, '../../node_modules/.bin'), path].join(delimiter);
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
