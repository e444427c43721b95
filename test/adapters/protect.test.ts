import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { expressSession } from 'sallyport/express';
import { fastifySession, type WithSession } from 'sallyport/fastify';
import { honoSession, type SessionEnv } from 'sallyport/hono';
import type { HandleResult, ProtectOptions, Sessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { type Application, application } from '../session/application.js';
import { responseTo } from './exactly.js';
import { type Listening, listening, listeningFastify, listeningFetch } from './hosts.js';

declare module 'fastify' {
  interface FastifyRequest extends WithSession {}
}

/** Pages with their own path and the user who sees them, behind the middleware. */
type Serve = (sessions: Sessions, options: ProtectOptions) => Promise<Listening>;

const paths = ['/', '/account', '/account/help', '/other'];
const words = (path: string, auth: HandleResult) => `${path} for ${auth.session?.user.email ?? 'strangers'}`;

const pagesOf = (router: express.Router, sessions: Sessions, options: ProtectOptions) => {
  router.use(expressSession(sessions, options));
  for (const path of paths) router.get(path, ({ auth }, response) => void response.send(words(path, auth)));
};

const frameworks: Readonly<Record<string, Serve>> = {
  Express: (sessions, options) => {
    const app = express();
    pagesOf(app, sessions, options);
    app.use('/account', (_, response) => void response.send('/account for strangers'));
    return listening(createServer(app));
  },
  'an Express router': (sessions, options) => {
    const router = express.Router();
    pagesOf(router, sessions, options);
    return listening(createServer(express().use(router)));
  },
  Fastify: async (sessions, options) => {
    const lenient = {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      caseSensitive: false,
      useSemicolonDelimiter: true,
    };
    const app = fastify({ routerOptions: lenient });
    await app.register(fastifySession(sessions, options));
    for (const path of paths) app.get(path, async ({ auth }) => words(path, auth));
    return listeningFastify(app);
  },
  Hono: (sessions, options) => {
    const app = new Hono<SessionEnv>();
    app.use(honoSession(sessions, options));
    for (const path of paths) app.get(path, ({ var: { auth } }) => new Response(words(path, auth)));
    return listeningFetch(app.fetch);
  },
};

const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const script = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

describe.each(Object.entries(frameworks))('with %s, the session middleware', (_, serveOn) => {
  const started = async (options: ProtectOptions) => {
    const app = await application();
    await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
    const { url } = await serveOn(app.sessions, options);
    const ask = async (path: string, headers: Readonly<Record<string, string>> = page, method = 'GET') => {
      const response = await responseTo(url, path, { ...headers, ...app.browser.headers }, method);
      app.browser.keep(response.headers['set-cookie'] ?? []);
      return { status: response.statusCode, location: `${response.headers.location}`, body: await text(response) };
    };
    return { app, ask };
  };
  const comeBack = (app: Application, location: string): Promise<string> =>
    app.approve(`${location}&login_hint=ada@example.com`);

  test('leaves a path open if no protect rule is set', async () => {
    const { ask } = await started({});

    expect(await ask('/account')).toMatchObject({ status: 200, body: '/account for strangers' });
  });

  test('redirects a signed-out user from a protected path to the sign-in page, and then back', async () => {
    const { app, ask } = await started({ protect: ['/account'], open: ['/account/help'], routes: true });

    expect(await ask('/other')).toMatchObject({ status: 200, body: '/other for strangers' });
    expect(await ask('/account/help')).toMatchObject({ status: 200, body: '/account/help for strangers' });
    expect(await ask('/account', script)).toMatchObject({ status: 401, body: '{"error":"unauthorized"}' });
    expect(await ask('/account', { 'sec-purpose': 'prefetch' })).toMatchObject({ status: 204, body: '' });
    const sent = await ask('/account?sort=age');
    expect(sent.location).toContain('/user_management/authorize?');
    const back = await ask(new URL(await comeBack(app, sent.location)).href.replace('http://localhost:3000', ''));
    expect(back).toMatchObject({ status: 302, location: '/account?sort=age' });
    expect(await ask('/account?sort=age')).toMatchObject({ status: 200, body: '/account for ada@example.com' });

    const out = await ask('/sign-out', page, 'POST');
    expect(out.location).toContain('/user_management/sessions/logout?');
    expect(await ask('/other')).toMatchObject({ body: '/other for strangers' });
    expect((await ask('/sign-in?return_to=/other')).location).toContain('/user_management/authorize?');
  });

  test.each([
    '/ACCOUNT',
    '/account/',
    '/account//help/..',
    '/account/help/..',
    '/account/help/../',
    '/%61ccount',
    '//account',
    '/other/../account',
    '/account/../other',
    '/account;x=1',
    'http://localhost/account',
  ])('protects the page /account if the request target is %s', async (path) => {
    const { ask } = await started({ protect: ['/account'], open: ['/account/help'] });

    expect((await ask(path)).body).not.toMatch(/^\/account for/);
  });
});
