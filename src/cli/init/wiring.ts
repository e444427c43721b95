import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptExtensions } from '../config-file.js';
import { type Framework, type Manifest, rangeOf } from '../frameworks.js';
import { readTextFile } from '../text-file.js';

/** The project that init sets up. */
export interface Project {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly framework: Framework;
}

/** A file to write, or text to add to an existing file. */
export interface Wiring {
  /** Path relative to the project folder. */
  readonly path: string;
  readonly text: string;
  /** Existing file for the same purpose. init does not change it, and prints the text to add instead. */
  readonly existingFile?: string | undefined;
  /** How the user has to change that file. */
  readonly instruction?: string;
  /** Matches that file if the text was already added. Default: the name of this package. */
  readonly donePattern?: RegExp;
}

/** The files to write and the packages to install for a project. */
export interface Setup {
  readonly files: readonly Wiring[];
  /** The command that starts the application; default: its dev script. */
  readonly command?: string | undefined;
  /** Packages to install in addition to this one and those of the framework's template. */
  readonly packages?: readonly string[];
}

/** Find the folder of this package. */
function packageFolder(folder = dirname(fileURLToPath(import.meta.url))): string {
  return existsSync(join(folder, 'examples/frameworks')) ? folder : packageFolder(dirname(folder));
}

/** Read a file of the `examples` folder. The tests run these files. */
export const example = (path: string): string => readFileSync(join(packageFolder(), 'examples', path), 'utf8');

/** Extract the lines that match a pattern, without indentation. */
export const linesMatching = (text: string, pattern: RegExp): string =>
  text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => `${line.trim()}\n`)
    .join('');

/** Remove what belongs to other pages of the example, which a new project does not have. */
export function withoutOtherPages(text: string): string {
  const short = text
    .replace(/'\/(?:api\/(?:me|session)|stream\/go|_serverFn)', /g, '')
    .replace('  // Each server function checks the session itself.\n', '')
    .replace(/(?:\n *|, )(?:(?:maxAgeMs|permission): \{[^{}]*\}|page: \w+)(?:,(?=\n))?/g, '');
  const uses = (name: string): boolean => (short.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1;
  return short.replace(/^import \{ (\w+) \} from '\.[^']*';\n/gm, (line, name) => (uses(name) ? line : ''));
}

/** Convert an example to JavaScript. Handles only the type annotations that the examples use. */
const withoutTypes = (text: string): string =>
  text
    .replace(/^ *import type .*\n/gm, '')
    .replace(/^import .*$/gm, (line) => line.replace(/, type \w+/g, '').replace(/\btype \w+, /g, ''))
    .replace(/^declare module .*\n(?: .*\n)*\}\n\n/gm, '')
    .replace(/^( *(?:export )?const [\w{}, ]+): [\w.]+(?:<\w+>)?(?:\[\])? =/gm, '$1 =')
    .replace(/\(\w+(?:: [A-Z]\w+)?(?:, \w+(?:: [A-Z]\w+)?)*\) =>/g, (words) => words.replace(/: \w+/g, ''))
    .replace(/^((?:export default |export )?function \w+\(\{[^{}]*\}): [\w.]+\)/gm, '$1)')
    .replace(/(?<=\w)<\w+>(?=\()/g, '')
    .replace('<script lang="ts">\n\n', '<script>\n')
    .trimStart();

export const isTypeScript = ({ folder, manifest }: Project): boolean =>
  existsSync(join(folder, 'tsconfig.json')) || rangeOf(manifest, 'typescript') !== undefined;

/** Build a script in the language of the project: TypeScript or JavaScript. */
export const script = (project: Project, path: string, text: string): Pick<Wiring, 'path' | 'text'> =>
  isTypeScript(project) ? { path, text } : { path: path.replace(/\.ts(x?)$/, '.js$1'), text: withoutTypes(text) };

/** Read a file of a project. @throws {CommandError} It is UTF-16. */
export const textIn = ({ folder }: Project, path: string): string => readTextFile(join(folder, path), path);

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** Find the first of these files that exists in a project. */
export const findFile = ({ folder }: Project, paths: readonly string[]): string | undefined =>
  paths.find((path) => isFile(join(folder, path)));

/** Combine names with all script extensions. */
export const withExtensions = (...names: readonly string[]): string[] =>
  names.flatMap((name) => scriptExtensions.map((extension) => `${name}.${extension}`));
