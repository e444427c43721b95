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

const templates = 'src/cli/init/templates';

/** Find the folder with the templates of all frameworks. */
function templateFolder(folder = dirname(fileURLToPath(import.meta.url))): string {
  return existsSync(join(folder, templates)) ? join(folder, templates) : templateFolder(dirname(folder));
}

/** Read the first of these templates that the project's framework has. */
export function template({ framework }: Project, ...names: readonly string[]): string {
  const paths = names.map((name) => join(templateFolder(), framework.name, name));
  return readFileSync(paths.find((path) => existsSync(path)) ?? paths[0]!, 'utf8');
}

export const isTypeScript = ({ folder, manifest }: Project): boolean =>
  existsSync(join(folder, 'tsconfig.json')) || rangeOf(manifest, 'typescript') !== undefined;

const inJavaScript = (path: string): string => path.replace(/\.ts(x?)$/, '.js$1');

/** Build a script in the language of the project, from a template. A template without types serves both languages. */
export const script = (project: Project, path: string, name: string): Pick<Wiring, 'path' | 'text'> =>
  isTypeScript(project)
    ? { path, text: template(project, name) }
    : { path: inJavaScript(path), text: template(project, inJavaScript(name), name) };

/** Read a file of a project. @throws {CommandError} It is UTF-16. */
export const textIn = ({ folder }: Project, path: string): string => readTextFile(join(folder, path), path);

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** Find the first of these files that exists in a project. */
export const findFile = ({ folder }: Project, paths: readonly string[]): string | undefined =>
  paths.find((path) => isFile(join(folder, path)));

/** Combine names with all script extensions. */
export const withExtensions = (...names: readonly string[]): string[] =>
  names.flatMap((name) => scriptExtensions.map((extension) => `${name}.${extension}`));
