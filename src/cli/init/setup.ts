import { CommandError } from '../command-error.js';
import { astro, next, nuxt, reactRouter, sveltekit, tanstackStart } from './setup-pages.js';
import { hono, serverOf } from './setup-servers.js';
import type { Project, Setup } from './wiring.js';

const setups: Readonly<Record<string, (project: Project) => Setup>> = {
  next,
  sveltekit,
  nuxt,
  astro,
  'tanstack-start': tanstackStart,
  'react-router': reactRouter,
  fastify: serverOf,
  express: serverOf,
  hono,
};

/** Choose the files and the start command for a project. @throws {CommandError} init does not support its framework. */
export function setupOf(project: Project): Setup {
  const setup = setups[project.framework.name];
  if (setup) return setup(project);
  throw new CommandError(
    "init does not support React apps without a server. Create a client with createBrowserClient({ baseUrl, clientId, redirectUri: '/callback' }) from sallyport/browser, and wrap your app in <SessionProvider client={client}> from sallyport/react. See docs/frameworks/react.md in the package.",
  );
}
