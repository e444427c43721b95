import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Framework, Manifest } from './frameworks.js';

/** A project whose sign-in is set up. */
export interface Project {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly framework: Framework;
}

/** A file that a project needs. */
export interface Wiring {
  /** Where it is to be, from the folder of the project. */
  readonly path: string;
  readonly text: string;
  /** The file in which the project already has what this one is for, and which it may not replace. */
  readonly inPlaceOf?: string | undefined;
  /** What to do in that file. */
  readonly toAdd?: string;
  /** What stands in that file once it is done; by default the name of this package. */
  readonly done?: RegExp;
}

/** The files of a project, and the page that shows that they work. */
export interface Setup {
  readonly files: readonly Wiring[];
  /** The command that starts the application. */
  readonly command: string;
  /** What they import beside this package, and the framework's template has not. */
  readonly packages?: readonly string[];
}

/** The folder of this package. */
function packageFolder(folder = dirname(fileURLToPath(import.meta.url))): string {
  return existsSync(join(folder, 'examples/frameworks')) ? folder : packageFolder(dirname(folder));
}

/** The text of a file that is copied: of an application that the tests drive, or of a page to begin with. */
export const example = (path: string): string => readFileSync(join(packageFolder(), 'examples', path), 'utf8');

/** The lines of a text that match, one below the other. */
export const linesWith = (text: string, pattern: RegExp): string =>
  text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => `${line.trim()}\n`)
    .join('');

/** The text with the account alone protected, for a project that has none of the example's other pages. */
export function forAccount(text: string): string {
  const short = text
    .replace(/protect: \[[^\]]*\]/, "protect: ['/account']")
    .replace(/(?:\n *|, )(?:open: \[[^\]]*\]|(?:maxAgeSec|permission): \{[^}]*\}|page: \w+)(?:,(?=\n))?/g, '');
  const uses = (name: string): boolean => (short.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1;
  return short.replace(/^import \{ (\w+) \} from '\.[^']*';\n/gm, (line, name) => (uses(name) ? line : ''));
}

/** The text as JavaScript; it has no other types than those that are imported or declared, by their names alone. */
const withoutTypes = (text: string): string =>
  text
    .replace(/^ *import type .*\n/gm, '')
    .replace(/^import .*$/gm, (line) => line.replace(/, type \w+/g, '').replace(/\btype \w+, /g, ''))
    .replace(/^declare module [\s\S]*?^\}\n\n/gm, '')
    .replace(/^( *(?:export )?const [\w{}, ]+): [\w.]+(?:<\w+>)?(?:\[\])? =/gm, '$1 =')
    .replace(/\(\w+(?:: [A-Z]\w+)?(?:, \w+(?:: [A-Z]\w+)?)*\) =>/g, (words) => words.replace(/: \w+/g, ''))
    .replace(/^((?:export default |export )?function \w+\(\{[^}]*\}): [\w.]+\)/gm, '$1)')
    .replace(/(?<=\w)<\w+>(?=\()/g, '')
    .replace('<script lang="ts">\n\n', '<script>\n')
    .trimStart();

export const isTypeScript = ({ folder }: Project): boolean => existsSync(join(folder, 'tsconfig.json'));

/** A file of the project's language. */
export const script = (project: Project, path: string, text: string): Pick<Wiring, 'path' | 'text'> =>
  isTypeScript(project) ? { path, text } : { path: path.replace(/\.ts(x?)$/, '.js$1'), text: withoutTypes(text) };

/** The text of a file of a project. */
export const textIn = ({ folder }: Project, path: string): string => readFileSync(join(folder, path), 'utf8');

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The first of these files that a project has. */
export const present = ({ folder }: Project, paths: readonly string[]): string | undefined =>
  paths.find((path) => isFile(join(folder, path)));

const scriptExtensions = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs', 'tsx', 'jsx'];
/** The names that a script may have. */
export const anyOf = (...names: readonly string[]): string[] =>
  names.flatMap((name) => scriptExtensions.map((extension) => `${name}.${extension}`));

/** What starts the application where the project has a script for it. */
export const devScript = 'npm run dev';
