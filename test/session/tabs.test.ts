import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duration } from 'sallyport/emulator';
import { expressSession } from 'sallyport/express';
import type { HandleResult, Sessions } from 'sallyport/session';
import { afterEach, describe, expect, test } from 'vitest';
import { passwordRing } from '../../src/crypto/seal.js';
import { cookieSettings } from '../../src/session/cookie/cookies.js';
import { sealedFrom, sessionCookies } from '../../src/session/cookie/sealed-session.js';
import { type Application, application, callback } from './application.js';
import { Jar } from './jar.js';
import { ada, password } from './signed-in.js';

// A server of Node with its default limit of 16 KB of headers, and requests with the headers of Chrome.
const chrome = {
  host: 'localhost:3000',
  connection: 'keep-alive',
  'cache-control': 'max-age=0',
  'sec-ch-ua': '"Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
  'upgrade-insecure-requests': '1',
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
  referer: 'http://localhost:3000/account/reports',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-US,en;q=0.9,de;q=0.8',
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Opened {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

/** Serves an application, and opens its pages in a browser. */
async function serveApplication(sessions: Sessions) {
  const run = expressSession(sessions, { protect: ['/'], open: ['/'], routes: true });
  const server = createServer((req, res) => {
    const incoming = req as typeof req & { auth?: HandleResult };
    run(incoming, res, () => res.end(incoming.auth?.session?.user.email ?? 'visitor'));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return (path: string, jar: Jar, method = 'GET'): Promise<Opened> =>
    new Promise((resolve, reject) => {
      const headers = { ...chrome, cookie: jar.headerFor(path) };
      const sent = request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
        const { 'set-cookie': cookies = [], location = '' } = response.headers;
        jar.keep(cookies);
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, location, text }));
      });
      sent.on('error', reject).end();
    });
}

/** Sign the user in at the service. The user then returns to this path. */
async function approved({ approve }: Application, location: string): Promise<string> {
  const { pathname, search } = new URL(await approve(`${location}&login_hint=${ada.email}`));
  return pathname + search;
}

