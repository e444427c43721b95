import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { reportProblems, type Source, sourceOf } from '../../emulator/command-line.js';
import type { Emulator, Seed } from '../../emulator/index.js';

/** Callbacks of a watched seed file. */
export interface SeedListener {
  /** Called after a changed file was loaded. `changes` names the changed sections, none if an invalid file was restored. */
  onChange(file: string, changes: readonly string[]): void;
  /** Called when the file is invalid, empty or missing. The emulator keeps its data. */
  onError(why: string): void;
}

/** Milliseconds between checks of the file. */
const pollMs = 200;
/** Milliseconds between two reads that must agree, so that a half-written file is not used. */
const settleMs = 25;

/** Reset an emulator whenever its seed file changes. */
export function watchSeed(emulator: Emulator, first: Source, listener: SeedListener): void {
  // The first source was read from a file.
  const file = first.file!;
  const folder = process.cwd();
  const path = resolve(file);
  let version = versionAt(path);
  let current = first.value();
  let wasRefused = false;

  /** Poll, because file events are lost when folders are replaced and do not arrive in some containers. */
  const poll = async (): Promise<void> => {
    if (await hasChanged()) await reload().catch(refuse);
    setTimeout(poll, pollMs).unref();
  };

  /** Check whether the file has changed. Waits until two reads agree. */
  const hasChanged = async (): Promise<boolean> => {
    const { text } = version;
    while (stampOf(path) !== version.stamp) {
      version = versionAt(path);
      await pause(settleMs);
    }
    return version.text !== text;
  };

  const reload = async (): Promise<void> => {
    // Some editors delete the file for a moment while they replace it.
    if (!existsSync(path)) throw new Error(`The seed file ${file} no longer exists`);
    if (version.text.trim() === '') throw new Error(`The seed file ${file} is empty`);
    // If the folder was deleted and created again, this process is still in the deleted one.
    process.chdir(folder);
    const source = await sourceOf(file);
    const value = await reportProblems(source, () => source.value());
    const changes = changesBetween(current, value);
    // The emulator also accepts a seed source that is already loaded.
    if (changes.length > 0) await emulator.reset({ seed: source as Seed });
    current = value;
    if (changes.length > 0 || wasRefused) listener.onChange(file, changes);
    wasRefused = false;
  };

  /** Report an unusable seed. The emulator keeps running, and watches for the next change. */
  const refuse = (error: unknown): void => {
    wasRefused = true;
    listener.onError(error instanceof Error ? error.message : String(error));
  };

  void poll();
}

/** The content of a file at one check. */
interface FileVersion {
  /** Changes whenever the file may have changed. */
  readonly stamp: string;
  /** Its text, or the reason it cannot be read. */
  readonly text: string;
}

/** Read a file. The stamp is taken first, so that the next poll detects a write in between. */
function versionAt(path: string): FileVersion {
  const stamp = stampOf(path);
  try {
    return { stamp, text: readFileSync(path, 'utf8') };
  } catch (error) {
    return { stamp, text: String(error) };
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
}

/** List the names of the sections that differ between two seeds. */
export function changesBetween(before: unknown, after: unknown): readonly string[] {
  const [one, other] = [sectionsOf(before), sectionsOf(after)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => !isDeepStrictEqual(one[name], other[name]),
  );
}

// A section that is null counts as missing.
const sectionsOf = (seed: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(seed ?? {}).filter(([name, section]) => section != null && name !== '$schema'));
