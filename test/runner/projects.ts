import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the files of tests are run. */
export type Project = 'alone' | 'rest' | 'together';

/**
 * The project of a test file, from its text:
 *
 * - `rest`: its suites need programs or take long, and `npm test` leaves them out. If `all` is true, also a file that tries more cases then;
 * - `alone`: it changes the whole process, so it gets a separate process;
 * - `together`: everything else.
 *
 * The files of `rest` and `together` share a process and its loaded modules, because loading the sources again for each of them
 * would take longer than most tests do. After each test, test/runner/restore.ts puts back what `vi` can.
 */
export function projectOf(text: string, all: boolean): Project {
  if (/^import \{[^}]*\b(?:requires|takesLong)\b[^}]*\} from '[./\w-]*requirements\.js';$/m.test(text)) return 'rest';
  if (all && /^import .*\{[^}]*\btriesAll\b[^}]*\} from '[./\w-]*property\.js';$/m.test(text)) return 'rest';
  return changesProcess(text) ? 'alone' : 'together';
}

/** Whether a test file changes modules, the folder or the environment of its process. */
export const changesProcess = (text: string): boolean =>
  /\bvi\.(?:(?:do)?[mM]ock|hoisted|resetModules)\(|\bprocess\.chdir\(/.test(text) ||
  /\bprocess\.env(?:\.\w+|\[[^\]]+\]) = |\bdelete process\.env\b|assign\(process\.env\b/.test(text);

/**
 * List every test file in a folder, by project. The paths start with the folder. Tests of installed packages are omitted.
 *
 * @param all Whether `npm run test:all` or `npm run test:rest` is running.
 */
export function filesByProject(root: string, folder: string, all = false): Record<Project, string[]> {
  const files: Record<Project, string[]> = { alone: [], rest: [], together: [] };
  const look = (path: string): void => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const file = `${path}/${entry.name}`;
      if (entry.isDirectory()) entry.name !== 'node_modules' && look(file);
      else if (file.endsWith('.test.ts')) files[projectOf(readFileSync(join(root, file), 'utf8'), all)].push(file);
    }
  };
  look(folder);
  for (const list of Object.values(files)) list.sort();
  return files;
}
