import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from './command-error.js';
import { readTextFile } from './text-file.js';

/** A web framework that `init` and `dev` detect. */
export interface Framework {
  /** Name for `--framework`, and folder in `examples/frameworks`. */
  readonly name: string;
  /** Name to print. */
  readonly title: string;
  /** The package that identifies it. */
  readonly dependency: string;
  /** The port of its development server. */
  readonly port: number;
  /** Whether its development server reads `PORT`. */
  readonly readsPort: boolean;
  /** Whether it reads `PORT` also from a file such as `.env`. Next does not. */
  readonly readsFiles?: boolean;
  /** Matches the command that starts its development server. Default: any command. */
  readonly program?: RegExp;
  /** The files that may set the port, without extension, and the section in them. */
  readonly config?: { readonly files: readonly string[]; readonly section: string };
}

const viteConfig = { files: ['vite.config'], section: 'server' };
const vite = { port: 5173, readsPort: false, program: /\b(?:vite|react-router)\b/, config: viteConfig };
const port3000 = { port: 3000, readsPort: true };
const server = { ...port3000, readsFiles: true };

/** The supported frameworks in order of detection: a framework precedes the one it is built on. */
export const frameworks: readonly Framework[] = [
  { name: 'next', title: 'Next', dependency: 'next', ...port3000, program: /\bnext\b/ },
  { name: 'sveltekit', title: 'SvelteKit', dependency: '@sveltejs/kit', ...vite },
  {
    name: 'nuxt',
    title: 'Nuxt',
    dependency: 'nuxt',
    ...server,
    program: /\bnux[ti]\b/,
    config: { files: ['nuxt.config'], section: 'devServer' },
  },
  {
    name: 'astro',
    title: 'Astro',
    dependency: 'astro',
    port: 4321,
    readsPort: false,
    program: /\bastro\b/,
    config: { files: ['astro.config'], section: 'server' },
  },
  {
    name: 'tanstack-start',
    title: 'TanStack Start',
    dependency: '@tanstack/react-start',
    ...vite,
    port: 3000,
  },
  { name: 'react-router', title: 'React Router', dependency: '@react-router/dev', ...vite },
  { name: 'fastify', title: 'Fastify', dependency: 'fastify', ...server },
  { name: 'express', title: 'Express', dependency: 'express', ...server },
  { name: 'hono', title: 'Hono', dependency: 'hono', ...server },
  { name: 'react', title: 'React', dependency: 'react', ...vite },
];

/** The fields of a `package.json` that we read. */
export interface Manifest {
  readonly type?: string | undefined;
  readonly main?: string | undefined;
  readonly packageManager?: string | undefined;
  /** Whether the project is the root of a workspace of npm, Yarn or Bun. */
  readonly hasWorkspaces?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Read the `package.json` of a folder. Ignores fields of unexpected types. Returns undefined if the file does not exist.
 *
 * @throws {CommandError} The file does not contain a JSON object.
 */
export function manifestIn(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const { type, main, packageManager, workspaces, scripts, dependencies, devDependencies } = objectIn(file);
  return {
    type: textOf(type),
    main: textOf(main),
    packageManager: textOf(packageManager),
    hasWorkspaces: workspaces !== undefined,
    scripts: textsOf(scripts),
    dependencies: textsOf(dependencies),
    devDependencies: textsOf(devDependencies),
  };
}

function objectIn(file: string): Readonly<Record<string, unknown>> {
  // Some editors on Windows write a byte order mark, which npm accepts.
  const text = readTextFile(file, 'package.json');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`package.json cannot be read. ${(error as Error).message}. Correct it and try again.`);
  }
  if (isObject(value)) return value;
  throw new CommandError('package.json must contain a JSON object. Correct it and try again.');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** Get the version range of a dependency. Returns undefined if the project does not depend on it. */
export const rangeOf = ({ dependencies, devDependencies }: Manifest, name: string): string | undefined =>
  dependencies?.[name] ?? devDependencies?.[name];

/** Detect the framework of a project from its dependencies. */
export const frameworkOf = (manifest: Manifest): Framework | undefined =>
  frameworks.find(({ dependency }) => rangeOf(manifest, dependency) !== undefined);
