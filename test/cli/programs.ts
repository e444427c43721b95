import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Runnable, runnable } from '../builds/runnable.js';

/** The working folder of a program, and variables to add to those of this process. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Start a program in a new process group. Returns its output so far, and its exit code when it ends. */
function start(command: string, args: readonly string[], { cwd, env = { NO_COLOR: '1' } }: Surroundings) {
  // The settings of the tests are not variables of a project.
  const { SALLYPORT_TEST_ALL: _, SALLYPORT_CRYPTOGRAPHY: __, ...ours } = process.env;
  const child = spawn(command, args, { cwd, detached: true, env: { ...ours, ...env } });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.err += String(chunk);
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, output, exit };
}

/** A running program. */
export type Running = ReturnType<typeof start>;

/** How a runtime starts the command line. */
export const runtimes = {
  node20: [],
  node22: [],
  node24: [],
  node26: [],
  bun: [],
  deno: ['run', '--allow-all', '--no-lock'],
} as const;

/** End a program, and let it end those that it has started. */
async function end({ child, exit }: Running): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };
  signal('SIGTERM');
  const kill = setTimeout(() => signal('SIGKILL'), 2_000);
  await exit;
  clearTimeout(kill);
}

/** Build the command line for a file of tests, and end the running programs after each test. */
export function commandLine() {
  let programs: Runnable;
  const running: Running[] = [];
  beforeAll(async () => {
    programs = await runnable(['src/cli/main.ts']);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(end));
  });
  afterAll(() => programs?.remove());

  const run = (command: string, args: readonly string[], surroundings: Surroundings = {}): Running => {
    const program = start(command, args, surroundings);
    running.push(program);
    return program;
  };
  /** The command line as a file for Node. */
  const file = (): string => resolve(programs.file('main'));
  const sallyportIn = (surroundings: Surroundings, ...args: readonly string[]): Running =>
    run(process.execPath, [file(), ...args], surroundings);
  const sallyport = (...args: readonly string[]): Running => sallyportIn({}, ...args);
  return { run, file, sallyport, sallyportIn };
}

/** Resolves when a program has printed this text, by default to standard output, or when it has ended. */
export const untilPrinted = async (program: Running, text: string, stream: 'out' | 'err' = 'out'): Promise<Running> => {
  const { child, output, exit } = program;
  let ended = false;
  const end = exit.then(() => {
    ended = true;
  });
  const source = stream === 'out' ? child.stdout : child.stderr;
  while (!output[stream].includes(text) && !ended) await Promise.race([once(source, 'data'), end]);
  return program;
};
