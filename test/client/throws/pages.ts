import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { callerOf as expressAccessOf, sessionOf as expressSessionOf } from 'sallyport/express';
import { callerOf as fastifyAccessOf, sessionOf as fastifySessionOf } from 'sallyport/fastify';
import { callerOf as honoAccessOf, sessionOf as honoSessionOf } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { SessionProvider, useAccessToken, usePermission, useSession } from 'sallyport/react';
import { createSessions } from 'sallyport/session';
import { callInNext } from '../../adapters/next-modules.js';
import { app } from '../../browser/app.js';
import { createBrowserClient } from '../../browser/client.js';
import { site } from '../../browser/surroundings.js';
import { redirectUri, rowsOf, type World } from './world.js';

/** A browser client in a process that is not a browser. */
const onServer = ({ emulator: { credentials } }: World) =>
  createBrowserClient({ ...options(credentials), redirectUri });

const options = ({ clientId, baseUrl }: { readonly clientId: string; readonly baseUrl: string }) => ({
  clientId,
  baseUrl,
});

/** A browser client in a tab of the application. */
function inTab({ emulator }: World, comesBackTo = redirectUri) {
  const { tab } = site({ fetch: emulator.fetch, now: () => emulator.clock.now() });
  const { environment } = tab('http://localhost:3000/');
  return createBrowserClient({ ...options(emulator.credentials), redirectUri: comesBackTo, environment });
}

/** A component that calls a function while it renders. */
const rendering = (use: () => unknown) =>
  createElement(() => {
    use();
    return null;
  });

export const pageRows = [
  ...rowsOf('', {
    'useSession SallyportError no_provider': () => renderToString(rendering(() => useSession())),
    'useSession SallyportError no_browser_client': () =>
      renderToString(
        createElement(
          SessionProvider,
          { session: null },
          rendering(() => useSession({ signIn: true })),
        ),
      ),
    'usePermission SallyportError no_provider': () => renderToString(rendering(() => usePermission('reports:read'))),
    'useAccessToken SallyportError no_provider': () => renderToString(rendering(useAccessToken)),
    'useAccessToken SallyportError no_access_token_route': () =>
      renderToString(createElement(SessionProvider, { session: null }, rendering(useAccessToken))),
    'createBrowserClient ConfigurationError api_key_in_browser': ({ emulator }) =>
      createBrowserClient({ ...options(emulator.credentials), clientId: 'sk_test_0123456789abcdef', redirectUri }),
    'BrowserClient.signIn BrowserError not_a_browser': (world) => onServer(world).signIn(),
    'BrowserClient.signIn InvalidArgumentError invalid_argument': (world) =>
      inTab(world).signIn({ connectionId: 'conn_1', organizationId: 'org_1' }),
    'BrowserClient.signIn ConfigurationError invalid_option': (world) =>
      inTab(world, 'https://other.test/callback').signIn(),
    'BrowserClient.finishSignIn BrowserError not_a_browser': (world) => onServer(world).finishSignIn(),
    'BrowserClient.restore BrowserError refused': async () => {
      const { signedIn, service } = app();
      const { auth } = await signedIn();
      service.time += 300_000;
      service.mishaps.push(() => new Response('{"error":"invalid_client"}', { status: 401 }));
      return auth.restore();
    },
    'BrowserClient.getAccessToken BrowserError signed_out': (world) => inTab(world).getAccessToken(),
    'express.callerOf SallyportError no_session': () => expressAccessOf({}),
    'fastify.callerOf SallyportError no_session': () => fastifyAccessOf({} as never),
    'hono.callerOf SallyportError no_session': () => honoAccessOf({ var: {} }),
    'express.sessionOf SallyportError no_session': () => expressSessionOf({}),
    // Callers without types may pass a request that no hook or middleware has seen.
    'fastify.sessionOf SallyportError no_session': () => fastifySessionOf({} as never),
    'hono.sessionOf SallyportError no_session': () => honoSessionOf({ get: () => undefined, var: {} } as never),
    'NextSessions.requireSession SallyportError temporarily_unavailable': ({ emulator }) => {
      const sessions = createSessions({ ...emulator.credentials, cookiePassword: 'correct-horse-battery-staple-0001' });
      const { requireSession } = nextSessions({
        ...sessions,
        handle: async () => ({
          status: 'retry_later',
          session: null,
          reason: 'timeout',
          retryAfterMs: 1_000,
          cause: undefined,
          headers: new Headers(),
        }),
      });
      return callInNext('page', new Headers(), requireSession);
    },
    'NextSessions.requireSession InvalidArgumentError invalid_argument': ({ emulator }) => {
      const { credentials } = emulator;
      const sessions = createSessions({ ...credentials, cookiePassword: 'correct-horse-battery-staple-0001' });
      return callInNext('page', new Headers(), () => nextSessions(sessions).requireSession({ maxAgeMs: Number.NaN }));
    },
  }),
];
