import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Source, sourceOf } from '../emulator/command-line.js';
import { Refusal } from './refusal.js';

/** Names under which a seed file is found in the folder of the command. */
const names = ['yaml', 'yml', 'json', 'ts', 'js', 'mjs'].map((ending) => `sallyport.seed.${ending}`);

/** The flags about a seed, as the parser gives them. */
export interface SeedFlags {
  /** A file; false with `--no-seed`, an empty text where neither was given. */
  readonly seed?: string | number | false;
  readonly watch?: boolean;
}

/** Read the seed file that a command starts with; undefined where there is none. @throws {Refusal} */
export async function chosenSeed({ seed = '', watch }: SeedFlags): Promise<Source | undefined> {
  const file = seed === '' ? foundIn(process.cwd()) : seed;
  if (watch && (file === undefined || file === false))
    throw new Refusal(`--watch needs a seed file. Name one by --seed, or write ${names[0]} in this folder.`);
  return file === undefined || file === false ? undefined : sourceOf(String(file));
}

/** The seed file of a folder. @throws {Refusal} There are several. */
function foundIn(folder: string): string | undefined {
  const found = names.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1)
    throw new Refusal(
      `There are ${found.length} seed files in this folder, ${found.join(' and ')}. Say by --seed which to take, or --no-seed for none of them.`,
    );
  return found[0];
}
