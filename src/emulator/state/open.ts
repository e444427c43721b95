import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SallyportError } from '../../errors/index.js';
import type { SavedWorld } from '../world/store.js';
import { Contents } from './contents.js';
import { ownerOnly } from './disk.js';
import { invalidState } from './format.js';
import { Journal } from './journal.js';
import { lock } from './lock.js';
import { type Reading, readState } from './read.js';
import { State } from './state.js';

/** How a state file is opened. */
export interface Opener {
  /** Prints a message for the user. */
  readonly say: (message: string) => void;
  /** Names the first wrong record of a saved world; undefined if there is none. */
  readonly objectionTo: (world: SavedWorld) => string | undefined;
}

/**
 * Open a state file, or begin one.
 *
 * @throws {ConfigurationError} `invalid_state`: the file cannot be used, and was left as it is.
 * @throws {EmulatorError} `state_in_use`.
 */
export async function openState(location: string | URL, { say, objectionTo }: Opener): Promise<State> {
  const file = placeOf(location);
  const unlock = within(file, () => lock(file));
  try {
    // A crash leaves these behind.
    within(file, () => {
      for (const ending of ['new', 'last']) fs.rmSync(`${file}.${ending}`, { force: true });
    });
    const isNew = within(file, () => isToBeMade(file));
    const { contents, size, left, changes } = isNew ? nothing() : await reading(file);
    refuseDamage(file, contents, objectionTo);
    const fd = isNew ? undefined : within(file, () => openToWrite(file, say));
    if (fd !== undefined && left > 0) {
      fs.ftruncateSync(fd, size);
      say(
        `The last line of the state in ${file} was left out, ${left} bytes: the emulator ended while it wrote them. Everything before is there.`,
      );
    }
    const leastSize = (size * contents.size) / Math.max(changes, 1);
    const journal = new Journal({ file, contents, fd, size, leastSize, say });
    return new State({ file, isNew, contents, journal, unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

const nothing = (): Reading => ({ contents: new Contents(), size: 0, left: 0, changes: 0 });

/** Where the file is. A symbolic link that the user made is followed here, once. */
function placeOf(location: string | URL): string {
  const named = typeof location === 'string' ? resolve(location) : fileURLToPath(location);
  try {
    return fs.realpathSync(named);
  } catch {
    return named;
  }
}

/** Whether there is no file yet, or nothing in it. */
function isToBeMade(file: string): boolean {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found) return true;
  if (!found.isFile()) throw new Error('It is not a file');
  return found.size === 0;
}

async function reading(file: string): Promise<Reading> {
  try {
    return await readState(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Refuse a file with a record that would fail later. @throws {ConfigurationError} `invalid_state`. */
function refuseDamage(file: string, contents: Contents, objectionTo: Opener['objectionTo']): void {
  const refuse = (what: string): never => {
    throw invalidState(
      `The state in ${file} is damaged: ${what}`,
      'The emulator cannot use this record, and left the file as it is',
      'Put a copy in its place, or delete the file to start over',
    );
  };
  const objection = contents.objectionToOwn();
  if (objection) refuse(objection);
  for (const environment of contents.environments) {
    const objection = objectionTo(contents.savedWorld(environment) ?? {});
    if (objection) refuse(`of ${environment}, ${objection}`);
  }
}

/** The keys of everybody are in it: it is its owner's alone, whatever it was. */
function openToWrite(file: string, say: (message: string) => void): number {
  // `placeOf` followed the links of the user. Windows has no such flag.
  const fd = fs.openSync(file, fs.constants.O_RDWR | (fs.constants.O_NOFOLLOW ?? 0));
  const mode = fs.fstatSync(fd).mode & 0o777;
  if (process.platform !== 'win32' && (mode & ~ownerOnly) !== 0) {
    fs.fchmodSync(fd, ownerOnly);
    say(`The state in ${file} could be read by others (mode ${mode.toString(8)}); now it is yours alone (600).`);
  }
  return fd;
}

function within<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unusable(file, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such folder',
  EACCES: 'This user may not read and write there',
  EPERM: 'It belongs to another user',
  EROFS: 'Nothing can be written there',
};

function unusable(file: string, error: unknown): unknown {
  if (error instanceof SallyportError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return invalidState(`The emulator cannot remember its state in ${file}`, why, 'Name another file', error);
}
