import express from 'express';
import { Hono } from 'hono';
import { expressSession } from 'sallyport/express';
import type { ProtectOptions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { growth } from '../growth.js';
import { exactly } from './exactly.js';
import { express4, onExpress, onFastify, onHono, type Start, serveApp, sessions } from './page-servers.js';

const mounted: Readonly<Record<string, Start>> = {
  'an Express 5 router below /en': onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/en', router);
  }),
  'an Express 4 router below /en': onExpress(express4, (app, pagesBelow) => {
    const router = express4.Router();
    pagesBelow(router);
    app.use('/en', router);
  }),
  'an Express router mounted under a route parameter': onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/:locale', router);
  }),
  'an Express application below /en': onExpress(express, (app, pagesBelow) => {
    const inner = express();
    pagesBelow(inner);
    app.use('/en', inner);
  }),
  'a Fastify plugin with the prefix /en': onFastify({}, '/en'),
  'a Fastify plugin with a route parameter as prefix': onFastify({}, '/:locale'),
  'a Hono route below /en': (options) => {
    const app = new Hono();
    return onHono(app, (below) => app.route('/en', below), new Hono())(options);
  },
  'a Hono route mounted under a route parameter': (options) => {
    const app = new Hono();
    return onHono(app, (below) => app.route('/:locale', below), new Hono())(options);
  },
  'a Hono application with a base path': (options) => {
    const app = new Hono();
    const below = app.basePath('/en');
    return onHono(app, undefined, below as unknown as Hono)(options);
  },
};

describe.each(Object.entries(mounted))('the session middleware in %s', (name, start) => {
  const ask = async (options: ProtectOptions, path: string) => (await exactly(await start(options), path)).status;

  test('matches protect rules against both the full path and the path below the mount', async () => {
    for (const protect of [['/private'], ['/en/private'], ['/en'], ['/']])
      for (const path of ['/en/private/keys', '/en/%70rivate', '/en/PRIVATE', '/en/private%20'])
        expect([path === '/en/private/keys' ? 401 : [401, 404]].flat(), `${protect} ${path}`).toContain(
          await ask({ protect }, path),
        );
    expect(await ask({ permission: { '/private': 'keys:read' } }, '/en/private')).toBe(401);
    expect(await ask({ protect: ['/private', '/about/x'] }, '/en/about')).toBe(200);
  });

  test('matches open paths against the path below the mount', async () => {
    // The sender could choose a parameter that is named like an open page.
    const isPattern = /parameter/.test(name) && !/Express/.test(name);
    expect(await ask({ protect: ['/'], open: ['/about'] }, '/en/about/team')).toBe(200);
    expect(await ask({ protect: ['/'], open: ['/en/about'] }, '/en/about/team')).toBe(isPattern ? 401 : 200);
    for (const open of [[], ['/about/team/x'], ['/team'], ['/']])
      expect([open, await ask({ protect: ['/'], open }, '/en/about/team')]).toEqual([open, 401]);
    for (const path of ['/en/%61bout', '/en/ABOUT', '/en/about%20'])
      expect([path, await ask({ protect: ['/'], open: ['/about'] }, path)]).not.toEqual([path, 200]);
  });

  test(`${/Express/.test(name) ? 'does not open' : 'opens'} the home page below the mount if / is an open path`, async () => {
    expect(await ask({ protect: ['/'], open: ['/', '/en/x'] }, '/en')).toBe(/Express/.test(name) ? 401 : 200);
  });
});

/** Mounts with a part that the sender chooses. */
const patterns = Object.entries(mounted).filter(([name]) => name.includes('parameter'));

describe.each(patterns)('the session middleware in %s', (_, start) => {
  const ask = async (options: ProtectOptions, path: string) => exactly(await start(options), path);

  test('keeps a page protected if only the route parameter matches an open path', async () => {
    for (const path of ['/about/private', '/about/private/keys', '/about/%70rivate'])
      expect([path, (await ask({ protect: ['/'], open: ['/about'] }, path)).body]).toEqual([
        path,
        expect.not.stringContaining('page of'),
      ]);
    expect(await ask({ protect: ['/'], open: ['/about'] }, '/en/about')).toMatchObject({ status: 200 });
  });

  test.each(['/a%2fb', '/a%5cb', '/a%252fb', '/a%ef%bc%8fb', '/a%e2%84%80b', '/a;b', '/a%3fb', '/%2e'])(
    'protects the path %s/private/keys',
    async (parameter) => {
      for (const options of [{ protect: ['/private'] }, { permission: { '/private': 'keys:read' } }])
        expect((await ask(options, `${parameter}/private/keys`)).body).not.toContain('page of');
    },
  );
});

