import { inNext15, ofNext } from './next-files.js';
import { alias, protectedFiles } from './protected-files.js';
import { filesOfWorker } from './worker.js';

/** An address that a router rewrites. */
export interface Rewrite {
  readonly from: string;
  /** The protected path whose page or API route is there. */
  readonly to: string;
  /** Whether the middleware sees it: if not, only `protect: ['/']` protects the address. */
  readonly isSeen: boolean;
}

/** A framework whose application is driven by a test file of this folder. */
export interface Framework {
  /** What README and docs/frameworks call it. */
  readonly name: string;
  /** Folder of the application in examples/frameworks. */
  readonly folder: string;
  /** Folder of its packages in `installed`; default: `folder`. */
  readonly installed?: string;
  /** The package whose version is that of the framework. */
  readonly package: string;
  /** What its scripts run on, under the name `node`. */
  readonly runtime: 'node20' | 'node22' | 'node24';
  /** Programs that they need besides. */
  readonly programs?: readonly string[];
  /** Names of its scripts; default: `build`, which may be missing, and `start`. */
  readonly scripts?: { readonly build?: string; readonly start?: string };
  /** Whether all assertions are made, those whose outcome depends on the framework, or those of a page without a server. */
  readonly suite: 'full' | 'short' | 'single-page';
  /**
   * For frameworks without our own entry point: the files that name our functions and are not pages, such as modules, hooks, routes
   * and configuration. A test counts their lines. In a type declaration file of the framework's template, it counts only the lines that
   * name our types.
   */
  readonly glue?: readonly string[];
  /** Command that checks the application's types, run in its folder, where it is written in TypeScript. */
  readonly typecheck?: string;
  /** Files that replace those of the example here, or are added to them; null leaves one out. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Path below which the application is, with a slash at the end; default: the root of the site. */
  readonly basePath?: string;
  /** Addresses that its router rewrites, so that they show another page. */
  readonly rewrites?: readonly Rewrite[];
  /** Addresses that it answers with 404 before it calls the middleware. No page can have one. */
  readonly answersItself?: RegExp;
  /** Whether its rules can depend on a variable of the process; default true. */
  readonly hasVariables?: boolean;
  /** Titles of assertions that are not made, and why. */
  readonly without?: Readonly<Record<string, string>>;
}

/** All of them, in the order of README. */
export const frameworks = {
  next: {
    name: 'Next',
    folder: 'next',
    package: 'next',
    runtime: 'node22',
    suite: 'full',
    files: { ...protectedFiles.next, ...ofNext },
    rewrites: [{ from: alias, to: '/private', isSeen: false }],
  },
  'next-15': {
    name: 'Next 15',
    folder: 'next',
    installed: 'next-15',
    package: 'next',
    runtime: 'node22',
    suite: 'short',
    files: { ...protectedFiles.next, ...ofNext, ...inNext15 },
    rewrites: [{ from: alias, to: '/private', isSeen: false }],
  },
  express: {
    name: 'Express',
    folder: 'express',
    package: 'express',
    runtime: 'node20',
    suite: 'full',
    files: protectedFiles.express,
  },
  fastify: {
    name: 'Fastify',
    folder: 'fastify',
    package: 'fastify',
    runtime: 'node20',
    suite: 'short',
    files: protectedFiles.fastify,
  },
  hono: {
    name: 'Hono',
    folder: 'hono',
    package: 'hono',
    runtime: 'node20',
    suite: 'short',
    files: protectedFiles.hono,
  },
  honoOnWorkerd: {
    name: 'Hono on workerd',
    folder: 'hono',
    package: 'hono',
    runtime: 'node20',
    programs: ['workerd'],
    suite: 'short',
    files: { ...protectedFiles.hono, ...filesOfWorker },
    hasVariables: false,
  },
  sveltekit: {
    name: 'SvelteKit',
    folder: 'sveltekit',
    package: '@sveltejs/kit',
    runtime: 'node22',
    suite: 'full',
    files: protectedFiles.sveltekit,
    rewrites: [
      { from: '/de/private', to: '/private', isSeen: true },
      { from: '/de/private/42', to: '/private', isSeen: true },
      { from: '/de/private/__data.json', to: '/private', isSeen: true },
      { from: '/de/papi', to: '/papi', isSeen: true },
      { from: '/en/strict', to: '/strict', isSeen: true },
    ],
    answersItself: /^\/(?:(?:de|en)\/)?_app/,
    glue: ['src/hooks.server.ts', 'src/lib/server/sessions.ts', 'src/app.d.ts'],
    typecheck: 'svelte-kit sync && svelte-check',
  },
  nuxt: {
    name: 'Nuxt',
    folder: 'nuxt',
    package: 'nuxt',
    runtime: 'node22',
    suite: 'short',
    files: protectedFiles.nuxt,
    rewrites: [{ from: alias, to: '/private', isSeen: false }],
    glue: ['server/middleware/session.ts'],
    typecheck: 'vue-tsc -b --noEmit',
  },
  astro: {
    name: 'Astro',
    folder: 'astro',
    package: 'astro',
    runtime: 'node22',
    suite: 'short',
    files: protectedFiles.astro,
    rewrites: [
      { from: '/de/private', to: '/private', isSeen: true },
      { from: '/de/private/42', to: '/private', isSeen: true },
      { from: '/de/papi', to: '/papi', isSeen: true },
      { from: '/de/strict', to: '/strict', isSeen: true },
      { from: alias, to: '/private', isSeen: true },
    ],
    glue: ['src/middleware.ts', 'src/env.d.ts'],
    typecheck: 'astro check',
  },
  reactRouter: {
    name: 'React Router',
    folder: 'react-router',
    package: 'react-router',
    runtime: 'node22',
    suite: 'short',
    files: protectedFiles.reactRouter,
    glue: ['app/session.server.ts', 'app/routes/not-found.ts'],
    typecheck: 'react-router typegen && tsc',
  },
  tanstackStart: {
    name: 'TanStack Start',
    folder: 'tanstack-start',
    package: '@tanstack/react-start',
    runtime: 'node22',
    suite: 'short',
    files: protectedFiles.tanstackStart,
    rewrites: [{ from: alias, to: '/papi', isSeen: true }],
    glue: ['src/sessions.ts', 'src/server.ts'],
    typecheck: 'tsc',
  },
  react: { name: 'React', folder: 'react', package: 'react', runtime: 'node22', suite: 'single-page' },
} as const satisfies Readonly<Record<string, Framework>>;

/** What driving an application needs, for `requires`. */
export const needsOf = ({ folder, installed = folder, runtime, programs = [] }: Framework): string[] => [
  'chromium-headless-shell',
  runtime,
  ...programs,
  `test/frameworks/installed/${installed}/node_modules`,
];
