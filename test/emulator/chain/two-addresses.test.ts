import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';
import { afterEach, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { Browser } from '../hosted/hosted-browser.js';

// An emulator in a container: applications in its network call it by one address, browsers outside by another, through a
// published port. The two names of the loopback address play these roles.

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const portOf = async (server: Server, host: string): Promise<number> => {
  server.listen(0, host);
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** A `fetch` that accepts only one origin, and records the paths. */
const only = (origin: string, seen: string[]): typeof fetch => {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new TypeError(`fetch failed: nobody knows ${url.origin} here`);
    seen.push(url.pathname);
    return fetch(input, init);
  };
};

async function network() {
  let innerPort = 0;
  // A published port forwards all bytes, including the Host header.
  const published = createServer((socket) => {
    const upstream = connect(innerPort, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const one of [socket, upstream]) one.on('error', () => [socket, upstream].map((each) => each.destroy()));
  });
  const outer = `http://localhost:${await portOf(published, 'localhost')}`;
  const emulator = await createEmulator({
    publicUrl: outer,
    seed: {
      organizations: [{ id: 'org_acme', name: 'Acme' }],
      users: [{ email: 'ada@acme.test', password: 'a quiet harbour', email_verified: true }],
    },
  });
  closing.push(() => emulator.close());
  const inner = await emulator.listen(0, '127.0.0.1');
  innerPort = Number(new URL(inner).port);

  const calls: string[] = [];
  const toInner = only(inner, calls);
  /** The `fetch` of an application in the network: it replaces the public address with the inner one. */
  const fetchFromNetwork: typeof fetch = (input, init) =>
    toInner(String(input instanceof Request ? input.url : input).replace(outer, inner), init);
  const credentials = { apiKey: emulator.credentials.apiKey, clientId: emulator.credentials.clientId, baseUrl: outer };
  const pages: string[] = [];
  // The browser uses only these two members of an emulator.
  const browser = new Browser({ url: outer, fetch: only(outer, pages) } as Emulator);
  const sallyport = new Sallyport({ ...credentials, fetch: fetchFromNetwork });
  const sessions = createSessions({
    ...credentials,
    fetch: fetchFromNetwork,
    // The application fetches the signing keys from the inner address.
    issuer: `${outer}/user_management/client_sallyport_emulator`,
    cookiePassword: 'a password of thirty-two characters',
    redirectUri: 'http://localhost:3000/callback',
  });
  return { emulator, inner, outer, browser, sallyport, sessions, calls, pages };
}

const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

test('an application signs users in through the internal URL, and browsers see only the public URL', async () => {
  const { browser, sessions, outer, calls, pages } = await network();

  const start = await sessions.startSignIn(new Request('http://localhost:3000/sign-in'));
  if (start.status !== 'redirect') throw new Error(start.status);
  await browser.open(start.location);
  await browser.press('Continue', { email: 'ada@acme.test' });
  await browser.press('Sign in', { password: 'a quiet harbour' });
  const back = await sessions.finishSignIn(
    new Request(browser.left!, { headers: { cookie: cookiesOf(start.headers) } }),
  );
  const request = new Request('http://localhost:3000/', { headers: { cookie: cookiesOf(back.headers) } });
  const { session } = await sessions.handle(request);
  const out = await sessions.signOut(request);
  await browser.open(out.location);

  expect(start.location.startsWith(`${outer}/user_management/authorize?`)).toBe(true);
  expect(session?.user.email).toBe('ada@acme.test');
  expect(calls).toEqual([
    '/user_management/authenticate',
    '/sso/jwks/client_sallyport_emulator',
    '/user_management/sessions/logout',
  ]);
  expect(out.location.startsWith(`${outer}/user_management/sessions/logout?`)).toBe(true);
  expect(browser.title).toBe('You have signed out');
  expect(pages).toContain('/hosted/sign-in');
});

test('Admin Portal links and emailed links use the public URL', async () => {
  const { emulator, browser, sallyport, outer } = await network();

  const { link } = await sallyport.portal.generateLink({ organization: 'org_acme', intent: 'sso' });
  await sallyport.userManagement.sendInvitation({ email: 'grace@acme.test' });
  const mail = emulator.inbox.latest('grace@acme.test');

  await browser.open(link);
  expect([browser.status, browser.url.startsWith(outer)]).toEqual([200, true]);
  await browser.open(mail!.url!);
  expect([browser.title, browser.url.startsWith(outer)]).toEqual(['You have been invited', true]);
  expect(emulator.url).toBe(outer);
});

test('a webhook can be delivered to an address on the internal network', async () => {
  const { sallyport } = await network();
  const bodies: string[] = [];
  const application = createHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.end();
    application.emit('delivery');
  });
  const endpointUrl = `http://127.0.0.1:${await portOf(application, '127.0.0.1')}/webhooks`;
  await sallyport.webhooks.createWebhookEndpoint({ endpointUrl, events: ['organization.created'] });

  const delivery = once(application, 'delivery');
  await sallyport.organizations.createOrganization({ name: 'Tailspin' });
  await delivery;

  expect(JSON.parse(bodies[0]!)).toMatchObject({ event: 'organization.created', data: { name: 'Tailspin' } });
});

test('an application that knows only the internal URL creates links that browsers cannot open', async () => {
  const { browser, inner, emulator } = await network();
  const sallyport = new Sallyport({ ...emulator.credentials, baseUrl: inner });

  const location = sallyport.userManagement.getAuthorizationUrl({
    provider: 'hosted-login',
    redirectUri: 'http://localhost:3000/callback',
    state: 'back to work',
  });
  await browser.open(location);

  expect(location.startsWith(inner)).toBe(true);
  expect(browser.left?.origin).toBe(inner);
});
