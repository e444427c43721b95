import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { honoSession } from 'sallyport/hono';
import { createSessions, type ProtectOptions } from 'sallyport/session';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { triesAll } from '../runner/property.js';
import { targetsThatGet } from './asking.js';
import { fixedSeed, randomSeed, spellingsOf, spellingsPerSeed } from './spellings.js';

const sessions = createSessions({
  cookiePassword: 'a password of more than 32 characters',
  clientId: 'client_1',
  baseUrl: 'http://127.0.0.1:9',
});
const guarded: ProtectOptions = {
  protect: ['/private', '/api/private', '/files/private'],
  permission: { '/strict': 'reports:read' },
  signIn: false,
};

let files: string;
beforeAll(() => {
  files = mkdtempSync(join(tmpdir(), 'sallyport-files-'));
  mkdirSync(join(files, 'files/private'), { recursive: true });
  writeFileSync(join(files, 'files/private/s.txt'), 'ran /files/private');
});
afterAll(() => rmSync(files, { recursive: true, force: true }));

const routes = ['/private', '/api/private', '/strict'];

/** Starts a server whose handlers report which of them ran, and returns its URL. */
type Start = (options: ProtectOptions) => Promise<string>;

// The compiler reads Express 4 as the newer version.
const nameOfExpress4: string = 'express4';

const homeOf = (address: AddressInfo | string | null): string => `http://127.0.0.1:${Object(address).port}/`;

const startServer = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return homeOf(server.address());
};

const onFastify = async (options: ProtectOptions, routerOptions: object): Promise<string> => {
  const app = fastify({ routerOptions });
  onTestFinished(() => app.close());
  await app.register(fastifySession(sessions, options));
  for (const path of routes) for (const below of ['', '/:id', '/*']) app.all(path + below, async () => `ran ${path}`);
  await app.listen({ port: 0 });
  return homeOf(app.server.address());
};

/** How programs without a router read the path of a request. */
const readings: readonly ((path: string) => string)[] = [
  (path) => path.replace(/#.*/s, ''),
  (path) => new URL(path, 'http://site').pathname,
  (path) => decodeURIComponent(path),
  (path) => decodeURIComponent(new URL(path, 'http://site').pathname),
  (path) => decodeURIComponent(decodeURIComponent(path)),
  (path) => normalize(decodeURIComponent(path)),
  (path) => new URL(decodeURIComponent(path), 'http://site').pathname,
  (path) => decodeURI(path).toLowerCase().trim(),
];

const servers: Readonly<Record<string, Start>> = {
  'Express 4': async (options) => {
    const express4: typeof express = (await import(nameOfExpress4)).default;
    const app = express4();
    app.use(expressSession(sessions, options));
    for (const path of routes)
      for (const below of ['', '/:id', '/*']) app.all(path + below, (_, res) => res.send(`ran ${path}`));
    app.use(express4.static(files));
    return startServer(app);
  },
  'Express 5': (options) => {
    const app = express();
    app.use(expressSession(sessions, options));
    for (const path of routes)
      for (const below of ['', '/:id', '/*all']) app.all(path + below, (_, res) => void res.send(`ran ${path}`));
    app.use(express.static(files));
    return startServer(app);
  },
  Fastify: (options) => onFastify(options, {}),
  'Fastify (lenient options)': (options) =>
    onFastify(options, {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      caseSensitive: false,
      useSemicolonDelimiter: true,
    }),
  Hono: async (options) => {
    const app = new Hono();
    app.use(honoSession(sessions, options));
    for (const path of routes)
      for (const below of ['', '/:id', '/*']) app.all(path + below, (c) => c.text(`ran ${path}`));
    app.use(serveStatic({ root: files }));
    const server = serve({ fetch: app.fetch, port: 0 });
    onTestFinished(() => void server.close());
    return homeOf(server.address());
  },
  'node:http': (options) => {
    const guard = expressSession(sessions, options);
    return startServer((request, response) =>
      guard(request, response, () => {
        const ran = readings.flatMap((read) => {
          try {
            const path = read((request.url ?? '').replace(/\?.*/s, ''));
            return routes.filter((route) => `${path}/`.startsWith(`${route}/`)).map((route) => `ran ${route}`);
          } catch {
            return [];
          }
        });
        response.end(ran.join(' '));
      }),
    );
  },
};

// `npm run test:all` also tries spellings that are different in every run.
const seeds = triesAll ? [fixedSeed, randomSeed] : [fixedSeed];
const count = triesAll ? spellingsPerSeed : 8;
// About 60 of 500 spellings reach an unprotected page. A small sample can fall below 5% by chance.
const controls = triesAll ? 500 : 8;

const combinations = seeds.flatMap((seed) =>
  Object.entries(servers).map(([name, start]) => [name, start, seed] as const),
);

describe.each(combinations)('in %s,', (name, start, seed) => {
  const hasFiles = /Express|Hono/.test(name);

  test.each([
    ['a protected page', '/private', 'GET', '/private'],
    ['a page below a protected path', '/private/42', 'GET', '/private'],
    ['a protected API route', '/api/private', 'GET', '/api/private'],
    ['a protected action', '/private', 'POST', '/private'],
    ['a page that requires a permission', '/strict', 'GET', '/strict'],
    ...(hasFiles ? [['a protected file', '/files/private/s.txt', 'GET', '/files/private']] : []),
  ])(
    `none of ${count} path spellings (seed ${seed}) lets an unauthenticated request reach %s`,
    async (_, path = '', method = '', route = '') => {
      const spellings = spellingsOf(path, count, seed);

      const reached = await targetsThatGet(`ran ${route}`, await start(guarded), spellings, { method });

      expect(reached).toEqual([]);
    },
  );

  test(`more than 5% of ${controls} path spellings (seed ${seed}) reach the page if no path is protected (control)`, async () => {
    const home = await start({});

    const reached = await targetsThatGet('ran /private', home, spellingsOf('/private', controls, seed));

    expect(reached.length).toBeGreaterThan(controls / 20);
  });
});
