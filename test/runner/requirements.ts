import { accessSync, constants, existsSync } from 'node:fs';
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

/** Folders of Debian programs that are not on every path. */
const debianFolders: Readonly<Record<string, string>> = { postgresql: '/usr/lib/postgresql', nginx: '/usr/sbin/nginx' };

/** Return the programs that are in none of the folders of a `PATH`. A name with a slash is a file or folder of this project. */
export const missingOf = (
  needs: readonly string[],
  path: string = process.env.PATH ?? '',
  folders: Readonly<Record<string, string>> = debianFolders,
): string[] =>
  needs.filter((need) =>
    need.includes('/') || folders[need]
      ? !existsSync(folders[need] ?? need)
      : !path.split(delimiter).some((folder) => folder && isProgram(join(folder, need))),
  );

/**
 * A suite that needs programs this package does not bring: `requires('redis-server')('a shared budget', () => ...)`. A
 * name with a slash is a folder that a script of this project fills, such as `test/outsiders/jose/node_modules`.
 *
 * `npm test` skips it, whether they are there or not, so that it takes the same few minutes everywhere. The title names the
 * programs. `npm run test:all` runs it, and fails if one of them is missing.
 */
export const requires =
  (...programs: string[]) =>
  (title: string, suite: () => void): void => {
    const needs = programs.join(' and ');
    if (!process.env.SALLYPORT_TEST_ALL) {
      test.skip(`${title} (needs ${needs}: npm run test:all)`, () => {});
      return;
    }
    const missing = missingOf(programs);
    if (missing.length === 0) {
      describe(title, suite);
      return;
    }
    test(`the suite "${title.replace(/[,:]$/, '')}" needs ${new Intl.ListFormat('en').format(programs)}`, () => {
      throw new Error(`${missing.join(' and ')} not found. ${howToGet(missing)}, or run npm test, which does without.`);
    });
  };

const howToGet = (missing: readonly string[]): string =>
  missing.some((need) => need.startsWith('test/'))
    ? 'Run test/install'
    : missing.some((need) => debianFolders[need])
      ? 'Install it from Debian'
      : 'Install it on PATH';

/**
 * A suite that repeats a proof of `npm test` many times, or with more compilers: `takesLong('a thousand rounds', () => ...)`.
 * Only `npm run test:all` runs it; `npm test` skips it with a note in its title.
 */
export const takesLong = (title: string, suite: () => void): void => {
  if (process.env.SALLYPORT_TEST_ALL) describe(title, suite);
  else test.skip(`${title} (takes long: npm run test:all)`, () => {});
};
