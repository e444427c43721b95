import express from 'express';
import { Hono } from 'hono';
import { expressSession } from 'sallyport/express';
import { nextSessions } from 'sallyport/next';
import { type ProtectOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { exactly } from './exactly.js';
import { listeningFetch } from './hosts.js';
import { express4, onExpress, onFastify, onHono, pages, type Start, serveApp, sessions } from './page-servers.js';

const withoutLocale = (url: string): string => url.replace(/^\/(?:en|de)(?=[/?]|$)/, '') || '/';

const rewriting: Readonly<Record<string, Start>> = {
  'the Express 5 middleware that runs after a URL rewrite': onExpress(express, (app, pagesBelow) => {
    app.use((request, _, next) => {
      request.url = withoutLocale(request.url);
      next();
    });
    pagesBelow(app);
  }),
  'the Express 4 middleware that runs after a URL rewrite': onExpress(express4, (app, pagesBelow) => {
    app.use((request, _, next) => {
      request.url = withoutLocale(request.url);
      next();
    });
    pagesBelow(app);
  }),
  'the Fastify plugin with rewriteUrl': onFastify({ rewriteUrl: ({ url }: { url: string }) => withoutLocale(url) }),
  'the Hono middleware with getPath': (options) =>
    onHono(new Hono({ getPath: (request) => withoutLocale(new URL(request.url).pathname) }))(options),
  'the Express middleware below a Connect-style mount': (options) => {
    const guard = expressSession(sessions, { signIn: false, ...options });
    return serveApp((request, response) => {
      const originalUrl = request.url ?? '/';
      const url = withoutLocale(originalUrl);
      guard(Object.assign(request, { originalUrl, url }), response, () =>
        response.end(pages.includes(url) ? `page of ${url}` : 'not found'),
      );
    });
  },
};

describe.each(Object.entries(rewriting))('%s', (_, start) => {
  const ask = async (options: ProtectOptions, path: string) => exactly(await start(options), path);

  test('protects every path that is rewritten to a protected page', async () => {
    for (const path of ['/private', '/de/private', '/de/private/keys', '/DE/private', '/de//private', '/de/%70rivate'])
      expect([path, (await ask({ protect: ['/private'] }, path)).body]).not.toEqual([
        path,
        expect.stringContaining('page of'),
      ]);
    expect(await ask({ protect: ['/private'] }, '/de/private')).toEqual({
      status: 401,
      body: '{"error":"unauthorized"}',
    });
    expect(await ask({ protect: ['/private'] }, '/de/about')).toEqual({ status: 200, body: 'page of /about' });
  });

  test('applies a protect rule for the original path', async () => {
    expect((await ask({ protect: ['/de'] }, '/de/about')).status).toBe(401);
    expect((await ask({ protect: ['/de'] }, '/about')).status).toBe(200);
  });

  test('applies permission and maximum age rules to the original and the rewritten path', async () => {
    const reasons = async (options: ProtectOptions) => (await ask(options, '/de/private')).status;

    expect(await reasons({ permission: { '/private': 'keys:read' } })).toBe(401);
    expect(await reasons({ permission: { '/de': 'german:read' } })).toBe(401);
    expect(await reasons({ maxAgeMs: { '/private': 60_000 } })).toBe(401);
  });

  test('leaves a page open only if both the original path and the rewritten path are open', async () => {
    const protect = ['/'];

    expect((await ask({ protect, open: ['/about'] }, '/about/team')).status).toBe(200);
    expect((await ask({ protect, open: ['/about'] }, '/de/about')).status).toBe(401);
    expect((await ask({ protect, open: ['/de/about'] }, '/de/about')).status).toBe(401);
    expect((await ask({ protect, open: ['/de/about', '/about'] }, '/de/about/team')).status).toBe(200);
    expect((await ask({ protect, open: ['/'] }, '/de')).status).toBe(401);
    expect((await ask({ protect, open: ['/', '/de'] }, '/de/private')).status).toBe(401);
  });

  test('rejects an ambiguous path with status 400', async () => {
    expect((await ask({ protect: ['/private'] }, '/de/about/..%2fprivate')).status).toBe(400);
  });
});

/** Headers that contain a path, as proxies and frameworks send them. */
const addressHeaders = [
  'x-original-url',
  'x-rewrite-url',
  'x-matched-path',
  'x-invoke-path',
  'x-middleware-rewrite',
  'x-forwarded-uri',
  'x-forwarded-prefix',
];

const everywhere: Readonly<Record<string, Start>> = {
  ...rewriting,
  'the Express middleware in a router': onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/en', router);
  }),
  withSession: async (options) => {
    const handler = withSession(sessions, () => new Response('page'), { signIn: false, ...options });
    return (await listeningFetch(handler)).url;
  },
  'the Next proxy': async (options) => {
    const proxy = nextSessions(sessions).proxy({ signIn: false, ...options });
    return (await listeningFetch((request) => proxy(request))).url;
  },
};

describe.each(Object.entries(everywhere))('%s', (_, start) => {
  test.each(addressHeaders)('ignores the path in the request header %s', async (header) => {
    const url = await start({ protect: ['/private', '/en/private'], open: ['/private/open'] });

    for (const path of ['/private', '/about', '/en/private', '/en/about', '/private/open']) {
      const without = await exactly(url, path);
      for (const value of ['/private', '/about', '/private/open', '/de'])
        expect([path, value, await exactly(url, path, { [header]: value })]).toEqual([path, value, without]);
    }
  });
});
