import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { EmulatorError } from '../world/refusal.js';
import { ownerOnly } from './disk.js';

// Who has a state file has a file beside it with its own name in it. A crash leaves that there, so whoever comes next asks whether
// the process still runs; of a process on another machine, or in another container, the age of the file has to tell.

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, where the system tells: another process may have its number by now. */
  readonly began: string | null;
}

const signOfLifeMs = 2_000;
/** Without a sign of life for so long, a holder elsewhere is gone. */
const goneAfterMs = 15_000;

/** Files that emulators of this process have. */
const own = new Set<string>();

/** Have a file to oneself until the function returned is called. @throws {EmulatorError} `state_in_use`. */
export function lock(file: string): () => void {
  const place = `${file}.lock`;
  if (own.has(file)) throw inUse(file, 'Another emulator of this process has it');
  const mine = `${place}.${process.pid}`;
  const self: Holder = { pid: process.pid, host: hostname(), began: beginOf(process.pid) };
  try {
    fs.rmSync(mine, { force: true });
    // Symbolic links are not followed: `wx` makes the file or fails.
    fs.writeFileSync(mine, JSON.stringify(self), { mode: ownerOnly, flag: 'wx' });
    take(file, place, mine);
  } finally {
    fs.rmSync(mine, { force: true });
  }
  own.add(file);
  const signs = setInterval(() => touch(place), signOfLifeMs);
  signs.unref();
  const release = (): void => {
    clearInterval(signs);
    process.off('exit', release);
    own.delete(file);
    fs.rmSync(place, { force: true });
  };
  process.on('exit', release);
  return release;
}

/** Put a lock in its place, unless the one that is there is held by somebody who lives. */
function take(file: string, place: string, mine: string): void {
  const aside = `${mine}.before`;
  for (let attempt = 0; attempt < 3; attempt++) {
    // Unlike a renaming, a link never takes the place of another file, and the file is whole as soon as it is there.
    if (link(mine, place)) return;
    const before = holderIn(place);
    if (before && lives(before, place)) throw inUse(file, `The ${before.text} has it`);
    if (!rename(place, aside)) continue;
    // Somebody else may have been quicker, in which case this is their lock.
    const after = holderIn(aside);
    if (after && after.text !== before?.text && lives(after, aside)) {
      link(aside, place);
      fs.rmSync(aside, { force: true });
      throw inUse(file, `The ${after.text} has it`);
    }
    fs.rmSync(aside, { force: true });
  }
  throw inUse(file, 'Others want it too');
}

type Found = Holder & { readonly text: string };

function holderIn(place: string): Found | undefined {
  try {
    const { pid, host, began } = JSON.parse(fs.readFileSync(place, 'utf8')) as Holder;
    return { pid, host, began, text: `process ${pid}${host === hostname() ? '' : ` on ${host}`}` };
  } catch {
    // It has gone, or was left half written by a machine that lost its power.
    return undefined;
  }
}

function lives({ pid, host, began }: Holder, place: string): boolean {
  if (host !== hostname()) return ageOf(place) < goneAfterMs;
  // Emulators of this process have been looked at.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Others' processes live too.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return began === null || beginOf(pid) === began;
}

/** What tells a process from another one of the same number, on Linux; null elsewhere. */
function beginOf(pid: number): string | null {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The name of the program, in parentheses, may hold blanks; 19 fields after it is the time at which it began.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const ticks = fields.split(' ')[19];
    return ticks === undefined ? null : `${boot} ${ticks}`;
  } catch {
    return null;
  }
}

const inUse = (file: string, why: string): EmulatorError =>
  new EmulatorError('state_in_use', {
    what: `Another emulator remembers its state in ${file}`,
    why,
    next: `Stop it, or name another file. If there is no other emulator, delete ${file}.lock`,
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

function touch(place: string): void {
  const now = new Date();
  attempt(() => fs.lutimesSync(place, now, now), 'ENOENT');
}

const ageOf = (place: string): number => {
  try {
    return Date.now() - fs.statSync(place).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};
