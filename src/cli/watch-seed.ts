import { existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ModuleSeedError, reportProblems, type Source, sourceOf } from '../emulator/command-line.js';
import type { Emulator, Seed } from '../emulator/index.js';
import { changesBetween } from './seed-changes.js';

/** Called with what becomes of a seed file. */
export interface SeedListener {
  /** The emulator has started over with it; a line for each section that is another, none where it is again as it was. */
  changed(file: string, changes: readonly string[]): void;
  /** It is wrong, empty or gone, and the emulator goes on with the one before. */
  refused(why: string): void;
}

/** How often, in milliseconds, the system is asked whether a file is another. */
const betweenLooksMs = 200;
/** Milliseconds between two readings that must agree, so that what is half written is not taken for the whole. */
const betweenReadingsMs = 25;

/** Have an emulator start over whenever its seed file, or what that imports, is another than before. */
export function watchSeed(emulator: Emulator, first: Source, listener: SeedListener): void {
  // Only a seed in a file is watched.
  const file = first.file!;
  const folder = process.cwd();
  const files = new Map<string, Seen>();
  let planted = first.value();
  let wasRefused = false;

  /** Asks for as long as the process lasts: that goes on through folders that go and come, and where nothing tells of changes, as in containers. */
  const look = async (): Promise<void> => {
    if (await hasChanged(files)) await takeOver().catch(refuse);
    setTimeout(look, betweenLooksMs).unref();
  };

  const takeOver = async (): Promise<void> => {
    const path = first.files[0]!;
    // No seed either while an editor puts another file in its place.
    if (!existsSync(path)) throw new Error(`The seed ${file} is gone`);
    if (files.get(path)!.text.trim() === '') throw new Error(`The seed ${file} is empty`);
    // The folder may have gone and come again, and the seed is in the one that is there now.
    process.chdir(folder);
    const source = await sourceOf(file);
    follow(source.files);
    const value = await reportProblems(source, () => source.value());
    const changes = changesBetween(planted, value);
    // Read already: a source is taken wherever its path is.
    if (changes.length > 0) await emulator.reset({ seed: source as Seed });
    planted = value;
    if (changes.length > 0 || wasRefused) listener.changed(file, changes);
    wasRefused = false;
  };

  /** Whatever is wrong with a seed, the emulator goes on, and looks at the next one. */
  const refuse = (error: unknown): void => {
    if (error instanceof ModuleSeedError) follow(error.files);
    wasRefused = true;
    listener.refused(error instanceof Error ? error.message : String(error));
  };

  /** Asks for these files too from now on. */
  const follow = (more: readonly string[]): void => {
    for (const path of more) if (!files.has(path)) files.set(path, seenAt(path));
  };

  follow(first.files);
  void look();
}

/** What a file was when it was looked at. */
interface Seen {
  /** Another one whenever the file may be another. */
  readonly stamp: string;
  /** What it holds, or why it cannot be read. */
  readonly text: string;
}

/** Whether files are others than they were, once two readings agree; remembers what they are. */
async function hasChanged(files: Map<string, Seen>): Promise<boolean> {
  let isOther = false;
  for (let isSteady = false; !isSteady; ) {
    isSteady = true;
    for (const [path, before] of files) {
      if (stampOf(path) === before.stamp) continue;
      const seen = seenAt(path);
      files.set(path, seen);
      if (seen.text === before.text) continue;
      isOther = true;
      isSteady = false;
    }
    if (!isSteady) await pause(betweenReadingsMs);
  }
  return isOther;
}

/** The stamp is the older of the two: what is written between them is seen by the next look. */
function seenAt(path: string): Seen {
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
