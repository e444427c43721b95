import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { NextProxyOptions, NextProxyRequest, NextSessions } from 'sallyport/next';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextPackages } from '../builds/next-server.js';
import { requires } from '../runner/requirements.js';
import { application } from '../session/application.js';
import { forwarded } from './next-modules.js';

const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };

interface RealRequest extends NextProxyRequest {
  readonly nextUrl: URL & { basePath: string; clone(): URL };
  readonly cookies: { get(name: string): { readonly value: string } | undefined };
}
interface RealResponse {
  next(init?: object): Response;
  rewrite(url: string | URL, init?: object): Response;
  redirect(url: string | URL): Response;
}

requires(nextPackages)('the Next session proxy in front of an application proxy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-next-proxy-'));
  let NextRequest: new (url: string, init: object) => RealRequest;
  let NextResponse: RealResponse;
  let nextSessions: (sessions: unknown) => NextSessions;
  beforeAll(async () => {
    const real = (path: string) => pathToFileURL(resolve(nextPackages, `${path}.js`)).href;
    await build({
      entryPoints: ['src/adapters/next.ts'],
      outfile: join(folder, 'next.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      plugins: [
        {
          name: 'real-next',
          setup: ({ onResolve }) =>
            onResolve({ filter: /^next\// }, ({ path }) => ({ path: real(path), external: true })),
        },
      ],
      logLevel: 'silent',
    });
    ({ nextSessions } = await import(/* @vite-ignore */ join(folder, 'next.mjs')));
    ({ NextRequest, NextResponse } = await import(/* @vite-ignore */ real('next/server')));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** An application with a browser. `asks` sends a request of the browser to the proxy. */
  const createApplication = async (options: NextProxyOptions<RealRequest>, basePath = '') => {
    const app = await application();
    await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
    const proxy = nextSessions(app.sessions).proxy(options);
    const asks = (path: string, headers: Record<string, string> = {}) =>
      proxy(
        new NextRequest(`http://localhost:3000${basePath}${path}`, {
          headers: { ...page, host: 'localhost:3000', ...app.browser.headers, ...headers },
          nextConfig: { basePath },
        }),
      );
    return { ...app, asks };
  };
  /** Rewrites like next-intl: the pages are below `/en` and `/de`, and English has no prefix in URLs. */
  const locales = (request: RealRequest, init?: object) => {
    const { pathname } = request.nextUrl;
    const path = /^\/(?:en|de)(?:\/|$)/.test(pathname) ? pathname : `/en${pathname}`;
    return NextResponse.rewrite(new URL(path, request.url), init ?? { request: { headers: request.headers } });
  };

  test.each([
    ['/account', 302],
    ['/de/account', 302],
    ['/de/account/keys', 302],
    ['/de/about', 200],
    ['/about', 200],
  ])('responds to %s with status %i if /en/account and /de/account are protected', async (path, status) => {
    const app = await createApplication({
      protect: ['/en/account', '/de/account'],
      then: (request) => locales(request),
    });

    expect((await app.asks(path)).status).toBe(status);
  });

  test('requires a sign-in for a rewrite to a protected path, and returns the user to the original URL', async () => {
    const app = await createApplication({
      protect: ['/account'],
      then: (request) => NextResponse.rewrite(new URL('/account/keys', request.url), { headers: { 'x-theirs': '1' } }),
    });

    const refused = await app.asks('/k?sort=age');

    expect([refused.status, refused.headers.get('x-middleware-rewrite'), refused.headers.get('x-theirs')]).toEqual([
      302,
      null,
      null,
    ]);
    app.browser.keep(refused.headers);
    const back = await app.approve(`${refused.headers.get('location')}&login_hint=ada@example.com`);
    expect(await app.finish(back)).toMatchObject({ status: 'signed_in', returnTo: '/k?sort=age' });
    expect((await app.asks('/k')).headers.get('x-middleware-rewrite')).toBe('http://localhost:3000/account/keys');
  });

  test('enforces the permission and maximum age rules of the rewritten path', async () => {
    const to = (path: string) => (request: RealRequest) => NextResponse.rewrite(new URL(path, request.url));
    const reports = await createApplication({ permission: { '/reports': 'reports:read' }, then: to('/reports/2026') });
    const password = await createApplication({ maxAgeMs: { '/password': 300_000 }, then: to('/password') });
    await reports.signIn();
    await password.signIn();

    expect((await reports.asks('/')).status).toBe(403);
    expect((await password.asks('/')).status).toBe(200);
    password.emulator.clock.advance('6m');
    expect((await password.asks('/')).status).toBe(302);
  });

  test.each([
    ['/%61ccount', 302],
    ['//account', 302],
    ['/x/../account', 302],
    ['/account%252e%252e/x', 302],
    ['/account/..%2fx', 400],
    ['/accounts', 200],
  ])('responds to a rewrite to %s with status %i if /account is protected', async (path, status) => {
    const app = await createApplication({
      protect: ['/account'],
      then: () => NextResponse.rewrite(`http://localhost:3000${path}`),
    });

    expect((await app.asks('/')).status).toBe(status);
  });

  test('matches protect rules relative to the base path', async () => {
    const requests: RealRequest[] = [];
    const then = (request: RealRequest) => {
      requests.push(request);
      const target = request.nextUrl.clone();
      target.pathname = `/en${target.pathname}`;
      return NextResponse.rewrite(target);
    };
    const app = await createApplication({ protect: ['/en/account'], then }, '/base');

    expect((await app.asks('/account')).status).toBe(302);
    const open = await app.asks('/about');
    expect(open.headers.get('x-middleware-rewrite')).toBe('http://localhost:3000/base/en/about');
    expect(requests.map(({ nextUrl, url }) => [nextUrl.basePath, nextUrl.pathname, url])).toEqual([
      ['/base', '/account', 'http://localhost:3000/base/account'],
      ['/base', '/about', 'http://localhost:3000/base/about'],
    ]);
  });

  test('does not run the application proxy for rejected requests or built-in routes', async () => {
    let runs = 0;
    const then = () => {
      runs += 1;
      return undefined;
    };
    const app = await createApplication({ protect: ['/account'], routes: true, then });

    expect((await app.asks('/account')).status).toBe(302);
    expect((await app.asks('/sign-in')).status).toBe(302);
    expect(runs).toBe(0);
    expect(forwarded(await app.asks('/?page=2'))?.get('x-sallyport-path')).toBe('/?page=2');
    expect(runs).toBe(1);
  });

  test('passes the refreshed cookie to the application proxy, the requested page and the browser', async () => {
    const seen: unknown[] = [];
    const app = await createApplication({
      then: (request, auth) => {
        seen.push(request.headers.get('cookie'), request.cookies.get('sallyport-session')?.value, auth.status);
        return locales(request);
      },
    });
    await app.signIn();
    app.emulator.clock.advance('10m');
    const before = app.browser.header;

    const response = await app.asks('/');

    app.browser.keep(response.headers);
    const { header } = app.browser;
    expect(header).not.toBe(before);
    expect(seen).toEqual([header, header.replace('sallyport-session=', ''), 'refreshed']);
    expect(response.headers.get('x-middleware-request-cookie')).toBe(header);
    expect(app.emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test('refreshes the session only once for a denied rewrite, and sets the new cookie', async () => {
    const app = await createApplication({
      protect: ['/account'],
      permission: { '/admin': 'admin' },
      then: (request) => NextResponse.rewrite(new URL('/admin', request.url)),
    });
    await app.signIn();
    app.emulator.clock.advance('10m');

    const response = await app.asks('/account');

    expect([response.status, response.headers.getSetCookie().length]).toEqual([403, 1]);
    expect(app.emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test.each(['next', 'rewrite'] as const)(
    'adds the cookie and path headers to the request headers of NextResponse.%s()',
    async (kind) => {
      const app = await createApplication({
        then: (request) => {
          const headers = new Headers({ 'x-locale': 'de', 'x-sallyport-path': '/elsewhere' });
          return kind === 'next'
            ? NextResponse.next({ request: { headers } })
            : locales(request, { request: { headers } });
        },
      });
      await app.signIn();

      const { headers } = await app.asks('/shop?page=2');

      expect(headers.get('x-middleware-override-headers')?.split(',').sort()).toEqual([
        'cookie',
        'x-locale',
        'x-sallyport-path',
      ]);
      expect(headers.get('x-middleware-request-cookie')).toBe(app.browser.header);
      expect(headers.get('x-middleware-request-x-locale')).toBe('de');
      expect(headers.get('x-middleware-request-x-sallyport-path')).toBe('/shop?page=2');
    },
  );

  test("adds the path header to the browser's request headers if the application proxy sets no headers", async () => {
    const app = await createApplication({ then: () => NextResponse.next() });

    const headers = forwarded(await app.asks('/', { 'x-client': '1' }));

    expect([headers?.get('x-client'), headers?.get('accept'), headers?.get('x-sallyport-path')]).toEqual([
      '1',
      'text/html',
      '/',
    ]);
  });

  test('removes client headers that control Next before the application proxy runs', async () => {
    const spoofed = {
      'x-middleware-rewrite': 'http://localhost:3000/account',
      'x-middleware-next': '1',
      'x-middleware-set-cookie': 'sallyport-session=theirs',
      'x-middleware-override-headers': 'cookie,x-admin',
      'x-middleware-request-cookie': 'sallyport-session=theirs',
      'x-middleware-request-x-admin': '1',
      'x-sallyport-path': '/account',
    };
    const seen: string[][] = [];
    const app = await createApplication({
      // Copying the headers of the request to those of the response is a known mistake.
      then: (request) => {
        seen.push([...request.headers.keys()].filter((name) => name.startsWith('x-')));
        return NextResponse.next({ headers: request.headers });
      },
    });

    const response = await app.asks('/', { ...spoofed, 'x-client': '1' });

    expect(seen).toEqual([['x-client', 'x-sallyport-path']]);
    expect(response.headers.has('x-middleware-rewrite')).toBe(false);
    expect([...forwarded(response)!].filter(([name]) => name.startsWith('x-') || name === 'cookie')).toEqual([
      ['cookie', ''],
      ['x-client', '1'],
      ['x-sallyport-path', '/'],
    ]);
  });

  test('removes headers that control Next if the application proxy forwards the original request headers', async () => {
    let first = new Headers();
    const app = await createApplication({ then: () => NextResponse.next({ request: { headers: first } }) });
    await app.signIn();
    first = new Headers({ cookie: 'sallyport-session=theirs', 'x-middleware-rewrite': '/account', 'x-client': '1' });

    expect([...forwarded(await app.asks('/'))!]).toEqual([
      ['cookie', app.browser.header],
      ['x-client', '1'],
      ['x-sallyport-path', '/'],
    ]);
  });

  test('adds only the refreshed cookie to a redirect or response from the application proxy', async () => {
    for (const answer of [
      () => NextResponse.redirect('http://localhost:3000/de'),
      () => new Response('Closed', { status: 503 }),
    ]) {
      const app = await createApplication({ then: answer });
      await app.signIn();
      app.emulator.clock.advance('10m');

      const response = await app.asks('/');

      expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^sallyport-session=Fe26/)]);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect([...response.headers.keys()].filter((name) => name.startsWith('x-middleware'))).toEqual([]);
    }
  });

  test('keeps a cookie that the application proxy sets', async () => {
    const app = await createApplication({
      then: (request) => {
        const response = locales(request);
        response.headers.append('set-cookie', 'NEXT_LOCALE=de; Path=/');
        return response;
      },
    });
    await app.signIn();
    app.emulator.clock.advance('10m');

    expect((await app.asks('/')).headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sallyport-session=Fe26/),
      'NEXT_LOCALE=de; Path=/',
    ]);
  });

  test('sends neither the refreshed cookie nor the path header to an external host', async () => {
    const app = await createApplication({
      protect: ['/account'],
      then: (request) => NextResponse.rewrite('https://shop.test/account', { request: { headers: request.headers } }),
    });
    await app.signIn();
    app.emulator.clock.advance('10m');

    const { status, headers } = await app.asks('/shop');

    expect([status, headers.get('x-middleware-rewrite')]).toEqual([200, 'https://shop.test/account']);
    expect(headers.getSetCookie()).toEqual([]);
    expect(headers.get('x-middleware-request-cookie')).toBe(app.browser.header);
    expect(headers.has('x-middleware-request-x-sallyport-path')).toBe(false);
    expect(headers.get('x-middleware-override-headers')?.split(',')).not.toContain('x-sallyport-path');
  });

  test("applies protect rules to a rewrite to the request's own host", async () => {
    const app = await createApplication({
      protect: ['/account'],
      then: () => NextResponse.rewrite('https://app.test/account'),
    });

    expect((await app.asks('/')).status).toBe(200);
    expect((await app.asks('/', { host: 'app.test' })).status).toBe(302);
    expect((await app.asks('/', { 'x-forwarded-host': 'app.test' })).status).toBe(302);
  });
});
