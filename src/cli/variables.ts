import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** The variables that an application needs to sign people in. */
export type Name =
  | 'SALLYPORT_BASE_URL'
  | 'SALLYPORT_CLIENT_ID'
  | 'SALLYPORT_API_KEY'
  | 'SALLYPORT_COOKIE_PASSWORD'
  | 'SALLYPORT_REDIRECT_URI';

/** What a variable is set to, and where that stands. */
export interface Variable {
  readonly value: string;
  /** `your shell`, or the name of a file; empty for what nobody has set. */
  readonly source: string;
}

/** The source of what is set where the command was typed. */
export const shell = 'your shell';

/** The files of a project that frameworks read while somebody develops, the strongest first. */
const files = ['.env.development.local', '.env.local', '.env.development', '.env'];

/** The variables in a file such as `.env`, or none if there is no such file. A blank variable counts as absent. */
export function variablesIn(file: string): Readonly<Record<string, string>> {
  // Python keeps virtual environments in folders called .env.
  const isThere = existsSync(file) && !statSync(file).isDirectory();
  const all = isThere ? parseEnv(readFileSync(file, 'utf8')) : {};
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/**
 * The variables of this package that are set for a project: in the shell, or else in a file. All others are left to the
 * application's framework, which may replace `$NAME` in them and read them anew when a file changes.
 */
export function variablesOf(folder: string, env: NodeJS.ProcessEnv): ReadonlyMap<string, Variable> {
  const layers = [
    { source: shell, variables: env },
    ...files.map((source) => ({ source, variables: variablesIn(join(folder, source)) })),
  ];
  const found = new Map<string, Variable>();
  for (const { source, variables } of layers)
    for (const [name, value] of Object.entries(variables))
      if (value && name.startsWith('SALLYPORT_') && !found.has(name)) found.set(name, { value, source });
  return found;
}
