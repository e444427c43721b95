import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from 'vitest';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Which of these programs are in none of the folders of a `PATH`. */
export const missingOf = (programs: readonly string[], path: string = process.env.PATH ?? ''): string[] =>
  programs.filter((program) => !path.split(delimiter).some((folder) => folder && isProgram(join(folder, program))));

/**
 * A suite that needs programs this package does not bring: `requires('redis-server')('a shared budget', () => ...)`.
 *
 * Where one is missing, `npm test` leaves the suite out and says in its title why; `npm run test:all` fails.
 */
export const requires =
  (...programs: string[]) =>
  (title: string, suite: () => void): void => {
    const missing = missingOf(programs);
    if (missing.length === 0) {
      describe(title, suite);
      return;
    }
    const named = `${title} (needs ${missing.join(' and ')})`;
    if (!process.env.SALLYPORT_TEST_ALL) {
      describe.skip(named, suite);
      return;
    }
    test(named, () => {
      throw new Error(`${missing.join(' and ')} not found on PATH. Install it, or run npm test, which does without.`);
    });
  };
