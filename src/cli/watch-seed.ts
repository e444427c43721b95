import { readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ModuleSeedError, type Source, sourceOf } from '../emulator/command-line.js';
import type { Emulator, Seed } from '../emulator/index.js';
import { isErrorOfSallyport } from '../errors/index.js';
import { changesBetween } from './seed-changes.js';

/** Called with what becomes of a seed file. */
export interface SeedListener {
  /** The emulator has started over with it; a line for each section that is another, none where it is again as it was. */
  changed(file: string, changes: readonly string[]): void;
  /** It is wrong, empty or gone, and the emulator goes on with the one before. */
  refused(why: string): void;
}

/** Milliseconds between two readings that must agree, so that what is half written is not taken for the whole. */
const betweenReadingsMs = 25;

/** Have an emulator start over whenever its seed file, or what that imports, is another than before. */
export function watchSeed(emulator: Emulator, first: Source, listener: SeedListener): void {
  // Only a seed in a file is watched.
  const file = first.file!;
  const files = new Map<string, string | undefined>();
  const folders = new Set<string>();
  let planted = first.value();
  let wasRefused = false;
  let isBusy = false;
  let isDue = false;

  const look = async (): Promise<void> => {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    while (isDue) {
      isDue = false;
      if (await hasChanged(files)) await takeOver();
    }
    isBusy = false;
  };

  const takeOver = async (): Promise<void> => {
    const refuse = (why: string): void => {
      wasRefused = true;
      listener.refused(why);
    };
    const text = files.get(first.files[0]!);
    // No seed either while an editor puts another file in its place.
    if (text === undefined) return refuse(`The seed ${file} is gone`);
    if (text.trim() === '') return refuse(`The seed ${file} is empty`);
    try {
      const source = await sourceOf(file);
      follow(source.files);
      const value = source.value();
      const changes = changesBetween(planted, value);
      // Read already: a source is taken wherever its path is.
      if (changes.length > 0) await emulator.reset({ seed: source as Seed });
      planted = value;
      if (changes.length > 0 || wasRefused) listener.changed(file, changes);
      wasRefused = false;
    } catch (error) {
      if (error instanceof ModuleSeedError) follow(error.files);
      if (!isErrorOfSallyport(error)) throw error;
      refuse(error.message);
    }
  };

  /** Watches these files too: by their folders, because editors put another file in the place of the one before. */
  const follow = (more: readonly string[]): void => {
    for (const path of more) {
      if (files.has(path)) continue;
      files.set(path, textOf(path));
      const folder = dirname(path);
      if (folders.has(folder)) continue;
      folders.add(folder);
      watch(folder, (_event, name) => {
        if (name === null || files.has(join(folder, name))) void look();
      });
    }
  };

  follow(first.files);
}

/** Whether files are others than they were, once two readings agree; remembers what they are. */
async function hasChanged(files: Map<string, string | undefined>): Promise<boolean> {
  let isOther = false;
  for (let isSteady = false; !isSteady; ) {
    isSteady = true;
    for (const [path, before] of files) {
      const text = textOf(path);
      if (text === before) continue;
      files.set(path, text);
      isOther = true;
      isSteady = false;
    }
    if (!isSteady) await pause(betweenReadingsMs);
  }
  return isOther;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
