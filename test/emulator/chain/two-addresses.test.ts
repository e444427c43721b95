import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';
import { afterEach, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { Browser } from '../hosted/hosted-browser.js';

// An emulator in a container: applications in its network call it by one address, browsers outside by another, which leads
// there through a published port. The loopback's two names stand for the two.

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const portOf = async (server: Server, host: string): Promise<number> => {
  server.listen(0, host);
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** A `fetch` that goes to one origin alone, and notes where it went. */
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
  // A published port: bytes as they are, the Host header too.
  const published = createServer((socket) => {
    const inside = connect(innerPort, '127.0.0.1');
    socket.pipe(inside).pipe(socket);
    for (const one of [socket, inside]) one.on('error', () => [socket, inside].map((each) => each.destroy()));
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
  /** What an application in the network has in place of `fetch`: the address that browsers know, by the way inside. */
  const inside: typeof fetch = (input, init) =>
    toInner(String(input instanceof Request ? input.url : input).replace(outer, inner), init);
  const credentials = { apiKey: emulator.credentials.apiKey, clientId: emulator.credentials.clientId, baseUrl: outer };
  const pages: string[] = [];
  // A browser needs no more of an emulator.
  const browser = new Browser({ url: outer, fetch: only(outer, pages) } as Emulator);
  const sallyport = new Sallyport({ ...credentials, fetch: inside });
  const sessions = createSessions({
    ...credentials,
    fetch: inside,
    // The keys that check it come by the inner address.
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

test('an application signs people in by the inner address, and browsers see nothing but the outer one', async () => {
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

test('links to the portal and in mail begin with the outer address, and open there', async () => {
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

test('a webhook goes to an address of the network', async () => {
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

test('an application that has only the inner address makes links which browsers cannot open', async () => {
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
