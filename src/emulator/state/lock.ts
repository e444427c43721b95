import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { sleep } from '../../async/sleep.js';
import { EmulatorError } from '../store/refusal.js';
import { ownerOnly } from './disk.js';

// An emulator with a state file keeps a lock file next to it and renews its time every second. Only this time shows that the emulator
// still runs: process ids and host names can be the same in two containers that share a folder.

const renewMs = 1_000;
/** A lock that was not renewed for this long is stale: its holder was killed, or is suspended. */
const staleMs = 5_000;
const pollMs = 100;

/** A lock that this process has. */
export interface Lock {
  /** Renew the lock. Returns false forever after another process has taken it over. */
  renew(): boolean;
  release(): void;
}

/** Files that emulators in this process use. */
const lockedHere = new Set<string>();

/** Lock a file. Waits up to five seconds for the lock of a killed process. @throws {EmulatorError} `state_in_use`. */
export async function lock(file: string): Promise<Lock> {
  if (lockedHere.has(file)) throw inUse(file, 'Another emulator in this process uses it');
  lockedHere.add(file);
  const path = `${file}.lock`;
  const id = randomUUID();
  try {
    await take(file, path, id);
  } catch (error) {
    lockedHere.delete(file);
    throw error;
  }
  let isLost = false;
  const renew = (): boolean => {
    try {
      isLost ||= readOrCreate(path, id) !== id;
      // Not the local time, because the clocks of two machines with a common folder may differ.
      if (!isLost) fs.writeFileSync(path, id, { flag: 'r+' });
    } catch {
      // Writing the state fails too, and reports the reason.
    }
    return !isLost;
  };
  const timer = setInterval(renew, renewMs);
  timer.unref();
  const release = (): void => {
    clearInterval(timer);
    process.off('exit', release);
    lockedHere.delete(file);
    if (renew()) fs.rmSync(path, { force: true });
  };
  process.on('exit', release);
  return { renew, release };
}

async function take(file: string, path: string, id: string): Promise<void> {
  const aside = `${path}.${id}`;
  let seenMs: number | undefined;
  while (!create(path, id)) {
    const found = statOf(path);
    if (!found) continue;
    if (!isStale(found, aside)) {
      if (seenMs !== undefined && found.mtimeMs > seenMs)
        throw inUse(file, 'It has renewed its lock within the last second');
      seenMs ??= found.mtimeMs;
      await sleep(pollMs);
    } else if (attempt(() => fs.renameSync(path, aside), 'ENOENT')) {
      // Another process may have been faster. Then this is its lock.
      if (statOf(aside)?.mtimeMs === found.mtimeMs) fs.rmSync(aside);
      else fs.renameSync(aside, path);
    }
  }
}

/** Create a lock file. Returns false if there is one. */
function create(path: string, id: string): boolean {
  // `wx` does not follow symbolic links.
  return attempt(() => {
    const fd = fs.openSync(path, 'wx', ownerOnly);
    try {
      fs.writeSync(fd, id);
    } catch (error) {
      fs.rmSync(path);
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }, 'EEXIST');
}

/** Return the id in a lock file. Creates the file if a user has deleted it. */
const readOrCreate = (path: string, id: string): string => (create(path, id) ? id : fs.readFileSync(path, 'utf8'));

const statOf = (path: string): fs.Stats | undefined => fs.lstatSync(path, { throwIfNoEntry: false });

/** Whether a lock was not renewed for five seconds, by the clock of the file system. A symbolic link is never a lock. */
function isStale(found: fs.Stats, probe: string): boolean {
  if (found.isSymbolicLink()) return true;
  fs.writeFileSync(probe, '', { mode: ownerOnly });
  const now = fs.lstatSync(probe).mtimeMs;
  fs.rmSync(probe);
  return now - found.mtimeMs > staleMs;
}

const inUse = (file: string, why: string): EmulatorError =>
  new EmulatorError('state_in_use', {
    what: `Another emulator uses the state file ${file}`,
    why,
    next: 'Stop it, or use another file',
  });

const attempt = (act: () => void, expected: string): boolean => {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== expected) throw error;
    return false;
  }
};