describe('twenty signed-out tabs that are opened at once', () => {
  test.each([
    ['sallyport-session', '/callback'],
    ['__Host-session', '/'],
  ])('can all sign in and return to their pages (cookie name %s)', async (name) => {
    const app = await application({}, { cookie: { name } });
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const pages = Array.from({ length: 20 }, (_, tab) => `/reports/${tab}?columns=name,amount&sort=amount`);

    const started = await Promise.all(pages.map((page) => open(page, jar)));
    const flows = jar.flows.length;
    const [home, signOut] = [await open('/', jar), await open('/sign-out', jar, 'POST')];
    const returned: Opened[] = [];
    for (const { location } of started) returned.push(await open(await approved(app, location), jar));

    expect(started.map(({ status }) => status)).toEqual(pages.map(() => 302));
    expect(flows).toBe(20);
    expect([home.status, home.text, signOut.status]).toEqual([200, 'visitor', 302]);
    expect(returned.map(({ status, location }) => [status, location])).toEqual(pages.map((page) => [302, page]));
    expect(await open(pages[19]!, jar)).toMatchObject({ status: 200, text: ada.email });
    expect(jar.flows.length).toBeLessThanOrEqual(5);
  });

  test('can all return to their pages (SameSite=Strict session cookie)', async () => {
    const app = await application({}, { cookie: { sameSite: 'strict' } });
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const withoutSession = (from: Jar) => {
      const crossSite = from.copy();
      crossSite.keep(from.names.filter((name) => !from.flows.includes(name)).map((name) => `${name}=; Max-Age=0`));
      return crossSite;
    };
    const pages = Array.from({ length: 20 }, (_, tab) => `/reports/${tab}`);
    const started = await Promise.all(pages.map((page) => open(page, jar)));
    const returned: string[] = [];
    for (let { location } of started)
      for (let turn = 0; turn < 2; turn++) {
        const browser = withoutSession(jar);
        const back = await open(await approved(app, location), browser);
        for (const name of jar.flows)
          if (!browser.names.includes(name)) jar.keep([`${name}=; Max-Age=0; Path=/callback`]);
        jar.adopt(browser);
        if (back.status === 200) returned.push(/url=([^"]+)"/.exec(back.text)?.[1] ?? '');
        if (back.status === 200) break;
        location = back.location;
      }

    expect(returned).toEqual(pages);
  });

  test('send their pending sign-in cookies only to the callback', async () => {
    const { sessions } = await application();
    const open = await serveApplication(sessions);
    const jar = new Jar();

    await open('/account', jar);

    expect(jar.flows).toHaveLength(1);
    expect([jar.headerFor('/account'), jar.headerFor('/sign-out'), jar.headerFor('/callbacks')]).toEqual(['', '', '']);
    expect(jar.headerFor('/callback?code=1')).toMatch(/^sallyport-session-flow-/);
    expect(jar.headerFor('/callback/?code=1')).toMatch(/^sallyport-session-flow-/);
  });
});

describe('the largest session', () => {
  /** The cookies of the largest session that `create` accepts, by the metadata of the user. */
  async function largest({ sessions, sallyport }: Application): Promise<Jar> {
    await sallyport.userManagement.createUser({ ...ada, emailVerified: true });
    const tokens = await sallyport.userManagement.authenticateWithPassword(ada);
    const created = (notes: number) =>
      sessions
        .create({ ...tokens, user: { ...tokens.user, metadata: { notes: 'x'.repeat(notes) } } })
        .catch(() => undefined);
    const jar = new Jar();
    for (let [low, high] = [0, 16_000]; high - low > 1; ) {
      const middle = Math.floor((low + high) / 2);
      const lines = await created(middle);
      if (lines) jar.keep(lines);
      if (lines) low = middle;
      else high = middle;
    }
    return jar;
  }

  test.each(['sallyport-session', '__Host-session'])(
    'and five pending sign-ins together stay within the request header limit (cookie name %s)',
    async (name) => {
      const app = await application({}, { cookie: { name }, limits: { idleMs: 3_600_000 } });
      const open = await serveApplication(app.sessions);
      const jar = await largest(app);
      const bytes = jar.header.length;
      const started: string[] = [];
      for (let tab = 0; tab < 5; tab++) {
        const { headers } = await app.sessions.startSignIn(
          { headers: { cookie: jar.headerFor('/account') } },
          { maxAge: 300, data: 'd'.repeat(1_000), returnTo: `/account/${'r'.repeat(150)}/${tab}` },
        );
        jar.keep(headers);
        started.push(headers.get('location') ?? '');
      }
      await app.emulator.clock.advance('61s');

      const page = await open('/account', jar);
      const returned: Opened[] = [];
      for (const location of started) returned.push(await open(await approved(app, location), jar.copy()));
      const signOut = await open('/sign-out', jar, 'POST');

      expect(bytes).toBeGreaterThan(9_900);
      expect(bytes).toBeLessThanOrEqual(10_000);
      expect([page.status, page.text, signOut.status]).toEqual([200, ada.email, 302]);
      expect(returned.map(({ status, location }) => [status, location.slice(0, 12)])).toEqual(
        returned.map(() => [302, '/account/rrr']),
      );
    },
  );

  test('that an earlier version could seal (14,000 bytes) can be read and refreshed', async () => {
    const { sessions, sallyport, emulator } = await application();
    await sallyport.userManagement.createUser({ ...ada, emailVerified: true, metadata: {} });
    const tokens = await sallyport.userManagement.authenticateWithPassword(ada);
    const kit = { ring: passwordRing(password), cookie: cookieSettings() };
    const metadata = { notes: 'x'.repeat(9_200) };
    const jar = new Jar();
    jar.keep(await sessionCookies(kit, sealedFrom({ ...tokens, user: { ...tokens.user, metadata } }), undefined));
    const bytes = jar.header.length;

    const read = await sessions.handle(jar.request);
    await emulator.clock.advance('6m');
    const refreshed = await sessions.handle(jar.request);

    expect(bytes).toBeGreaterThan(13_500);
    expect(read).toMatchObject({ status: 'active', session: { user: { metadata } } });
    expect(refreshed.status).toBe('refreshed');
  });
});

describe('a user who leaves the sign-in page open', () => {
  const wait = async (passed: Duration, keepsCookies = true) => {
    const app = await application();
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const { location } = await open('/reports/42?month=11', jar);
    await app.emulator.clock.advance(passed);
    if (!keepsCookies) jar.keep(jar.flows.map((name) => `${name}=; Max-Age=0`));
    const late = await open(await approved(app, location), jar);
    return { app, open, jar, late };
  };

  test.each<[string, Duration, boolean]>([
    ['eleven minutes', '11m', true],
    ['eleven minutes and loses the cookie', '11m', false],
    ['fourteen hours', '14h', false],
    ['a month', '30d', false],
  ])('for %s is redirected to a new sign-in, and then to the requested page', async (_, passed, keepsCookies) => {
    const { app, open, jar, late } = await wait(passed, keepsCookies);

    const back = await open(await approved(app, late.location), jar);

    expect([late.status, new URL(late.location).pathname]).toEqual([302, '/user_management/authorize']);
    expect([back.status, back.location]).toEqual([302, '/reports/42?month=11']);
  });

  test('and has disabled cookies sees an error after a second attempt instead of a redirect loop', async () => {
    const { app, open, late } = await wait('11m', false);

    const back = await open(await approved(app, late.location), new Jar());

    expect([late.status, back.status]).toEqual([302, 400]);
    expect(back.text).toContain('<a href="/reports/42?month=11">Try again</a>');
  });

  test('and then cancels sees a page with a link to try again', async () => {
    const app = await application();
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const { location } = await open('/reports/42', jar);
    await app.emulator.clock.advance('11m');

    const state = new URL(location).searchParams.get('state');
    const late = await open(`${new URL(callback).pathname}?error=access_denied&state=${state}`, jar);

    expect(late.status).toBe(400);
    expect(late.text).toContain('<a href="/reports/42">Try again</a>');
  });

  test('and signs in from a second tab can still return to the page requested in the first tab', async () => {
    const app = await application();
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const first = await open('/first', jar);
    await app.emulator.clock.advance('11m');
    const second = await open('/second', jar);
    await open(await approved(app, second.location), jar);

    const late = await open(await approved(app, first.location), jar);

    expect([late.status, late.location]).toEqual([302, '/first']);
  });

  test('is redirected to a new sign-in even if the sign-in was requested with prompt=login', async () => {
    const app = await application();
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const first = await open('/account', jar);
    await open(await approved(app, first.location), jar);
    const { location } = await open('/sign-in?prompt=login&return_to=/other', jar);
    await app.emulator.clock.advance('11m');

    const late = await open(await approved(app, location), jar);

    expect([late.status, new URL(late.location).pathname]).toEqual([302, '/user_management/authorize']);
  });

  test('completes a new sign-in without the data of the expired sign-in', async () => {
    const app = await application();
    const open = await serveApplication(app.sessions);
    const jar = new Jar();
    const location = await app.start({ data: { invitedBy: 'mallory' }, returnTo: '/mallory' });
    await app.emulator.clock.advance('11m');

    const late = await open(await approved(app, location), jar);
    const finished = await app.sessions.finishSignIn({
      url: await approved(app, late.location),
      headers: { cookie: jar.header },
    });

    expect(finished).toMatchObject({ status: 'signed_in', data: undefined, returnTo: '/mallory' });
  });
});