describe('the session middleware', () => {
  const start = async (create: typeof express, mount: string | RegExp | readonly string[], options: ProtectOptions) => {
    const app = create();
    app.use(mount as string, expressSession(sessions, { signIn: false, ...options }));
    app.use((request, response) => void response.send(`page of ${request.path}`));
    return serveApp(app);
  };

  test.each<[string, typeof express, string | RegExp | readonly string[]]>([
    ['* in Express 4', express4, '*'],
    ['/* in Express 4', express4, '/*'],
    ['a regular expression in Express 4', express4, /.*/],
    ['/*rest in Express 5', express, '/*rest'],
    ['/{*rest} in Express 5', express, '/{*rest}'],
    ['a regular expression in Express 5', express, /.*/],
    ['an array of paths in Express 5', express, ['/secret', '/admin', '/about', '/x']],
    ['an array of paths in Express 4', express4, ['/secret', '/admin', '/about', '/x']],
  ])('mounted on %s protects all paths that are not open', async (_, create, mount) => {
    const url = await start(create, mount, { protect: ['/'], open: ['/', '/about'] });

    // Below a fixed mount, open paths may be written without it.
    const below = Array.isArray(mount) ? [] : ['/secret/about', '/secret/about/x', '/abouts'];
    for (const path of ['/secret', '/admin/users/x', '/x/', ...below])
      expect([path, (await exactly(url, path)).status]).toEqual([path, 401]);
  });

  test.each<[string, typeof express, string]>([
    ['* in Express 4', express4, '*'],
    ['/*rest in Express 5', express, '/*rest'],
    ['/{*rest} in Express 5', express, '/{*rest}'],
  ])('mounted on %s leaves open paths unprotected', async (_, create, mount) => {
    const url = await start(create, mount, { protect: ['/'], open: ['/', '/about'] });

    for (const path of ['/about', '/about/team', '/about/team/x'])
      expect([path, (await exactly(url, path)).status]).toEqual([path, 200]);
  });

  test('mounted on /*rest in Express 5 matches a path in linear time', async () => {
    const url = await start(express, '/*rest', { protect: ['/private'], open: ['/private/open'] });

    expect(
      await growth(
        400,
        (length) => '/a'.repeat(length / 2),
        (path) => exactly(url, path),
      ),
    ).toBeLessThanOrEqual(2.5);
  });
});

test.each<[string, Start, readonly string[], string]>([
  [
    'an empty path segment that Express 4 removes',
    onExpress(express4, (app, pagesBelow) => {
      const [outer, inner] = [express4.Router(), express4.Router()];
      pagesBelow(inner);
      outer.use('/:tenant', inner);
      app.use('/api', outer);
    }),
    ['/about'],
    '/api//about/private',
  ],
  ['a parameter within a Fastify path segment', onFastify({}, '/api/v:version'), ['/verify'], '/api/verify/private'],
  ['a parameter at the end of a Fastify path segment', onFastify({}, '/u-:user'), ['/u-guide'], '/u-guide/private'],
  [
    'an empty path segment that Fastify ignores',
    onFastify({ routerOptions: { ignoreDuplicateSlashes: true } }, '/:org/:section'),
    ['/about'],
    '/x//about/private',
  ],
  ['a URL fragment after an Express 5 mount path', mounted['an Express 5 router below /en']!, ['/about'], '/en#/about'],
  ['a URL fragment after an Express 4 mount path', mounted['an Express 4 router below /en']!, ['/about'], '/en#/about'],
  ['a URL fragment after a Fastify prefix', mounted['a Fastify plugin with the prefix /en']!, ['/about'], '/en#/about'],
  [
    'a semicolon after a Fastify prefix',
    onFastify({ routerOptions: { useSemicolonDelimiter: true } }, '/en'),
    ['/about'],
    '/en;/about',
  ],
  [
    'a path segment that a rewrite removes',
    onFastify({ rewriteUrl: ({ url }: { url: string }) => new URL(url, 'http://site').pathname }, '/en'),
    ['/en'],
    '/./en/private',
  ],
  ['a URL fragment within a Fastify path segment', onFastify({}, '/x-:user'), ['/about'], '/x-#x/about/private'],
  ['a base path that ends like an open path', onFastify({}, '/site/docs'), ['/docs'], '/site/docs/private'],
  ['a base path that is an open path', onFastify({}, '/docs'), ['/docs'], '/docs/private'],
  [
    'a backslash that a rewrite decodes',
    onExpress(express, (app, pagesBelow) => {
      app.use((request, _, next) => {
        request.url = new URL(request.url, 'http://site').pathname;
        next();
      });
      const router = express.Router();
      pagesBelow(router);
      app.use('/en', router);
    }),
    ['/private'],
    '/en/private\\..\\private',
  ],
])('%s does not bypass page protection', async (_, start, open, path) => {
  const { body } = await exactly(await start({ protect: ['/'], open }), path);

  expect(body).not.toMatch(/page of \/(?!about)/);
});

test('a protect rule for the full path overrides an open path below the mount', async () => {
  for (const start of [mounted['an Express 5 router below /en'], mounted['a Fastify plugin with the prefix /en']])
    expect(
      (await exactly(await start!({ protect: ['/', '/en/about/team'], open: ['/about'] }), '/en/about/team')).status,
    ).toBe(401);
});

test('a protect rule below a Fastify prefix still applies if rewriteUrl normalizes the path', async () => {
  const rewriteUrl = ({ url }: { url: string }) => new URL(url, 'http://site').pathname;
  const url = await onFastify({ rewriteUrl }, '/site/en')({ protect: ['/private'] });

  for (const path of ['/./site/en/private/keys', '/x/../site/en/private', '/site/./en/private', '/site/en/private'])
    expect([path, (await exactly(url, path)).body]).toEqual([path, expect.not.stringContaining('page of')]);
});

test('a protect rule applies below a wildcard mount path that matches several segments', async () => {
  const start = onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/*tenant/t', router);
  });

  for (const path of ['/1/2/3/4/5/6/7/8/9/t/private/keys', '/x%2fz//y/t/private', '/a/t/private'])
    expect([path, (await exactly(await start({ protect: ['/private'] }), path)).status]).toEqual([path, 401]);
});

test('nested Express routers match protect rules against the path below each mount', async () => {
  const start = onExpress(express, (app, pagesBelow) => {
    const [outer, inner] = [express.Router(), express.Router()];
    pagesBelow(inner);
    outer.use('/team', inner);
    app.use('/en', outer);
  });

  for (const path of ['/private', '/team/private', '/en/team/private'])
    expect((await exactly(await start({ protect: [path] }), '/en/team/private')).status).toBe(401);
  expect((await exactly(await start({ protect: ['/en/private'] }), '/en/team/private')).status).toBe(200);
});
