import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Settings } from './settings.js';

/** A runtime, and how to build and start a program for it. */
export interface Runtime {
  /** Its name in the titles of tests. */
  readonly title: string;
  /** The program that runs it, found on `PATH`. */
  readonly program: string;
  /** File in `servers` that serves the application on it. */
  readonly server: 'node' | 'bun' | 'deno' | 'workerd';
  /** The module format of the server. */
  readonly format: 'esm' | 'cjs';
  /** The compatibility date of a worker. */
  readonly compatibilityDate?: string;
  /** Arguments of the program that serve a file. The service is at this host and port. */
  readonly serve: (file: string, serviceHost: string) => readonly string[];
}

/** Every runtime of the session entry. The first Node is the oldest that the package supports. */
export const runtimes: readonly Runtime[] = [
  ...(['node20', 'node22', 'node24', 'node26'] as const).map(
    (program): Runtime => ({
      title: `on Node ${program.slice(4)}`,
      program,
      server: 'node',
      format: 'esm',
      serve: (file) => [file],
    }),
  ),
  { title: 'on Node 20 with require()', program: 'node20', server: 'node', format: 'cjs', serve: (file) => [file] },
  { title: 'on Bun', program: 'bun', server: 'bun', format: 'esm', serve: (file) => ['--no-install', file] },
  {
    title: 'on Deno',
    program: 'deno',
    server: 'deno',
    format: 'esm',
    // It may only listen and connect to the service, and cannot read files or the environment.
    serve: (file, serviceHost) => [
      'run',
      '--no-prompt',
      '--cached-only',
      `--allow-net=127.0.0.1:0,${serviceHost}`,
      file,
    ],
  },
  ...(
    [
      ['on workerd', '2026-11-01'],
      // Since October 2024, awaiting the work of a dropped request fails. Before, it hung.
      ['on workerd with a compatibility date in January 2024', '2024-01-01'],
    ] as const
  ).map(
    ([title, compatibilityDate]): Runtime => ({
      title,
      program: 'workerd',
      server: 'workerd',
      format: 'esm',
      compatibilityDate,
      serve: (file) => ['serve', '--control-fd=1', join(file, '../workerd.capnp')],
    }),
  ),
];

const workerdConfig = (compatibilityDate: string): string => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "application", worker = .application),
    # The service under test is on this machine, where workers may not go unless they are let.
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "application")],
);

const application :Workerd.Worker = (
  modules = [(name = "workerd.mjs", esModule = embed "workerd.mjs")],
  compatibilityDate = "${compatibilityDate}",
);
`;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** A program that is running. */
export interface Running {
  /** The address of the application. */
  readonly url: string;
  /** The errors that it has printed. */
  readonly complaints: () => string;
  stop(): Promise<void>;
}

/**
 * Bundles the application for a runtime into one file, next to the installed package. The file for workers includes the
 * package, because workers have no other files.
 */
async function bundled(
  { server, format, compatibilityDate }: Runtime,
  installed: string,
  settings: Settings,
): Promise<string> {
  const folder = mkdtempSync(join(installed, `${server}-`));
  const extension = format === 'esm' ? 'mjs' : 'cjs';
  const file = join(folder, `${server}.${extension}`);
  const shared = {
    bundle: true,
    format,
    target: 'es2022',
    logLevel: 'silent',
    // The aliases of this project would lead to the sources of the package.
    tsconfigRaw: {},
  } as const;
  const outside = compatibilityDate ? join(folder, 'application.mjs') : file;
  await build({
    ...shared,
    entryPoints: [here(`servers/${server}.ts`)],
    outfile: outside,
    platform: server === 'node' ? 'node' : 'neutral',
    external: ['sallyport', 'sallyport/*'],
    define: { SETTINGS: JSON.stringify(settings) },
  });
  if (compatibilityDate) {
    await build({
      ...shared,
      entryPoints: [outside],
      outfile: file,
      platform: 'neutral',
      conditions: ['workerd', 'worker', 'browser'],
    });
    writeFileSync(join(folder, 'workerd.capnp'), workerdConfig(compatibilityDate));
  }
  return file;
}

/** Start the application on a runtime. @throws It does not listen within half a minute. */
export async function start(runtime: Runtime, installed: string, settings: Settings): Promise<Running> {
  const file = await bundled(runtime, installed, settings);
  const { PATH = '' } = process.env;
  const child = spawn(runtime.program, runtime.serve(file, new URL(settings.service.baseUrl).host), {
    cwd: installed,
    // The runtime must not touch the real home, look for updates or send telemetry.
    env: {
      PATH,
      HOME: installed,
      DENO_DIR: join(installed, '.deno'),
      DENO_NO_UPDATE_CHECK: '1',
      DO_NOT_TRACK: '1',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    // On SIGTERM, workerd waits for requests that never end.
    child.kill('SIGKILL');
    await ended;
  };
  const port = await new Promise<number>((resolve, reject) => {
    const give = (why: string) => reject(new Error(`${runtime.program} ${why}\n${complaints}`));
    const impatience = setTimeout(give, 30_000, 'does not listen');
    createInterface(child.stdout).on('line', (line) => {
      const portText = /"port":\s*(\d+)/.exec(line)?.[1];
      if (portText) resolve(Number(portText));
    });
    child.once('error', ({ message }) => give(message));
    ended.then(() => {
      clearTimeout(impatience);
      give('has ended');
    });
    child.stdout.once('data', () => clearTimeout(impatience));
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url: `http://127.0.0.1:${port}`, complaints: () => complaints, stop };
}
