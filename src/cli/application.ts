import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from './refusal.js';

/** How long the application may take to end after a signal, and what it leaves running after it has ended. */
const graceMs = { application: 10_000, rest: 2_000 };

/** A signal comes twice within this time where npx passes on what the terminal sends to everybody. */
const echoMs = 1_000;

const isWindows = process.platform === 'win32';

/**
 * Run a program on this terminal until it ends, and pass signals on to it and to all that it started; when it has ended, the
 * rest of them are ended too. Resolves with its exit code. A second Ctrl+C waits for nobody.
 */
export async function runApplication(
  [command = '', ...words]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  // A group of its own can be signalled as a whole. Windows has none, and starts npm only by its shell.
  const child = isWindows
    ? spawn([command, ...words].join(' '), { stdio: 'inherit', env, shell: true })
    : spawn(command, words, { stdio: 'inherit', env, detached: true });
  const signalAll = (signal: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    try {
      return process.kill(isWindows ? child.pid : -child.pid, signal);
    } catch {
      return false;
    }
  };

  let signalledAt: number | undefined;
  let impatience: NodeJS.Timeout | undefined;
  const passOn = (signal: NodeJS.Signals): void => {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      signalAll(signal);
      impatience = setTimeout(() => signalAll('SIGKILL'), graceMs.application);
    } else if (performance.now() - signalledAt > echoMs) signalAll('SIGKILL');
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, passOn);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (!isWindows) await endRest(signalAll);
    // As shells say it.
    return code ?? 128 + constants.signals[signal!];
  } catch (error) {
    throw notStarted(command, error);
  } finally {
    clearTimeout(impatience);
    for (const signal of signals) process.off(signal, passOn);
  }
}

/** Ends what a program started and left behind. */
async function endRest(signalAll: (signal: NodeJS.Signals | 0) => boolean): Promise<void> {
  if (!signalAll('SIGTERM')) return;
  const end = performance.now() + graceMs.rest;
  while (signalAll(0) && performance.now() < end) await pause(20);
  signalAll('SIGKILL');
}

function notStarted(command: string, error: unknown): Refusal {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'ENOENT' ? 'There is no such program' : code === 'EACCES' ? 'It is not executable' : message;
  const quotes = /\s/.test(command) ? ', without quotes around all of it' : '';
  return new Refusal(
    `${JSON.stringify(command)} cannot be started. ${why}. Write after -- what you type to start your application${quotes}: sallyport dev -- npm run dev.`,
    { cause: error },
  );
}
