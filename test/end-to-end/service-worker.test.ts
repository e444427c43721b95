import { createServer } from 'node:http';
import express from 'express';
import type { Browser } from 'playwright-core';
import { expressSession } from 'sallyport/express';
import { createSessions } from 'sallyport/session';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listening } from '../adapters/hosts.js';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';
import { seed } from './people.js';
import { Visitor } from './visitor.js';

/** Service workers, with the mode and the destination of the navigations that reach the application. */
const workers = [
  {
    does: 'fetches each request',
    opening: 'navigate/empty',
    script: `
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => event.respondWith(fetch(event.request)));`,
  },
  {
    does: 'uses navigation preload',
    opening: 'navigate/document, preloaded',
    script: `
addEventListener('activate', (event) => event.waitUntil((async () => {
  await registration.navigationPreload.enable();
  await clients.claim();
})()));
addEventListener('fetch', (event) => event.respondWith((async () => (await event.preloadResponse) ?? fetch(event.request))()));`,
  },
];

requires('chromium-headless-shell')('an application with a service worker', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Starts the application, and opens a tab that its service worker controls. */
  async function visited(worker: string) {
    const { emulator } = await stage({ seed, listen: true });
    const app = express();
    const home = (await listening(createServer(app))).url.replace('127.0.0.1', 'localhost');
    await emulator.addRedirectUri(`${home}/callback`);
    const sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: 'a password of more than 32 characters',
      redirectUri: `${home}/callback`,
      now: () => emulator.clock.now(),
      limits: { idleMs: 30 * 60_000 },
    });
    const received: string[] = [];
    app.get('/worker.js', (_, response) => void response.type('js').send(worker));
    app.use(({ method, path, headers }, _, next) => {
      const preloaded = headers['service-worker-navigation-preload'] ? ', preloaded' : '';
      received.push(`${method} ${path} ${headers['sec-fetch-mode']}/${headers['sec-fetch-dest']}${preloaded}`);
      next();
    });
    app.use(expressSession(sessions, { protect: ['/account'], routes: true, csrf: true }));
    app.get('/', (_, response) => void response.send('<h1>Home</h1><a href="/sign-in">Sign in</a>'));
    app.get('/account', ({ auth }, response) => {
      response.send(`<h1>${auth.session?.user.email}</h1><form method="post"><button>Save</button></form>`);
    });
    app.post('/account', (_, response) => void response.send('<h1>Saved</h1>'));

    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const visitor = new Visitor(await context.newPage(), home);
    await visitor.opens('/');
    await visitor.page.evaluate(() => navigator.serviceWorker.register('/worker.js'));
    await visitor.page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
    received.length = 0;
    const hasActivity = async () =>
      (await context.cookies(home)).some(({ name }) => name === 'sallyport-session-activity');
    return { emulator, home, visitor, received, hasActivity };
  }

  describe.each(workers.map((worker) => [worker.does, worker] as const))('that %s', (_, { opening, script }) => {
    test('signs in a user who opens a protected page, and then shows the page', async () => {
      const { visitor, home, received } = await visited(script);

      await visitor.givesPassword('ada@example.com');

      expect([await visitor.title(), visitor.page.url()]).toEqual(['ada@example.com', `${home}/account`]);
      expect(received).toEqual([`GET /account ${opening}`, `GET /callback ${opening}`, `GET /account ${opening}`]);
    });

    test('redirects to the service if the user follows a link to /sign-in', async () => {
      const { visitor, emulator, received } = await visited(script);

      await visitor.follows('Sign in');

      expect(new URL(visitor.page.url()).origin).toBe(emulator.url);
      expect(await visitor.title()).toBe('Sign in');
      expect(received).toEqual([`GET /sign-in ${opening}`]);
    });

    test('ends a session if no page is opened within the idle limit', async () => {
      const { visitor, emulator, received, hasActivity } = await visited(script);
      await visitor.givesPassword('ada@example.com');
      received.length = 0;

      const seen: unknown[] = [];
      for (const minutes of [29, 29, 31]) {
        await emulator.clock.advance(`${minutes}m`);
        await visitor.opens('/account');
        seen.push([await visitor.title(), await hasActivity()]);
      }

      expect(seen).toEqual([
        ['ada@example.com', true],
        ['ada@example.com', true],
        ['Sign in', false],
      ]);
      expect(received).toEqual(Array(3).fill(`GET /account ${opening}`));
    });

    test('shows a link back to the page if a form is submitted after the session has ended', async () => {
      const { visitor, emulator, received } = await visited(script);
      await visitor.givesPassword('ada@example.com');
      await visitor.presses('Save');
      const saved = await visitor.title();
      await visitor.opens('/account');
      await emulator.clock.advance('31m');
      received.length = 0;

      await visitor.presses('Save');
      const refused = await visitor.title();
      await visitor.follows('Try again');

      expect([saved, refused]).toEqual(['Saved', 'You are no longer signed in.']);
      expect(new URL(visitor.page.url()).origin).toBe(emulator.url);
      // Chromium preloads only GET requests.
      expect(received).toEqual(['POST /account navigate/empty', `GET /account ${opening}`]);
    });

    test('rejects a cross-origin form', async () => {
      const { visitor, home, received } = await visited(script);
      await visitor.givesPassword('ada@example.com');
      const form = `<form method="post" action="${home}/account"><button>Win</button></form>`;
      const { url } = await serve({ headers: { 'content-type': 'text/html' }, body: form });
      received.length = 0;

      // Another port of the same host is another origin of the same site, so the request has the cookie.
      await visitor.opens(url.replace('127.0.0.1', 'localhost'));
      await visitor.presses('Win');

      expect(await visitor.title()).toBe('This form was sent from another site.');
      expect(received).toEqual(['POST /account navigate/empty']);
    });
  });
});
