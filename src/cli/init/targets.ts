import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.js';

/**
 * Check that files can be written within a folder.
 *
 * @throws {CommandError} A path contains a symbolic link, a file in place of a folder, or a folder in place of the file.
 */
export function checkTargets(folder: string, paths: readonly string[]): void {
  const links = new Set<string>();
  const obstacles = new Set<string>();
  for (const path of paths) {
    const names = path.split('/');
    for (let count = 1; count <= names.length; count++) {
      const part = names.slice(0, count).join('/');
      const found = lstatSync(join(folder, part), { throwIfNoEntry: false });
      if (!found) break;
      const isExpected = count === names.length ? found.isFile() : found.isDirectory();
      if (isExpected) continue;
      (found.isSymbolicLink() ? links : obstacles).add(part);
      break;
    }
  }
  if (links.size > 0)
    throw new CommandError(
      `init does not write through symbolic links, even inside the project. These are links: ${listOf(links)}. Nothing was written. Replace them with real files or folders and run init again.`,
    );
  if (obstacles.size > 0)
    throw new CommandError(
      `init cannot write its files because these are in the way: ${listOf(obstacles)}. Nothing was written. Move them and run init again.`,
    );
}

const listOf = (paths: Iterable<string>): string => [...paths].join(', ');
