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

/** What a project needs. @throws {Refusal} Its framework is not one of those whose files are copied. */
export function setupOf(project: Project): Setup {
  const setup = setups[project.framework.name];
  if (setup) return setup(project);
  throw new Refusal(
    "This is a page on React without a server, which has no cookie and no file that is the same everywhere. Make a client with createBrowserClient({ baseUrl, clientId, redirectUri: '/callback' }) of sallyport/browser, and put <SessionProvider client={client}> of sallyport/react around your application; docs/frameworks.md#react of the package shows the files.",
  );
}
