import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SallyportError } from '../../errors/index.js';
import type { SavedWorld } from '../store/store.js';
import { Contents } from './contents.js';
import { ownerOnly } from './disk.js';
import { invalidState } from './format.js';
import { lock } from './lock.js';
import { problemOf } from './problems.js';
import { type Reading, readState } from './read.js';
import { State } from './state.js';

/** Callbacks of `openState`. */
interface Opener {
  /** Prints a message for the user. */
  readonly print: (message: string) => void;
  /** Describes the first invalid record of a saved world; undefined if there is none. */
  readonly objectionTo: (world: SavedWorld) => string | undefined;
}

/**
 * Open a state file, or prepare a new one.
 *
 * @throws {ConfigurationError} `invalid_state`: the file cannot be used. It is not changed.
 * @throws {EmulatorError} `state_in_use`.
 */
export async function openState(location: string | URL, { print, objectionTo }: Opener): Promise<State> {
  const file = pathOf(location);
  const held = await lock(file).catch((error) => {
    throw unusable(file, error);
  });
  try {
    // A crash leaves this behind.
    withFileErrors(file, () => fs.rmSync(`${file}.new`, { force: true }));
    const isNew = withFileErrors(file, () => isAbsent(file));
    const { contents, left } = isNew ? { contents: new Contents(), left: 0 } : await readOrExplain(file);
    refuseDamage(file, contents, objectionTo);
    withFileErrors(file, () => refuseMount(file));
    if (!isNew) withFileErrors(file, () => restrict(file, print));
    if (left > 0)
      print(
        `The last line of the state file ${file} (${left} bytes) was incomplete and was dropped: the emulator ended while writing it. Everything before it is intact.`,
      );
    return new State({ file, isNew, contents, lock: held, print });
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Resolve the path of the file. A symbolic link created by the user is followed here, once. */
function pathOf(location: string | URL): string {
  const named = typeof location === 'string' ? resolve(location) : fileURLToPath(location);
  try {
    return fs.realpathSync(named);
  } catch {
    return named;
  }
}

/** Whether the file does not exist yet, or is empty. */
function isAbsent(file: string): boolean {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found) return true;
  if (!found.isFile()) throw new Error('It is not a file');
  return found.size === 0;
}

/** Refuse a file that is itself a mount: no rename can replace it. A link would lead to another file system, so it fails. */
function refuseMount(file: string): void {
  const link = `${file}.new`;
  try {
    fs.linkSync(file, link);
    fs.rmSync(link);
  } catch (error) {
    // The file does not exist yet, or its file system has no links.
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') throw error;
  }
}

async function readOrExplain(file: string): Promise<Reading> {
  try {
    return await readState(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Refuse a file with an invalid record, which would cause errors later. @throws {ConfigurationError} `invalid_state`. */
function refuseDamage(file: string, contents: Contents, objectionTo: Opener['objectionTo']): void {
  const refuse = (what: string): never => {
    throw invalidState(
      `The state file ${file} is damaged: ${what}`,
      'The emulator cannot use this record, and did not change the file',
      'Restore a backup, or delete the file to start over',
    );
  };
  const objection = contents.objectionToEmulator();
  if (objection) refuse(objection);
  for (const environment of contents.environments) {
    const objection = objectionTo(contents.savedWorld(environment));
    if (objection) refuse(`in ${environment}, ${objection}`);
  }
}

/** Restrict the file to its owner, because it contains secrets. */
function restrict(file: string, print: (message: string) => void): void {
  const mode = fs.statSync(file).mode & 0o777;
  if (process.platform === 'win32' || (mode & ~ownerOnly) === 0) return;
  fs.chmodSync(file, ownerOnly);
  print(`The state file ${file} was readable by other users (mode ${mode.toString(8)}). Its mode is now 600.`);
}

function withFileErrors<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): unknown {
  if (error instanceof SallyportError) return error;
  const { why, next } = problemOf(error);
  return invalidState(`The emulator cannot store its state in ${file}`, why, next, error);
}
