import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { EmulatorError } from '../store/refusal.js';
import { ownerOnly } from './disk.js';

// A process that uses a state file names itself in a lock file next to it. A crash leaves the lock behind, so the next process checks
// whether the holder still runs. For a holder on another machine or in another container, it checks the age of the lock.

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process, if the system provides it, because process ids are reused. */
  readonly began: string | null;
}

const heartbeatMs = 2_000;
/** A remote holder without a heartbeat for this long is considered dead. */
const staleAfterMs = 15_000;

/** Files that emulators in this process use. */
const lockedHere = new Set<string>();

/** Lock a file until the returned function is called. @throws {EmulatorError} `state_in_use`. */
export function lock(file: string): () => void {
  const path = `${file}.lock`;
  if (lockedHere.has(file)) throw inUse(file, 'Another emulator in this process uses it');
  const candidate = `${path}.${process.pid}`;
  const self: Holder = { pid: process.pid, host: hostname(), began: startOf(process.pid) };
  try {
    fs.rmSync(candidate, { force: true });
    // `wx` does not follow symbolic links.
    fs.writeFileSync(candidate, JSON.stringify(self), { mode: ownerOnly, flag: 'wx' });
    install(file, path, candidate);
  } finally {
    fs.rmSync(candidate, { force: true });
  }
  lockedHere.add(file);
  const heartbeat = setInterval(() => touch(path), heartbeatMs);
  heartbeat.unref();
  const release = (): void => {
    clearInterval(heartbeat);
    process.off('exit', release);
    lockedHere.delete(file);
    fs.rmSync(path, { force: true });
  };
  process.on('exit', release);
  return release;
}

/** Install a lock file, unless a living process holds the existing one. */
function install(file: string, path: string, candidate: string): void {
  const backup = `${candidate}.before`;
  for (let attempt = 0; attempt < 3; attempt++) {
    // Unlike a rename, a link never replaces a file, and the file is complete as soon as it exists.
    if (link(candidate, path)) return;
    const before = holderIn(path);
    if (before && isAlive(before, path)) throw inUse(file, `It is used by ${before.text}`);
    if (!rename(path, backup)) continue;
    // Another process may have been faster, and this may be its lock.
    const after = holderIn(backup);
    if (after && after.text !== before?.text && isAlive(after, backup)) {
      link(backup, path);
      fs.rmSync(backup, { force: true });
      throw inUse(file, `It is used by ${after.text}`);
    }
    fs.rmSync(backup, { force: true });
  }
  throw inUse(file, 'Other processes are trying to lock it too');
}

type Found = Holder & { readonly text: string };

function holderIn(path: string): Found | undefined {
  try {
    const { pid, host, began } = JSON.parse(fs.readFileSync(path, 'utf8')) as Holder;
    return { pid, host, began, text: `process ${pid}${host === hostname() ? '' : ` on ${host}`}` };
  } catch {
    // The lock file is gone, or incomplete after a power loss.
    return undefined;
  }
}

function isAlive({ pid, host, began }: Holder, path: string): boolean {
  if (host !== hostname()) return ageOf(path) < staleAfterMs;
  // Emulators in this process were checked before, so an earlier process had this id.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return began === null || startOf(pid) === began;
}

/** Return the boot id and start time of a process, because process ids are reused. Null on systems other than Linux. */
function startOf(pid: number): string | null {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The program name, in parentheses, may contain spaces. The start time is the 20th field after it.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const ticks = fields.split(' ')[19];
    return ticks === undefined ? null : `${boot} ${ticks}`;
  } catch {
    return null;
  }
}

const inUse = (file: string, why: string): EmulatorError =>
  new EmulatorError('state_in_use', {
    what: `Another emulator uses the state file ${file}`,
    why,
    next: `Stop it, or use another file. If no other emulator runs, delete ${file}.lock`,
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

const link = (from: string, to: string): boolean => attempt(() => fs.linkSync(from, to), 'EEXIST');
const rename = (from: string, to: string): boolean => attempt(() => fs.renameSync(from, to), 'ENOENT');

function touch(path: string): void {
  const now = new Date();
  attempt(() => fs.lutimesSync(path, now, now), 'ENOENT');
}

const ageOf = (path: string): number => {
  try {
    return Date.now() - fs.statSync(path).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};
