import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import { honoSession, requireSession, respond, type SessionEnv, sessionOf } from 'sallyport/hono';
import { describe, expect, test } from 'vitest';
import { conformance } from './conformance.js';

describe('hono', () => {
  conformance(async (sessions, gate) => {
    const app = new Hono<SessionEnv>();
    app.use(honoSession(sessions));
    app.use('/twice', honoSession(sessions));
    for (const path of ['/who', '/twice'])
      app.get(path, ({ var: { auth } }) =>
        // A Response of its own, of which Hono would drop headers that were set before.
        Response.json(
          { status: auth.status, email: auth.session?.user.email ?? null },
          { headers: { 'set-cookie': 'theme=dark' } },
        ),
      );
    app.get('/news', (c) => c.text('news', 200, { 'cache-control': c.req.query('caching') ?? 'max-age=60' }));
    app.get('/private', requireSession(sessions), (c) => c.json({ email: sessionOf(c).user.email }));
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
    const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
      const listening = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(listening));
    });
    // Listening on a port gives an address with a port.
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: async () => server.close() };
  });
});

test('sessionOf says what is missing where nothing requires a session', () => {
  expect(() => sessionOf({ var: {} })).toThrow(/Nobody is signed in here\. Put requireSession before this handler/);
});
