import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../command-error.js';

/** Grace periods before SIGKILL in milliseconds: for the application after a signal, and for its children after it exits. */
const graceMs = { application: 10_000, rest: 2_000 };

/** Signals within this many milliseconds count as one: Ctrl+C arrives from the terminal, and again from npx. */
const duplicateMs = 1_000;

const isWindows = process.platform === 'win32';

/**
 * Run a program in this terminal until it exits, and return its exit code. Signals are forwarded to its process group. A second
 * Ctrl+C kills it immediately. Child processes that outlive the program are stopped.
 */
export async function runApplication(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const signalAll = (signal: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    try {
      return process.kill(isWindows ? child.pid : -child.pid, signal);
    } catch {
      return false;
    }
  };

  let signalledAt: number | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      signalAll(signal);
      killTimer = setTimeout(() => signalAll('SIGKILL'), graceMs.application);
    } else if (performance.now() - signalledAt > duplicateMs) signalAll('SIGKILL');
  };
  // Listen before the program starts: a signal that arrived in between would end only this process. The listeners stay until this
  // process exits, so that repeated signals do not interrupt the emulator while it saves its state.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, forward);
  // `detached` creates a process group, so a signal reaches all children. Windows has no groups, and needs a shell to start npm.
  const child = isWindows
    ? spawn([command, ...args].join(' '), { stdio: 'inherit', env, shell: true })
    : spawn(command, args, { stdio: 'inherit', env, detached: true });
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (!isWindows) await stopRemaining(signalAll);
    // Shells report a signal as 128 plus its number.
    return code ?? 128 + constants.signals[signal!];
  } catch (error) {
    throw notStarted(command, error);
  } finally {
    clearTimeout(killTimer);
  }
}

/** Stop the child processes that a program left running. */
async function stopRemaining(signalAll: (signal: NodeJS.Signals | 0) => boolean): Promise<void> {
  if (!signalAll('SIGTERM')) return;
  const end = performance.now() + graceMs.rest;
  while (signalAll(0) && performance.now() < end) await pause(20);
  signalAll('SIGKILL');
}

function notStarted(command: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'ENOENT' ? 'The program was not found' : code === 'EACCES' ? 'It is not executable' : message;
  const quotes = /\s/.test(command) ? ', without quotes around the whole command' : '';
  return new CommandError(
    `${JSON.stringify(command)} cannot be started. ${why}. Write the command that starts your application after --${quotes}: sallyport dev -- npm run dev.`,
    { cause: error },
  );
}
