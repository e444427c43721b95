// Security: a cookie that neighboring subdomains cannot set, a defense against forms of other origins, and return addresses that stay on the site.
//
//   npx tsx examples/security.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import {
  createSessions,
  createTokenVerifier,
  type HandleResult,
  requireSession,
  respond,
  withSession,
} from 'sallyport/session';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const site = 'https://app.example.com';
await emulator.addRedirectUri(`${site}/callback`);

const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: `${site}/callback`,
  cookie: { name: '__Host-session' },
  issuer: `${emulator.url}/user_management/${emulator.credentials.clientId}`,
  onProblem: ({ message }) => console.error(message),
});

const pages = async (request: Request, auth: HandleResult): Promise<Response> => {
  const { pathname, searchParams } = new URL(request.url);
  // The address comes from the query, and startSignIn accepts only paths of this site.
  if (pathname === '/sign-in')
    return respond(await sessions.startSignIn(request, { returnTo: searchParams.get('return_to') }));
  return new Response(auth.session ? `Hello ${auth.session.user.email}` : 'Hello stranger');
};
// Refuses requests that pages of other origins send with the cookie, such as those of a neighboring subdomain.
const application = withSession(sessions, pages, { csrf: true });

/** A single-page application on another origin, which sends access tokens. */
const spa = 'https://spa.example.com';
const cors = {
  'access-control-allow-origin': spa,
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  vary: 'Origin',
};

// Its requests must have an access token. A verifier does not look at cookies.
const { clientId, baseUrl, dialect } = emulator.credentials;
const tokens = createTokenVerifier({ clientId, baseUrl, dialect, fetch: emulator.fetch });
const api = requireSession(tokens, (_, { userId }) => Response.json({ userId }));

async function handle(request: Request): Promise<Response> {
  const isSpa = request.headers.get('origin') === spa;
  // A preflight has neither cookie nor token: answer it before the session is checked.
  if (isSpa && request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors });
  const response = await (isSpa ? api : application)(request);
  if (isSpa) for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
  return response;
}

const credentials = { email: 'ada@acme.test', password: 'analytical-engine' };
await sallyport.userManagement.createUser({ ...credentials, emailVerified: true });
const [line = ''] = await sessions.create(await sallyport.userManagement.authenticateWithPassword(credentials));
console.log(line.replace(/=[^;]*/, '=…'));

const cookie = line.split(';')[0] ?? '';
const request = (path: string, init: RequestInit = {}) =>
  handle(new Request(site + path, { ...init, headers: { cookie, ...init.headers } }));
console.log(await (await request('/')).text());
console.log((await request('/', { method: 'POST', headers: { origin: site } })).status, 'from this site');
const neighbor = 'https://blog.example.com';
console.log((await request('/', { method: 'POST', headers: { origin: neighbor } })).status, 'from a neighbor');
const started = await request('/sign-in?return_to=https://evil.example');
console.log((await request('/', { method: 'OPTIONS', headers: { origin: spa } })).status, 'for a preflight');
console.log(started.status, new URL(started.headers.get('location') ?? '').origin === emulator.url);

await emulator.close();
