import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NextServer, nextPackages, serveWithNext } from '../builds/next-server.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { Jar } from '../session/jar.js';

const cookiePassword = 'a password of more than 32 characters';
const ada = { email: 'ada@example.com', password: 'analytical-engine' };

/** An application with two languages. Its locale proxy rewrites as next-intl does: English has no prefix in URLs. */
const filesOf = (options: object): Readonly<Record<string, string>> => ({
  'package.json': '{"type":"module"}',
  'next.config.js': 'export default { basePath: "/base", experimental: { useCache: true } };',
  'sallyport.js': `import { nextSessions } from './next-adapter.js';
import { createSessions } from './session.js';
export const next = nextSessions(createSessions(${JSON.stringify(options)}));`,
  'proxy.js': `import { NextResponse } from 'next/server';
import { next } from './sallyport.js';
const locales = (request) => {
  const target = request.nextUrl.clone();
  if (target.pathname.startsWith('/api/')) return undefined;
  if (target.pathname === '/shop') {
    return NextResponse.rewrite(target.searchParams.get('to'), { request: { headers: request.headers }, headers: { 'set-cookie': 'theirs=1' } });
  }
  const headers = new Headers(request.headers);
  headers.delete('cookie');
  if (!/^\\/(en|de)\\//.test(target.pathname)) target.pathname = '/en' + target.pathname;
  headers.set('x-locale', target.pathname.slice(1, 3));
  const response = NextResponse.rewrite(target, { request: { headers } });
  response.cookies.set('LOCALE', headers.get('x-locale'));
  return response;
};
export const proxy = next.proxy({ protect: ['/en/account', '/de/account'], then: locales });
export const config = { matcher: ['/((?!_next/).*)'] };`,
  'app/api/token/route.js': `import { inspect } from 'node:util';
import { next } from '../../../sallyport.js';
export const GET = async () => {
  const result = await next.getAccessToken();
  const session = await next.getSessionData();
  const shown = [result, session].map((value) => inspect(value, { depth: 9 }) + JSON.stringify(value)).join();
  return Response.json({ status: result.status, accessToken: result.accessToken, shown });
};`,
  'app/api/cached/route.js': `import { next } from '../../../sallyport.js';
async function cached() {
  'use cache';
  return (await next.getAccessToken()).accessToken;
}
export const GET = async () => {
  try {
    return Response.json({ accessToken: await cached() });
  } catch (error) {
    return Response.json({ error: String(error) });
  }
};`,
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/[locale]/[page]/page.js': `import { headers } from 'next/headers';
import { next } from '../../../sallyport.js';
export default async function Page({ params }) {
  const { locale, page } = await params;
  const sent = await headers();
  const session = await next.getSession();
  return <p>{[page, locale, sent.get('x-locale'), sent.get('x-sallyport-path'), session?.user.email ?? 'stranger'].join(' ')}</p>;
}`,
});

requires(nextPackages)('in Next, the session proxy in front of an application proxy', () => {
  let emulator: Emulator;
  let server: NextServer;
  let credentials: { readonly redirectUri: string; readonly cookiePassword: string };
  beforeAll(async () => {
    emulator = await createEmulator();
    await emulator.listen(0);
    const sallyport = new Sallyport(emulator.credentials);
    await sallyport.userManagement.createUser({ ...ada, emailVerified: true });
    credentials = { ...emulator.credentials, cookiePassword, redirectUri: 'http://localhost:3000/callback' };
    server = await serveWithNext(filesOf(credentials), {
      session: 'src/session/index.ts',
      'next-adapter': 'src/adapters/next.ts',
    });
  });
  afterAll(async () => {
    await server?.close();
    await emulator?.close();
  });

  /** The cookies of a session that began a number of minutes ago. Its access token expires after five. */
  const signedIn = async (minutesAgo = 0): Promise<Jar> => {
    const jar = new Jar();
    await emulator.clock.set(Date.now() - minutesAgo * 60_000);
    const tokens = await new Sallyport(emulator.credentials).userManagement.authenticateWithPassword(ada);
    await emulator.clock.reset();
    jar.keep(await createSessions(credentials).create(tokens));
    return jar;
  };
  /** Open a page in the browser. Returns its status and its text. */
  const opens = async (jar: Jar, path: string, headers: Record<string, string> = {}): Promise<string> => {
    const page = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
    const response = await fetch(`${server.url}/base${path}`, {
      headers: { ...page, ...jar.headers, ...headers },
      redirect: 'manual',
    });
    jar.keep(response.headers);
    return `${response.status} ${/<p>(.*?)<\/p>/.exec(await response.text())?.[1] ?? ''}`.trim();
  };

  test("protects a page's path in every locale", async () => {
    const visitor = new Jar();

    expect(await opens(visitor, '/account')).toBe('302');
    expect(await opens(visitor, '/en/account')).toBe('302');
    expect(await opens(visitor, '/de/account')).toBe('302');
    expect(await opens(visitor, '/about')).toBe('200 about en en /base/about stranger');
    expect(await opens(await signedIn(), '/de/account?a=1')).toBe(
      '200 account de de /base/de/account?a=1 ada@example.com',
    );
  }, 120_000);

  test('passes the refreshed session to the page and the browser, even if the application proxy removes the cookie', async () => {
    const jar = await signedIn(6);
    const before = jar.header;

    expect(await opens(jar, '/account')).toBe('200 account en en /base/account ada@example.com');
    expect(jar.names).toEqual(['sallyport-session', 'LOCALE']);
    expect(jar.header).not.toContain(before);
  }, 120_000);

  test('passes the refreshed access token to a route handler, and hides the token in printed sessions', async () => {
    const jar = await signedIn(6);
    const ask = async () => {
      const response = await fetch(`${server.url}/base/api/token`, { headers: jar.headers });
      jar.keep(response.headers);
      return response.json();
    };
    const sessions = createSessions(credentials);

    const refreshed = await ask();
    const next = await ask();
    const stranger = await (await fetch(`${server.url}/base/api/token`)).json();

    expect((await sessions.verifyAccessToken(refreshed.accessToken)).status).toBe('active');
    expect([refreshed.status, next.status, next.accessToken]).toEqual(['active', 'active', refreshed.accessToken]);
    expect(refreshed.shown).toContain('ada@example.com');
    expect(refreshed.shown).not.toContain(refreshed.accessToken);
    expect([stranger.status, stranger.accessToken]).toEqual(['signed_out', null]);
  }, 120_000);

  test('cannot provide an access token within a "use cache" function', async () => {
    const jar = await signedIn();

    const answer = await (await fetch(`${server.url}/base/api/cached`, { headers: jar.headers })).json();

    expect(answer.accessToken).toBeUndefined();
    expect(answer.error).toMatch(/use cache/);
  }, 120_000);

  test('ignores request headers that spoof a rewrite, a path or a cookie', async () => {
    const spoofed = {
      'x-middleware-rewrite': `${server.url}/base/en/account`,
      'x-middleware-next': '1',
      'x-middleware-override-headers': 'cookie,x-locale',
      'x-middleware-request-cookie': (await signedIn()).header,
      'x-middleware-request-x-locale': 'fr',
      'x-middleware-set-cookie': (await signedIn()).header,
      'x-sallyport-path': '/elsewhere',
    };

    expect(await opens(new Jar(), '/about', spoofed)).toBe('200 about en en /base/about stranger');
    expect(await opens(new Jar(), '/account', spoofed)).toBe('302');
  }, 120_000);

  test("forwards the browser's cookie, but not the refreshed cookie, to an external host", async () => {
    const shop = await serve({ body: 'shop' });
    const jar = await signedIn(6);
    const before = jar.header;

    await opens(jar, `/shop?to=${shop.url}/account`);

    const { headers } = shop.requests[0]!;
    expect(headers.cookie).toBe(before);
    expect('x-sallyport-path' in headers).toBe(false);
    // Next sends cookies there that a proxy sets.
    expect(headers['set-cookie']).toEqual(['theirs=1']);
    expect(await opens(jar, '/account')).toBe('200 account en en /base/account ada@example.com');
  }, 120_000);
});
