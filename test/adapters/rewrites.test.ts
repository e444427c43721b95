import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { Hono } from 'hono';
import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { honoSession } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { createSessions, type ProtectOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { growth } from '../growth.js';
import { exactly } from './exactly.js';
import { listening, listeningFastify, listeningFetch } from './hosts.js';

const sessions = createSessions({
  cookiePassword: 'a password of more than 32 characters',
  clientId: 'client_1',
  baseUrl: 'http://127.0.0.1:9',
});

// The compiler reads Express 4 as the newer one.
const nameOfExpress4: string = 'express4';
const express4: typeof express = (await import(nameOfExpress4)).default;

/** Start a server and return its address. Its pages say `page of` and the path that the router matched. */
type Start = (options: ProtectOptions) => Promise<string>;

const served = async (app: RequestListener): Promise<string> => (await listening(createServer(app))).url;
const withoutLocale = (url: string): string => url.replace(/^\/(?:en|de)(?=[/?]|$)/, '') || '/';
const pages = ['/', '/private', '/private/keys', '/about', '/about/team'];

const onExpress =
  (create: typeof express, mount: (app: express.Express, pagesBelow: (router: express.Router) => void) => void) =>
  (options: ProtectOptions): Promise<string> => {
    const app = create();
    mount(app, (router) => {
      router.use(expressSession(sessions, { signIn: false, ...options }));
      for (const path of pages) router.get(path, (_, response) => void response.send(`page of ${path}`));
    });
    return served(app);
  };

const onFastify = (options: object, prefix?: string) => async (own: ProtectOptions) => {
  const app: FastifyInstance = fastify(options);
  const plugin: FastifyPluginAsync = async (instance) => {
    await instance.register(fastifySession(sessions, { signIn: false, ...own }));
    for (const path of pages) instance.get(path, async () => `page of ${path}`);
  };
  if (prefix === undefined) await plugin(app, {});
  else await app.register(plugin, { prefix });
  return (await listeningFastify(app)).url;
};

const onHono =
  (app: Hono, mount: (pagesBelow: Hono) => void = () => undefined, below = app) =>
  async (options: ProtectOptions) => {
    below.use(honoSession(sessions, { signIn: false, ...options }));
    for (const path of pages) below.get(path, (c) => c.text(`page of ${path}`));
    mount(below);
    return (await listeningFetch(app.fetch)).url;
  };

const rewriting: Readonly<Record<string, Start>> = {
  'Express 5 with middleware that rewrites the URL': onExpress(express, (app, pagesBelow) => {
    app.use((request, _, next) => {
      request.url = withoutLocale(request.url);
      next();
    });
    pagesBelow(app);
  }),
  'Express 4 with middleware that rewrites the URL': onExpress(express4, (app, pagesBelow) => {
    app.use((request, _, next) => {
      request.url = withoutLocale(request.url);
      next();
    });
    pagesBelow(app);
  }),
  'Fastify with rewriteUrl': onFastify({ rewriteUrl: ({ url }: { url: string }) => withoutLocale(url) }),
  'Hono with getPath': (options) =>
    onHono(new Hono({ getPath: (request) => withoutLocale(new URL(request.url).pathname) }))(options),
  'node:http with a proxy that removes a prefix, as Connect does': (options) => {
    const guard = expressSession(sessions, { signIn: false, ...options });
    return served((request, response) => {
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

  test('protects a page under each address that leads to it', async () => {
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

  test('protects what a rule names as the browser sends it', async () => {
    expect((await ask({ protect: ['/de'] }, '/de/about')).status).toBe(401);
    expect((await ask({ protect: ['/de'] }, '/about')).status).toBe(200);
  });

  test('requires the permissions and ages of both addresses', async () => {
    const reasons = async (options: ProtectOptions) => (await ask(options, '/de/private')).status;

    expect(await reasons({ permission: { '/private': 'keys:read' } })).toBe(401);
    expect(await reasons({ permission: { '/de': 'german:read' } })).toBe(401);
    expect(await reasons({ maxAgeMs: { '/private': 60_000 } })).toBe(401);
  });

  test('opens a page only if both addresses are open', async () => {
    const protect = ['/'];

    expect((await ask({ protect, open: ['/about'] }, '/about/team')).status).toBe(200);
    expect((await ask({ protect, open: ['/about'] }, '/de/about')).status).toBe(401);
    expect((await ask({ protect, open: ['/de/about'] }, '/de/about')).status).toBe(401);
    expect((await ask({ protect, open: ['/de/about', '/about'] }, '/de/about/team')).status).toBe(200);
    expect((await ask({ protect, open: ['/'] }, '/de')).status).toBe(401);
    expect((await ask({ protect, open: ['/', '/de'] }, '/de/private')).status).toBe(401);
  });

  test('answers 400 if one of the addresses is ambiguous', async () => {
    expect((await ask({ protect: ['/private'] }, '/de/about/..%2fprivate')).status).toBe(400);
  });
});

const mounted: Readonly<Record<string, Start>> = {
  'a router of Express 5 below /en': onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/en', router);
  }),
  'a router of Express 4 below /en': onExpress(express4, (app, pagesBelow) => {
    const router = express4.Router();
    pagesBelow(router);
    app.use('/en', router);
  }),
  'a router of Express below a parameter': onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/:locale', router);
  }),
  'an application of Express below /en': onExpress(express, (app, pagesBelow) => {
    const inner = express();
    pagesBelow(inner);
    app.use('/en', inner);
  }),
  'a plugin of Fastify with the prefix /en': onFastify({}, '/en'),
  'a plugin of Fastify with a parameter as prefix': onFastify({}, '/:locale'),
  'a route of Hono below /en': (options) => {
    const app = new Hono();
    return onHono(app, (below) => app.route('/en', below), new Hono())(options);
  },
  'a route of Hono below a parameter': (options) => {
    const app = new Hono();
    return onHono(app, (below) => app.route('/:locale', below), new Hono())(options);
  },
  'an application of Hono with a base path': (options) => {
    const app = new Hono();
    const below = app.basePath('/en');
    return onHono(app, undefined, below as unknown as Hono)(options);
  },
};

describe.each(Object.entries(mounted))('%s', (name, start) => {
  const ask = async (options: ProtectOptions, path: string) => (await exactly(await start(options), path)).status;

  test('takes rules as the site or the router names the page', async () => {
    for (const protect of [['/private'], ['/en/private'], ['/en'], ['/']])
      for (const path of ['/en/private/keys', '/en/%70rivate', '/en/PRIVATE', '/en/private%20'])
        expect([path === '/en/private/keys' ? 401 : [401, 404]].flat(), `${protect} ${path}`).toContain(
          await ask({ protect }, path),
        );
    expect(await ask({ permission: { '/private': 'keys:read' } }, '/en/private')).toBe(401);
    expect(await ask({ protect: ['/private', '/about/x'] }, '/en/about')).toBe(200);
  });

  test('takes open paths as the site or the router names the page', async () => {
    // The sender could choose a parameter that is called like an open page.
    const isPattern = /parameter/.test(name) && !/Express/.test(name);
    expect(await ask({ protect: ['/'], open: ['/about'] }, '/en/about/team')).toBe(200);
    expect(await ask({ protect: ['/'], open: ['/en/about'] }, '/en/about/team')).toBe(isPattern ? 401 : 200);
    for (const open of [[], ['/about/team/x'], ['/team'], ['/']])
      expect([open, await ask({ protect: ['/'], open }, '/en/about/team')]).toEqual([open, 401]);
    for (const path of ['/en/%61bout', '/en/ABOUT', '/en/about%20'])
      expect([path, await ask({ protect: ['/'], open: ['/about'] }, path)]).not.toEqual([path, 200]);
  });

  test('opens the home page of the router only if the router says that the mount is not a pattern', async () => {
    expect([200, 401, 404]).toContain(await ask({ protect: ['/'], open: ['/'] }, '/en'));
    if (/Express/.test(name)) expect(await ask({ protect: ['/'], open: ['/', '/en'] }, '/en')).toBe(401);
  });
});

/** Mounts that the sender chooses. */
const patterns = Object.entries(mounted).filter(([name]) => name.includes('parameter'));

describe.each(patterns)('%s', (_, start) => {
  const ask = async (options: ProtectOptions, path: string) => exactly(await start(options), path);

  test('does not open a page because the parameter is called like an open page', async () => {
    for (const path of ['/about/private', '/about/private/keys', '/about/%70rivate'])
      expect([path, (await ask({ protect: ['/'], open: ['/about'] }, path)).body]).toEqual([
        path,
        expect.not.stringContaining('page of'),
      ]);
    expect(await ask({ protect: ['/'], open: ['/about'] }, '/en/about')).toMatchObject({ status: 200 });
  });

  test.each(['/a%2fb', '/a%5cb', '/a%252fb', '/a%ef%bc%8fb', '/a%e2%84%80b', '/a;b', '/a%3fb', '/%2e'])(
    'protects its pages below a parameter such as %s',
    async (parameter) => {
      for (const options of [{ protect: ['/private'] }, { permission: { '/private': 'keys:read' } }])
        expect((await ask(options, `${parameter}/private/keys`)).body).not.toContain('page of');
    },
  );
});

describe('middleware of Express that is mounted on a pattern', () => {
  const start = async (create: typeof express, mount: string | RegExp | readonly string[], options: ProtectOptions) => {
    const app = create();
    app.use(mount as string, expressSession(sessions, { signIn: false, ...options }));
    app.use((request, response) => void response.send(`page of ${request.path}`));
    return served(app);
  };

  test.each<[string, typeof express, string | RegExp | readonly string[]]>([
    ['* of Express 4', express4, '*'],
    ['/* of Express 4', express4, '/*'],
    ['a regular expression of Express 4', express4, /.*/],
    ['/*rest of Express 5', express, '/*rest'],
    ['/{*rest} of Express 5', express, '/{*rest}'],
    ['a regular expression of Express 5', express, /.*/],
    ['a list of Express 5', express, ['/secret', '/admin', '/about', '/x']],
    ['a list of Express 4', express4, ['/secret', '/admin', '/about', '/x']],
  ])('protects everything that is not listed: %s', async (_, create, mount) => {
    const url = await start(create, mount, { protect: ['/'], open: ['/', '/about'] });

    // Below a fixed mount, open paths may be written without it.
    const below = Array.isArray(mount) ? [] : ['/secret/about', '/secret/about/x', '/abouts'];
    for (const path of ['/secret', '/admin/users/x', '/x/', ...below])
      expect([path, (await exactly(url, path)).status]).toEqual([path, 401]);
  });

  test.each<[string, typeof express, string]>([
    ['* of Express 4', express4, '*'],
    ['/*rest of Express 5', express, '/*rest'],
    ['/{*rest} of Express 5', express, '/{*rest}'],
  ])('opens the pages that are listed: %s', async (_, create, mount) => {
    const url = await start(create, mount, { protect: ['/'], open: ['/', '/about'] });

    for (const path of ['/about', '/about/team', '/about/team/x'])
      expect([path, (await exactly(url, path)).status]).toEqual([path, 200]);
  });

  test('takes time that grows with the length of the path at most', async () => {
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
    'an empty segment that Express 4 removes',
    onExpress(express4, (app, pagesBelow) => {
      const [outer, inner] = [express4.Router(), express4.Router()];
      pagesBelow(inner);
      outer.use('/:tenant', inner);
      app.use('/api', outer);
    }),
    ['/about'],
    '/api//about/private',
  ],
  ['a parameter within a segment of Fastify', onFastify({}, '/api/v:version'), ['/verify'], '/api/verify/private'],
  ['a parameter at the end of a segment of Fastify', onFastify({}, '/u-:user'), ['/u-guide'], '/u-guide/private'],
  [
    'an empty segment that Fastify ignores',
    onFastify({ routerOptions: { ignoreDuplicateSlashes: true } }, '/:org/:section'),
    ['/about'],
    '/x//about/private',
  ],
  ['a fragment behind the mount', mounted['a router of Express 5 below /en']!, ['/about'], '/en#/about'],
  ['a fragment behind the mount of Express 4', mounted['a router of Express 4 below /en']!, ['/about'], '/en#/about'],
  [
    'a fragment behind the prefix of Fastify',
    mounted['a plugin of Fastify with the prefix /en']!,
    ['/about'],
    '/en#/about',
  ],
  [
    'a semicolon behind the prefix of Fastify',
    onFastify({ routerOptions: { useSemicolonDelimiter: true } }, '/en'),
    ['/about'],
    '/en;/about',
  ],
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
])('a page is not open by %s', async (_, start, open, path) => {
  const { body } = await exactly(await start({ protect: ['/'], open }), path);

  expect(body).not.toMatch(/page of \/(?!about)/);
});

test('a rule from the root of the site applies to a page that is open below the mount', async () => {
  for (const start of [mounted['a router of Express 5 below /en'], mounted['a plugin of Fastify with the prefix /en']])
    expect(
      (await exactly(await start!({ protect: ['/', '/en/about/team'], open: ['/about'] }), '/en/about/team')).status,
    ).toBe(401);
});

test('a rule applies below a mount of many segments', async () => {
  const start = onExpress(express, (app, pagesBelow) => {
    const router = express.Router();
    pagesBelow(router);
    app.use('/*tenant/t', router);
  });

  for (const path of ['/1/2/3/4/5/6/7/8/9/t/private/keys', '/x%2fz//y/t/private', '/a/t/private'])
    expect([path, (await exactly(await start({ protect: ['/private'] }), path)).status]).toEqual([path, 401]);
});

test('nested routers of Express take rules below each mount', async () => {
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

/** Headers with addresses, as proxies and frameworks send them. */
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
  'Express in a router': mounted['a router of Express 5 below /en']!,
  withSession: async (options) => {
    const handler = withSession(sessions, () => new Response('page'), { signIn: false, ...options });
    return (await listeningFetch(handler)).url;
  },
  'the proxy of Next': async (options) => {
    const proxy = nextSessions(sessions).proxy({ signIn: false, ...options });
    return (await listeningFetch((request) => proxy(request))).url;
  },
};

describe.each(Object.entries(everywhere))('no header changes the address of a request: %s', (_, start) => {
  test.each(addressHeaders)('%s', async (header) => {
    const url = await start({ protect: ['/private', '/en/private'], open: ['/private/open'] });

    for (const path of ['/private', '/about', '/en/private', '/en/about', '/private/open']) {
      const without = await exactly(url, path);
      for (const value of ['/private', '/about', '/private/open', '/de'])
        expect([path, value, await exactly(url, path, { [header]: value })]).toEqual([path, value, without]);
    }
  });
});
