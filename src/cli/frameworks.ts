import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.js';

/** A framework that an application is written with. */
export interface Framework {
  /** The folder of its application in `examples/frameworks`. */
  readonly name: string;
  /** What its people call it. */
  readonly title: string;
  /** The package by which it is recognised. */
  readonly dependency: string;
  /** Where it listens while somebody develops. */
  readonly port: number;
  /** Whether it listens at `PORT` where that is set. */
  readonly readsPort: boolean;
}

const onVite = { port: 5173, readsPort: false };
const onPort = { port: 3000, readsPort: true };

/** What is recognised; what another one is built on comes behind it. */
export const frameworks: readonly Framework[] = [
  { name: 'next', title: 'Next', dependency: 'next', ...onPort },
  { name: 'sveltekit', title: 'SvelteKit', dependency: '@sveltejs/kit', ...onVite },
  { name: 'nuxt', title: 'Nuxt', dependency: 'nuxt', ...onPort },
  { name: 'astro', title: 'Astro', dependency: 'astro', port: 4321, readsPort: false },
  {
    name: 'tanstack-start',
    title: 'TanStack Start',
    dependency: '@tanstack/react-start',
    port: 3000,
    readsPort: false,
  },
  { name: 'react-router', title: 'React Router', dependency: '@react-router/dev', ...onVite },
  { name: 'fastify', title: 'Fastify', dependency: 'fastify', ...onPort },
  { name: 'express', title: 'Express', dependency: 'express', ...onPort },
  { name: 'hono', title: 'Hono', dependency: 'hono', ...onPort },
  { name: 'react', title: 'React', dependency: 'react', ...onVite },
];

/** The fields of a `package.json` that we read. */
export interface Manifest {
  readonly type?: string | undefined;
  readonly main?: string | undefined;
  readonly packageManager?: string | undefined;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Read the `package.json` of a folder. A field of an unexpected type counts as absent. Returns undefined if there is no such
 * file.
 *
 * @throws {Refusal} The file does not hold a JSON object.
 */
export function manifestIn(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const { type, main, packageManager, scripts, dependencies, devDependencies } = objectIn(file);
  return {
    type: textOf(type),
    main: textOf(main),
    packageManager: textOf(packageManager),
    scripts: textsOf(scripts),
    dependencies: textsOf(dependencies),
    devDependencies: textsOf(devDependencies),
  };
}

function objectIn(file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    // Some editors on Windows write a byte order mark, which npm accepts.
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Refusal(`package.json cannot be read. ${(error as Error).message}. Correct it and try again.`);
  }
  if (isObject(value)) return value;
  throw new Refusal('package.json must hold a JSON object. Correct it and try again.');
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

/** The version or range of a package that a project depends on. */
export const rangeOf = ({ dependencies, devDependencies }: Manifest, name: string): string | undefined =>
  dependencies?.[name] ?? devDependencies?.[name];

/** The first number of a version or range; undefined where none is in it, as in `latest`. */
export const majorOf = (range: string | undefined): number | undefined => {
  const [number] = range?.match(/\d+/) ?? [];
  return number === undefined ? undefined : Number(number);
};

/** The framework of a project, by what it depends on. */
export const frameworkOf = (manifest: Manifest): Framework | undefined =>
  frameworks.find(({ dependency }) => rangeOf(manifest, dependency) !== undefined);
