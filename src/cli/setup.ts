import { Refusal } from './refusal.js';
import { astro, next, nuxt, reactRouter, sveltekit, tanstackStart } from './setup-pages.js';
import { express, fastify, hono } from './setup-servers.js';
import type { Project, Setup } from './wiring.js';

const setups: Readonly<Record<string, (project: Project) => Setup>> = {
  next,
  sveltekit,
  nuxt,
  astro,
  'tanstack-start': tanstackStart,
  'react-router': reactRouter,
  fastify,
  express,
  hono,
};

/** The files and the start command for a project. @throws {Refusal} init has no files for its framework. */
export function setupOf(project: Project): Setup {
  const setup = setups[project.framework.name];
  if (setup) return setup(project);
  throw new Refusal(
    "This is a React app without a server, and init has no files for it. Create a client with createBrowserClient({ baseUrl, clientId, redirectUri: '/callback' }) from sallyport/browser, and wrap your app in <SessionProvider client={client}> from sallyport/react. See docs/frameworks.md#react in the package.",
  );
}
