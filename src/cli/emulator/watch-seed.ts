import { existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ModuleSeedError, reportProblems, type Source, sourceOf } from '../../emulator/command-line.js';
import type { Emulator, Seed } from '../../emulator/index.js';
import { changesBetween } from './seed-changes.js';

/** Callbacks of a watched seed file. */
export interface SeedListener {
  /** Called after a changed file was loaded. `changes` has one line per section, none if an invalid file was restored. */
  onChange(file: string, changes: readonly string[]): void;
  /** Called when the file is invalid, empty or missing. The emulator keeps its data. */
  onError(why: string): void;
}

/** Milliseconds between checks for changed files. */
const pollMs = 200;
/** Milliseconds between two reads that must agree, so that a half-written file is not used. */
const settleMs = 25;

/** Reset an emulator whenever its seed file or one of its imports changes. */
export function watchSeed(emulator: Emulator, first: Source, listener: SeedListener): void {
  // The first source was read from a file.
  const file = first.file!;
  const folder = process.cwd();
  const files = new Map<string, FileVersion>();
  let current = first.value();
  let wasRefused = false;

  /** Poll, because file events are lost when folders are replaced and do not arrive in some containers. */
  const poll = async (): Promise<void> => {
    if (await hasChanged(files)) await reload().catch(refuse);
    setTimeout(poll, pollMs).unref();
  };

  const reload = async (): Promise<void> => {
    const path = first.files[0]!;
    // Some editors delete the file for a moment while they replace it.
    if (!existsSync(path)) throw new Error(`The seed file ${file} no longer exists`);
    if (files.get(path)!.text.trim() === '') throw new Error(`The seed file ${file} is empty`);
    // If the folder was deleted and created again, this process is still in the deleted one.
    process.chdir(folder);
    const source = await sourceOf(file);
    watch(source.files);
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
    if (error instanceof ModuleSeedError) watch(error.files);
    wasRefused = true;
    listener.onError(error instanceof Error ? error.message : String(error));
  };

  /** Also watch these files. */
  const watch = (more: readonly string[]): void => {
    for (const path of more) if (!files.has(path)) files.set(path, versionAt(path));
  };

  watch(first.files);
  void poll();
}

/** The content of a file at one check. */
interface FileVersion {
  /** Changes whenever the file may have changed. */
  readonly stamp: string;
  /** Its text, or the reason it cannot be read. */
  readonly text: string;
}

/** Check whether files have changed. Waits until two reads agree, and updates the map. */
async function hasChanged(files: Map<string, FileVersion>): Promise<boolean> {
  let changed = false;
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const [path, before] of files) {
      if (stampOf(path) === before.stamp) continue;
      const version = versionAt(path);
      files.set(path, version);
      if (version.text === before.text) continue;
      changed = true;
      isStable = false;
    }
    if (!isStable) await pause(settleMs);
  }
  return changed;
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
