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

/** What is read of a `package.json`. */
export interface Manifest {
  readonly type?: string;
  readonly main?: string;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The `package.json` of a folder; undefined where there is none. @throws {Refusal} It is not JSON. */
export function manifestIn(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Refusal(`package.json cannot be read. ${(error as Error).message}. Correct it and try again.`);
  }
}

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
