// Security: a cookie that neighboring subdomains cannot set, a check of Origin, and return addresses that stay on the site.
//
//   npx tsx examples/security.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions, respond, withSession } from 'sallyport/session';

const emulator = await createEmulator();
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

/** Whether a page of another origin, such as a neighboring subdomain, makes the browser send this request. */
function isForeign({ method, headers }: Request): boolean {
  const origin = headers.get('origin');
  return method !== 'GET' && method !== 'HEAD' && origin !== null && origin !== site;
}

const handle = withSession(sessions, async (request, auth) => {
  if (isForeign(request)) return new Response('Wrong origin', { status: 403 });
  const { pathname, searchParams } = new URL(request.url);
  // The address comes from the query, and startSignIn accepts only paths of this site.
  if (pathname === '/sign-in')
    return respond(await sessions.startSignIn(request, { returnTo: searchParams.get('return_to') }));
  return new Response(auth.session ? `Hello ${auth.session.user.email}` : 'Hello stranger');
});

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
console.log(started.status, new URL(started.headers.get('location') ?? '').origin === emulator.url);

await emulator.close();
