// A web application on plain node:http: a public page, an account page, sign-in, sign-out, and switching organizations. When you
// run it, it signs Ada in, lets ten of her requests race for one refresh, and signs her out.
//
//   npx tsx examples/web-app.ts

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { createSessions, respond, type Sessions } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';

type Route = (request: IncomingMessage, query: URLSearchParams) => Promise<Response>;

/** The routes of the application, by method and path. */
export const webApp = (sessions: Sessions, sallyport: Sallyport, home: string): Record<string, Route> => ({
  'GET /': async ({ headers }) => {
    // `read` sends no requests and does not refresh the session. That is enough for a greeting.
    const result = await sessions.read(headers.cookie);
    const user = result.session?.user ?? null;
    return page(
      'Harbour',
      user
        ? `<p>Hello ${escaped(user.firstName ?? user.email)}.</p><p><a href="/account">Your account</a></p>`
        : '<p>Hello stranger.</p><p><a href="/sign-in">Sign in</a></p>',
    );
  },

  'GET /account': async (request) => {
    const auth = await sessions.handle(request);
    if (auth.status === 'retry_later') return later(auth.retryAfterMs);
    if (auth.status === 'signed_out') return startAgain(sessions, request, auth.headers);
    const { user, organizationId } = auth.session;
    const { data } = await sallyport.userManagement.listOrganizationMemberships({ userId: user.id });
    const organizations = await Promise.all(
      data.map((one) => sallyport.organizations.getOrganization(one.organizationId)),
    );
    const current = organizations.find(({ id }) => id === organizationId);
    const others = organizations.filter((one) => one !== current);
    return page(
      'Your account',
      `<p>Signed in as <b>${escaped(user.email)}</b>, organization: <b>${escaped(current?.name ?? 'none')}</b>.</p>
      ${others.map(({ id, name }) => button(`/organization?id=${id}`, `Switch to ${name}`)).join('')}
      ${button('/sign-out', 'Sign out')}
      <p><a href="/">Home</a></p>`,
      { headers: auth.headers },
    );
  },

  // Query parameters are untrusted. startSignIn accepts only a `returnTo` on this site.
  'GET /sign-in': async (request, query) => {
    const organizationId = query.get('organization') ?? undefined;
    const provider = query.get('provider') ?? undefined;
    const selection = organizationId ? { organizationId } : provider ? { provider } : {};
    const returnTo = query.get('return_to') ?? '/account';
    return respond(await sessions.startSignIn(request, { ...selection, returnTo }));
  },

  'GET /callback': async (request, query) => {
    // A code without a state comes from an invitation. Discard it and start a new sign-in: the service already knows the
    // user and redirects back immediately.
    if (query.has('code') && !query.has('state')) return startAgain(sessions, request);
    const result = await sessions.finishSignIn(request);
    if (result.status === 'retry_later') return later(result.retryAfterMs);
    if (result.status !== 'failed') return respond(result);
    const { returnTo } = result;
    const connectionId = result.reason === 'sso_required' ? result.connectionIds[0] : undefined;
    if (result.reason === 'sso_required' && connectionId !== undefined) {
      const { pendingAuthenticationToken } = result;
      return respond(await sessions.startSignIn(request, { connectionId, pendingAuthenticationToken, returnTo }));
    }
    // The hosted sign-in page handles all other steps itself, so offer to try again.
    const why = 'error' in result ? `${result.reason}: ${result.error}` : result.reason;
    const again = `/sign-in?return_to=${encodeURIComponent(returnTo)}`;
    return page(
      'You are not signed in',
      `<p>The sign-in failed (${escaped(why)}).</p><p><a href="${escaped(again)}">Try again</a></p>`,
      { status: 400, headers: result.headers },
    );
  },

  // Use POST: browsers do not send our SameSite cookie with POST requests from other sites.
  'POST /organization': async (request, query) => {
    const result = await sessions.switchOrganization(request, query.get('id') ?? '');
    if (result.status === 'retry_later') return later(result.retryAfterMs);
    if (result.status === 'signed_out') return startAgain(sessions, request, result.headers);
    if (result.status === 'refused')
      return page(
        'You cannot switch',
        `<p>The service refused: ${escaped(result.reason)}.</p><p><a href="/account">Back to your account</a></p>`,
        { status: 403, headers: result.headers },
      );
    result.headers.set('location', '/account');
    return new Response(null, { status: 303, headers: result.headers });
  },

  'POST /sign-out': async (request) => respond(await sessions.signOut(request, { returnTo: home })),
});

