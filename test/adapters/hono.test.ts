import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import {
  appendHeaders,
  callerOf,
  honoSession,
  requireSession,
  respond,
  type SessionEnv,
  sessionOf,
} from 'sallyport/hono';

import { describe, expect, test } from 'vitest';
import { application } from '../session/application.js';
import { conformance, instructs } from './conformance.js';
import { listeningFetch } from './hosts.js';
import { knowing, signedOut } from './knowing.js';

describe('in Hono,', () => {
  conformance(async (sessions, gate) => {
    const app = new Hono<SessionEnv>();
    app.use('/private', async (c, next) => {
      c.header('cache-control', 'max-age=60');
      await next();
    });
    app.use(honoSession(sessions));
    app.use('/twice', honoSession(sessions));
    for (const path of ['/who', '/twice'])
      app.get(path, ({ var: { auth } }) =>
        // A separate Response, because Hono would drop headers that were set before.
        Response.json(
          { status: auth.status, email: auth.session?.user.email ?? null },
          { headers: { 'set-cookie': 'theme=dark' } },
        ),
      );
    app.get('/news', (c) => c.text('news', 200, { 'cache-control': c.req.query('caching') ?? 'max-age=60' }));
    app.get('/private', requireSession(sessions), (c) => c.json({ email: sessionOf(c).user.email }));
    app.get('/api', requireSession(sessions, { bearer: true, signIn: true }), (c) =>
      c.json({ userId: callerOf(c).userId, cookie: c.var.auth.status }),
    );
    app.get('/recent', requireSession(sessions, { maxAgeMs: 300_000, signIn: true }), (c) =>
      c.json({ userId: callerOf(c).userId }),
    );
    const pages = new Hono<SessionEnv>();
    pages.get('/reports', requireSession(sessions, { signIn: true }), (c) => c.text(`for ${sessionOf(c).user.email}`));
    app.route('/pages', pages);
    app.get('/stream', (c) =>
      stream(c, async (out) => {
        for (const chunk of ['one', 'two', 'three']) {
          await out.write(chunk);
          await gate.passed();
        }
      }),
    );
    app.get('/sign-out', async (c) => respond(await sessions.signOut(c.req.raw)));
    app.get('/callback', async (c) => respond(await sessions.finishSignIn(c.req.raw)));
    return listeningFetch(app.fetch);
  });

  instructs(() => sessionOf({ var: {} }));
});

describe('in Hono, the new session cookie', () => {
  const cookie = 'sallyport-session=; Path=/; Max-Age=0';
  const refreshing = (line = cookie) => knowing(signedOut(['set-cookie', line]));

  test('is kept out of shared caches, even if the handler allows caching', async () => {
    const app = new Hono<SessionEnv>();
    app.use(honoSession(refreshing()));
    app.get('/', (c) => c.text('', 200, { 'surrogate-control': 'max-age=600', 'cache-control': 'public' }));

    const { headers } = await app.request('/');

    expect([headers.get('surrogate-control'), headers.get('cache-control')]).toEqual([null, 'private, no-store']);
    expect(headers.getSetCookie()).toEqual([cookie]);
  });

  test('is replaced by a session cookie that the handler appends', async () => {
    const app = new Hono<SessionEnv>();
    app.use(honoSession(refreshing()));
    app.get('/', (c) => {
      const switched = new Headers([
        ['set-cookie', 'sallyport-session=new; Path=/'],
        ['set-cookie', 'sallyport-session.1=more; Path=/'],
        ['cache-control', 'no-store'],
      ]);
      appendHeaders(c, switched);
      return c.text('switched');
    });

    const { headers } = await app.request('/');

    expect(headers.getSetCookie()).toEqual(['sallyport-session=new; Path=/', 'sallyport-session.1=more; Path=/']);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('is also set in an error response', async () => {
    const app = new Hono<SessionEnv>();
    app.use(honoSession(refreshing()));
    app.get('/', () => {
      throw new Error('the database is gone');
    });
    app.onError((_, c) => c.text('sorry', 500));

    const response = await app.request('/');

    expect([response.status, response.headers.getSetCookie()]).toEqual([500, [cookie]]);
  });

  test('is set only once for each session, even if the middleware runs twice', async () => {
    const [users, staff] = [refreshing(), refreshing('staff-session=; Path=/; Max-Age=0')];
    const app = new Hono<SessionEnv>();
    for (const one of [users, staff, users, refreshing()]) app.use(honoSession(one));
    app.get('/', (c) => c.text('', 200, { 'set-cookie': 'theme=dark' }));

    const { headers } = await app.request('/');

    expect(headers.getSetCookie().sort()).toEqual([cookie, 'staff-session=; Path=/; Max-Age=0', 'theme=dark']);
  });
});

test("honoSession passes a pending refresh to the worker's waitUntil", async () => {
  const { sessions, browser, emulator, sallyport, signIn } = await application();
  await sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
  await signIn();
  await emulator.clock.advance('6m');
  const app = new Hono<SessionEnv>();
  app.use(honoSession(sessions));
  app.get('/', ({ var: { auth } }) => new Response(auth.status));
  const waiting: Promise<unknown>[] = [];
  const context = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise), passThroughOnException() {} };

  const response = await app.fetch(
    new Request('http://localhost/', { headers: browser.headers }),
    {},
    {
      ...context,
      props: {},
    },
  );

  expect([await response.text(), waiting.length]).toEqual(['refreshed', 1]);
});
