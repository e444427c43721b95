import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Source, sourceOf } from '../../emulator/command-line.js';
import { CommandError } from '../command-error.js';

/** Names of seed files to look for in the current folder. */
const names = ['yaml', 'yml', 'json', 'ts', 'js', 'mjs'].map((ending) => `sallyport.seed.${ending}`);

/** Parsed flags about the seed. */
export interface SeedFlags {
  /** The path of a file, false with `--no-seed`, or an empty string if neither flag is set. */
  readonly seed?: string | false;
  readonly watch?: boolean;
}

/**
 * Load the seed file of a command. Returns undefined if there is none.
 *
 * @throws {CommandError} The folder has several, or `--watch` is set without one.
 */
export async function loadSeed({ seed = '', watch }: SeedFlags): Promise<Source | undefined> {
  const file = seed === '' ? foundIn(process.cwd()) : seed;
  if (watch && (file === undefined || file === false))
    throw new CommandError(`--watch needs a seed file. Pass one with --seed, or create ${names[0]} in this folder.`);
  return file === undefined || file === false ? undefined : sourceOf(String(file));
}

/** Find the seed file of a folder. @throws {CommandError} The folder has several. */
function foundIn(folder: string): string | undefined {
  const found = names.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1)
    throw new CommandError(
      `There are ${found.length} seed files in this folder: ${found.join(' and ')}. Choose one with --seed, or ignore them with --no-seed.`,
    );
  return found[0];
}
