import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.js';

/** A framework that an application is written with. */
export interface Framework {
  /** The folder of its example. */
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

/** What is recognised; what another one is built on comes behind it. */
export const frameworks: readonly Framework[] = [
  { name: 'next', title: 'Next', dependency: 'next', port: 3000, readsPort: true },
  { name: 'sveltekit', title: 'SvelteKit', dependency: '@sveltejs/kit', port: 5173, readsPort: false },
  { name: 'nuxt', title: 'Nuxt', dependency: 'nuxt', port: 3000, readsPort: true },
  { name: 'astro', title: 'Astro', dependency: 'astro', port: 4321, readsPort: false },
  {
    name: 'tanstack-start',
    title: 'TanStack Start',
    dependency: '@tanstack/react-start',
    port: 3000,
    readsPort: false,
  },
  { name: 'react-router', title: 'React Router', dependency: '@react-router/dev', port: 5173, readsPort: false },
  { name: 'fastify', title: 'Fastify', dependency: 'fastify', port: 3000, readsPort: true },
  { name: 'express', title: 'Express', dependency: 'express', port: 3000, readsPort: true },
  { name: 'hono', title: 'Hono', dependency: 'hono', port: 3000, readsPort: true },
  { name: 'react', title: 'React', dependency: 'react', port: 5173, readsPort: false },
];

/** What is read of a `package.json`. */
export interface Project {
  readonly type?: string;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The `package.json` of a folder; undefined where there is none. @throws {Refusal} It is not JSON. */
export function projectIn(folder: string): Project | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Refusal(`package.json cannot be read. ${(error as Error).message}. Correct it and try again.`);
  }
}

/** The version or range of a package that a project depends on. */
export const rangeOf = ({ dependencies, devDependencies }: Project, name: string): string | undefined =>
  dependencies?.[name] ?? devDependencies?.[name];

/** The framework of a project, by what it depends on. */
export const frameworkOf = (project: Project): Framework | undefined =>
  frameworks.find(({ dependency }) => rangeOf(project, dependency) !== undefined);
