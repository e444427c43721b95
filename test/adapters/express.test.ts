import { createServer } from 'node:http';
import express from 'express';
import { callerOf, expressSession, requireSession, respond, sessionOf } from 'sallyport/express';
import { describe, expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { conformance, instructs } from './conformance.js';
import { listening } from './hosts.js';
import { knowing } from './knowing.js';

describe('in Express,', () => {
  conformance(async (sessions, gate) => {
    const app = express();
    app.use((_, res, next) => {
      res.append('set-cookie', 'theme=dark');
      next();
    });
    app.use('/private', (_, res, next) => {
      res.set('cache-control', 'max-age=60');
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
      res.json({ userId: callerOf(req).userId, cookie: req.auth.status });
    });
    app.get('/recent', requireSession(sessions, { maxAgeMs: 300_000, signIn: true }), (req, res) => {
      res.json({ userId: callerOf(req).userId });
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
    return listening(createServer(app));
  });

  instructs(() => sessionOf({}));
});

test('requireSession shows the default error page during an outage unless the page option is set', async () => {
  const sessions = knowing({
    status: 'retry_later',
    session: null,
    reason: 'timeout',
    retryAfterMs: 1_000,
    cause: undefined,
    headers: new Headers(),
  });
  const app = express();
  app.get('/', requireSession(sessions));
  app.get('/own', requireSession(sessions, { page: ({ reason, tryAgain }) => `<p>${reason}, ${tryAgain || 'here'}` }));
  const { url } = await listening(createServer(app));

  const pages = await Promise.all(['/', '/own'].map((path) => browse(url + path, { accept: 'text/html' })));

  expect(pages.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
    [503, '1'],
    [503, '1'],
  ]);
  expect(await pages[0]!.text()).toContain('<h1>Signing in is not possible right now.</h1>');
  expect(await pages[1]!.text()).toBe('<p>temporarily_unavailable, here');
});
