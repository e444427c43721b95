import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { accessOf, expressSession, requireRecent, requireSession, respond, sessionOf } from 'sallyport/express';
import type { HandleResult } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { conformance } from './conformance.js';
import { noTokens } from './no-tokens.js';

describe('express', () => {
  conformance(async (sessions, gate) => {
    const app = express();
    app.use((_, res, next) => {
      res.append('set-cookie', 'theme=dark');
      next();
    });
    app.use(expressSession(sessions));
    app.use('/twice', expressSession(sessions));
    app.get(['/who', '/twice'], (req, res) => {
      res.json({ status: req.auth.status, email: req.auth.session?.user.email ?? null });
    });
    app.get('/news', (req, res) => {
      res.set('cache-control', `${req.query.caching ?? 'max-age=60'}`).send('news');
    });
    app.get('/private', requireSession(sessions), (req, res) => {
      res.json({ email: sessionOf(req).user.email });
    });
    app.get('/api', requireSession(sessions, { bearer: true, signIn: true }), (req, res) => {
      res.json({ userId: accessOf(req).userId, cookie: req.auth.status });
    });
    app.get('/recent', requireRecent(sessions, { maxAgeSec: 300, signIn: true }), (req, res) => {
      res.json({ userId: accessOf(req).userId });
    });
    // In a separate router, where `req.url` is only the part after `/pages`.
    const pages = express.Router();
    pages.get('/reports', requireSession(sessions, { signIn: true }), (req, res) => {
      res.send(`for ${sessionOf(req).user.email}`);
    });
    app.use('/pages', pages);
    app.get('/stream', async (_, res) => {
      for (const chunk of ['one', 'two', 'three']) {
        res.write(chunk);
        await gate.passed();
      }
      res.end();
    });
    app.get('/sign-out', async (req, res) => respond(res, await sessions.signOut(req)));
    app.get('/callback', async (req, res) => respond(res, await sessions.finishSignIn(req)));
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Listening on a port gives an address with a port.
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      close: async () => {
        server.closeAllConnections();
        server.close();
      },
    };
  });
});

test('sessionOf throws with instructions if no session is required', () => {
  expect(() => sessionOf({})).toThrow(/No user is signed in here\. Add requireSession before this handler/);
});

test('an answer of requireSession is never cached, even if another middleware allows it', async () => {
  const app = express();
  app.use((_, res, next) => {
    res.set('cache-control', 'max-age=60');
    next();
  });
  const signedOut: HandleResult = {
    status: 'signed_out',
    session: null,
    reason: 'no_cookie',
    headers: new Headers(),
  };
  app.get(
    '/',
    requireSession({ handle: async () => signedOut, startSignIn: async () => Promise.reject(), ...noTokens }),
  );
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  // Listening on a port gives an address with a port.
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

  expect([response.status, response.headers.get('cache-control')]).toEqual([401, 'no-store']);
  server.close();
});

test('who opens a page while it cannot be known sees a page, of the application if it makes one', async () => {
  const later: HandleResult = {
    status: 'retry_later',
    session: null,
    reason: 'timeout',
    retryAfterMs: 1_000,
    cause: undefined,
    headers: new Headers(),
  };
  const sessions = { handle: async () => later, startSignIn: async () => Promise.reject(), ...noTokens };
  const app = express();
  app.get('/', requireSession(sessions));
  app.get('/own', requireSession(sessions, { page: ({ reason, tryAgain }) => `<p>${reason}, ${tryAgain || 'here'}` }));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port gives an address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const pages = await Promise.all(['/', '/own'].map((path) => browse(url + path, { accept: 'text/html' })));

  expect(pages.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
    [503, '1'],
    [503, '1'],
  ]);
  expect(await pages[0]!.text()).toContain('<h1>Signing in is not possible right now.</h1>');
  expect(await pages[1]!.text()).toBe('<p>temporarily_unavailable, here');
  server.close();
});
