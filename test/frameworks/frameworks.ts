import { inNext15, ofNext } from './next-files.js';
import { alias, protectedFiles } from './protected-files.js';
import { filesOfWorker } from './worker.js';

/** A URL that a router rewrites. */
export interface Rewrite {
  readonly from: string;
  /** The protected path of its page or API route. */
  readonly to: string;
  /** Whether the middleware sees it; otherwise only `protect: ['/']` protects it. */
  readonly isSeen: boolean;
}

/** A framework with an application that a test file of this folder drives. */
export interface Framework {
  /** Its name in README and docs/frameworks. */
  readonly name: string;
  /** Folder of the application in examples/frameworks. */
  readonly folder: string;
  /** Folder of its packages in `installed`; default: `folder`. */
  readonly installed?: string;
  /** The package whose version is the version of the framework. */
  readonly package: string;
  /** The runtime of its scripts, under the name `node`. */
  readonly runtime: 'node20' | 'node22' | 'node24';
  /** Other programs that they need. */
  readonly programs?: readonly string[];
  /** Names of its scripts; default: `build`, which may be missing, and `start`. */
  readonly scripts?: { readonly build?: string; readonly start?: string };
  /** Which assertions run: all, those whose outcome depends on the framework, or those of a page without a server. */
  readonly suite: 'full' | 'short' | 'single-page';
  /**
   * For frameworks without our own entry point: the files that use our functions and are not pages, such as modules, hooks, routes
   * and configuration. A test counts their lines. In a type declaration file of the framework's template, it counts only the lines that
   * use our types.
   */
  readonly glue?: readonly string[];
  /** Command that checks the types of the application in its folder, if it is written in TypeScript. */
  readonly typecheck?: string;
  /** Files that replace or extend those of the example; null omits one. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Base path of the application, with a slash at the end; default: the root of the site. */
  readonly basePath?: string;
  /** URLs that its router rewrites, so that they show another page. */
  readonly rewrites?: readonly Rewrite[];
  /** Paths that it answers with 404 before it calls the middleware. No page can have one. */
  readonly answersItself?: RegExp;
  /** Whether its rules can depend on an environment variable; default true. */
  readonly hasVariables?: boolean;
  /** Titles of omitted assertions, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
}

/** All frameworks, in the order of README. */
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

/** The needs of an application, for `requires`. */
export const needsOf = ({ folder, installed = folder, runtime, programs = [] }: Framework): string[] => [
  'chromium-headless-shell',
  runtime,
  ...programs,
  `test/frameworks/installed/${installed}/node_modules`,
];
