import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createBrowserClient } from 'sallyport/browser';
import { accessOf as expressAccessOf, sessionOf as expressSessionOf } from 'sallyport/express';
import { accessOf as fastifyAccessOf, sessionOf as fastifySessionOf } from 'sallyport/fastify';
import { accessOf as honoAccessOf, sessionOf as honoSessionOf } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { SessionProvider, useAccessToken, usePermission, useSession } from 'sallyport/react';
import { createSessions } from 'sallyport/session';
import { inside } from '../../adapters/next-modules.js';
import { app } from '../../browser/app.js';
import { site } from '../../browser/surroundings.js';
import { type Row, redirectUri, type World } from './world.js';

const row = (claim: string, when: string, code: string, provoke: Row['provoke']): Row => ({
  claim,
  when,
  code,
  provoke,
});

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

/** A component that does something while it renders. */
const rendering = (use: () => unknown) =>
  createElement(() => {
    use();
    return null;
  });

export const pageRows = [
  row('useSession SallyportError', 'no provider', 'no_provider', () => renderToString(rendering(() => useSession()))),
  row('useSession SallyportError', 'a sign-in that a server begins', 'no_browser_client', () =>
    renderToString(
      createElement(
        SessionProvider,
        { session: null },
        rendering(() => useSession({ signIn: true })),
      ),
    ),
  ),
  row('usePermission SallyportError', 'no provider', 'no_provider', () =>
    renderToString(rendering(() => usePermission('reports:read'))),
  ),
  row('useAccessToken SallyportError', 'no provider', 'no_provider', () => renderToString(rendering(useAccessToken))),
  row('useAccessToken SallyportError', 'the session of a server', 'no_browser_client', () =>
    renderToString(createElement(SessionProvider, { session: null }, rendering(useAccessToken))),
  ),
  row('createBrowserClient ConfigurationError', 'an API key', 'api_key_in_browser', ({ emulator }) =>
    createBrowserClient({ ...options(emulator.credentials), clientId: 'sk_test_0123456789abcdef', redirectUri }),
  ),
  row('BrowserClient.signIn BrowserError', 'no page', 'not_a_browser', (world) => onServer(world).signIn()),
  row('BrowserClient.signIn InvalidArgumentError', 'two ways to sign in', 'invalid_argument', (world) =>
    inTab(world).signIn({ connectionId: 'conn_1', organizationId: 'org_1' }),
  ),
  row('BrowserClient.signIn ConfigurationError', 'another origin', 'invalid_option', (world) =>
    inTab(world, 'https://other.test/callback').signIn(),
  ),
  row('BrowserClient.finishSignIn BrowserError', 'no page', 'not_a_browser', (world) => onServer(world).finishSignIn()),
  row('BrowserClient.restore BrowserError', 'a service that does not know the client', 'refused', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;
    service.mishaps.push(() => new Response('{"error":"invalid_client"}', { status: 401 }));
    return auth.restore();
  }),
  row('BrowserClient.getAccessToken BrowserError', 'a signed-out user', 'signed_out', (world) =>
    inTab(world).getAccessToken(),
  ),
  row('express.accessOf SallyportError', 'no middleware', 'no_session', () => expressAccessOf({})),
  row('fastify.accessOf SallyportError', 'no hook', 'no_session', () => fastifyAccessOf({} as never)),
  row('hono.accessOf SallyportError', 'no middleware', 'no_session', () => honoAccessOf({ var: {} })),
  row('express.sessionOf SallyportError', 'no middleware', 'no_session', () => expressSessionOf({})),
  // Callers without types may pass a request that no hook or middleware has seen.
  row('fastify.sessionOf SallyportError', 'no hook', 'no_session', () => fastifySessionOf({} as never)),
  row('hono.sessionOf SallyportError', 'no middleware', 'no_session', () =>
    honoSessionOf({ get: () => undefined, var: {} } as never),
  ),
  row('NextSessions.requireSession SallyportError', 'an outage', 'temporarily_unavailable', ({ emulator }) => {
    const sessions = createSessions({ ...emulator.credentials, password: 'correct-horse-battery-staple-0001' });
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
    return inside('page', new Headers(), requireSession);
  }),
];
