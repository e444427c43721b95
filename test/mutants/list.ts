import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './draw.js';

export { find } from './draw.js';

/** A mutant, and the test file that caught it; null if it survived. */
export interface Result extends Mutant {
  readonly caughtBy: string | null;
}

const file = 'test/mutants/mutants.json';

export const readMutants = (): Result[] => JSON.parse(readFileSync(file, 'utf8'));

export const writeMutants = (mutants: readonly Result[]): void =>
  writeFileSync(file, `${JSON.stringify(mutants, null, 2)}\n`);

/** Read the files of `src` by their paths. */
export const readSources = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [join('src', name), readFileSync(join('src', name), 'utf8')]),
  );