/** Start a new sign-in that returns to the account page. Also clears the cookie of an ended session. */
async function startAgain(sessions: Sessions, request: IncomingMessage, headers = new Headers()): Promise<Response> {
  const response = respond(await sessions.startSignIn(request, { returnTo: '/account' }));
  for (const cookie of headers.getSetCookie()) response.headers.append('set-cookie', cookie);
  return response;
}

/** Ask the browser to retry: the session could not be checked, and the user stays signed in. */
const later = (retryAfterMs: number): Response =>
  page('One moment', '<p>Please load this page again.</p>', {
    status: 503,
    headers: new Headers({ 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  });

function page(title: string, body: string, { status = 200, headers = new Headers() } = {}): Response {
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
  // After signing out, the back button must not show the cached page.
  headers.set('cache-control', 'no-store');
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const html = `<!doctype html><html lang="en"><head>${head}</head><body><h1>${title}</h1>${body}</body></html>`;
  return new Response(html, { status, headers });
}

const button = (action: string, label: string): string =>
  `<form method="post" action="${escaped(action)}"><button>${escaped(label)}</button></form>`;

const escaped = (raw: string): string => raw.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Serve the application on a free port. Its users sign in at the emulator, which must be listening. */
export async function serveWebApp(emulator: Emulator): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await emulator.addRedirectUri(`${url}/callback`);
  await emulator.addRedirectUri(`${url}/`);

  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword: 'at least 32 characters, from a vault',
    redirectUri: `${url}/callback`,
    // Only for the example, which moves the emulator's clock.
    now: () => emulator.clock.now(),
  });
  const routes = webApp(sessions, new Sallyport({ ...emulator.credentials }), `${url}/`);
  const answer = async (request: IncomingMessage): Promise<Response> => {
    try {
      const { pathname, searchParams } = new URL(url + request.url);
      const route = routes[`${request.method} ${pathname}`];
      return (
        (await route?.(request, searchParams)) ?? page('Not found', '<p><a href="/">Home</a></p>', { status: 404 })
      );
    } catch (error) {
      console.error(error);
      return page('Something went wrong', '<p>Please try again.</p>', { status: 500 });
    }
  };
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await answer(request);
    response.statusCode = answered.status;
    for (const [name, value] of answered.headers) response.appendHeader(name, value);
    response.end(await answered.text());
  });
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const emulator = await createEmulator({
    dialect: 'workos',
    // Sign in the user of `login_hint` without showing the sign-in page.
    autoApprove: true,
    seed: { users: [{ email: 'ada@example.com', first_name: 'Ada', email_verified: true }] },
  });
  await emulator.listen();
  const { url, close } = await serveWebApp(emulator);
  const ada = new TestBrowser({ loginHint: 'ada@example.com' });
  const seen = async (path: string, method = 'GET'): Promise<string> => {
    const { status, text } = await ada.open(url + path, { method });
    return `${status} ${/<p>(.*?)<\/p>/s.exec(text)?.[1]?.replace(/<.*?>/g, '')}`;
  };

  console.log(await seen('/'));
  console.log(await seen('/account'));
  // Access tokens expire after five minutes.
  await emulator.clock.advance('6m');
  const ten = await Promise.all(Array.from({ length: 10 }, () => seen('/account')));
  const signedIn = ten.filter((line) => line.startsWith('200 Signed in'));
  const refreshes = emulator.served.get('userManagement.authenticateWithRefreshToken');
  console.log(`${signedIn.length} of 10 signed in, refreshes: ${refreshes}`);
  console.log(await seen('/sign-out', 'POST'));

  await close();
  await emulator.close();
}
