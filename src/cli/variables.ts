import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from './text-file.js';

/** The variables that an application needs for sign-in. */
export type Name =
  | 'SALLYPORT_BASE_URL'
  | 'SALLYPORT_CLIENT_ID'
  | 'SALLYPORT_API_KEY'
  | 'SALLYPORT_COOKIE_PASSWORD'
  | 'SALLYPORT_REDIRECT_URI';

/** The value of a variable and its source. */
export interface Variable {
  readonly value: string;
  /** `your shell` or the name of a file. Empty if this program generated the value. */
  readonly source: string;
}

/** The source of variables in the environment of this process. */
export const shell = 'your shell';

/** The files that frameworks read in development, in order of precedence. */
const files = ['.env.development.local', '.env.local', '.env.development', '.env'];

/** Read the variables of a file such as `.env`. Ignores empty variables. Returns an empty object if the file is missing. */
function variablesIn(folder: string, name: string): Readonly<Record<string, string>> {
  const file = join(folder, name);
  // In a Python project, .env may be the folder of a virtual environment.
  const isFile = existsSync(file) && !statSync(file).isDirectory();
  const all = isFile ? parseEnv(readTextFile(file, name)) : {};
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** Read one variable from the files of a project. Returns an empty text if it is not set. */
export function fileVariable(folder: string, name: string): string {
  for (const file of files) {
    const value = variablesIn(folder, file)[name];
    if (value !== undefined) return value;
  }
  return '';
}

/**
 * Read the `SALLYPORT_` variables of a project from the shell and its files. The shell takes precedence. Other variables are left
 * to the framework, which may expand `$NAME` in them and reload them when a file changes.
 */
export function variablesOf(folder: string, env: NodeJS.ProcessEnv): ReadonlyMap<string, Variable> {
  const layers = [
    { source: shell, variables: env },
    ...files.map((source) => ({ source, variables: variablesIn(folder, source) })),
  ];
  const found = new Map<string, Variable>();
  for (const { source, variables } of layers)
    for (const [name, value] of Object.entries(variables))
      if (value && name.startsWith('SALLYPORT_') && !found.has(name)) found.set(name, { value, source });
  return found;
}
