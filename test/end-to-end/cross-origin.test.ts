import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import express from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Browser, Page } from 'playwright-core';
import { expressSession } from 'sallyport/express';
import { createSessions } from 'sallyport/session';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listening } from '../adapters/hosts.js';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';
import { seed } from './people.js';
import { Visitor } from './visitor.js';

/** A request that may change something, as Chromium sent it, and the status of its response. */
interface Received {
  readonly request: string;
  readonly origin: string | undefined;
  /** The header `Sec-Fetch-Site`. */
  readonly site: string | string[] | undefined;
  readonly hasCookie: boolean;
  readonly status: number;
}

const receivedOf = ({ method, url, headers }: IncomingMessage, status: number): Received => ({
  request: `${method} ${url}`,
  origin: headers.origin,
  site: headers['sec-fetch-site'],
  hasCookie: /\bsallyport-session=/.test(headers.cookie ?? ''),
  status,
});

/** The response that opens a WebSocket (RFC 6455, 4.2.2). */
const handshakeOf = ({ headers }: IncomingMessage): string => {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
};

/** Opens a WebSocket from a page. */
const openWebSocket = (page: Page, url: string) =>
  page.evaluate(
    (url) =>
      new Promise<'open' | 'failed'>((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('failed');
      }),
    url,
  );

const buttons = (home: string, ...paths: readonly string[]): string =>
  paths.map((path) => `<form method="post" action="${home}${path}"><button>${path}</button></form>`).join('');

requires('chromium-headless-shell')('an application with helmet, CSRF checks and SameSite=None cookies', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Starts the application at `localhost`, and opens a tab with Ada signed in. */
  async function visited(optionsFor: (service: string) => HelmetOptions = () => ({})) {
    const { emulator, sallyport } = await stage({ seed, listen: true });
    const app = express();
    const server = createServer(app);
    const home = (await listening(server)).url.replace('127.0.0.1', 'localhost');
    await emulator.addRedirectUri(`${home}/callback`);
    await emulator.addRedirectUri(`${home}/`);
    const sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: 'a password of more than 32 characters',
      redirectUri: `${home}/callback`,
      now: () => emulator.clock.now(),
      // Chromium treats http://localhost as secure.
      cookie: { sameSite: 'none', secure: true },
    });
    const received: Received[] = [];
    app.post('/{*path}', (request, response, next) => {
      response.on('finish', () => received.push(receivedOf(request, response.statusCode)));
      next();
    });
    app.use(helmet(optionsFor(new URL(emulator.url).origin)));
    app.use(expressSession(sessions, { protect: ['/account'], routes: true, csrf: true }));
    app.get('/', (_, response) => void response.send('<h1>Home</h1>'));
    app.get('/account', ({ auth }, response) => {
      response.send(`<h1>${auth.session?.user.email}</h1>${buttons('', '/account', '/sign-out')}`);
    });
    app.post('/account', (_, response) => void response.send('<h1>Saved</h1>'));
    server.on('upgrade', async (request, socket) => {
      const isCrossOrigin = await sessions.isCrossOrigin(request);
      received.push(receivedOf(request, isCrossOrigin ? 403 : 101));
      socket.end(isCrossOrigin ? 'HTTP/1.1 403 Forbidden\r\n\r\n' : handshakeOf(request));
    });

    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const visitor = new Visitor(await context.newPage(), home);
    await visitor.givesPassword('ada@example.com');
    const hasSession = async () => (await context.cookies(home)).some(({ name }) => name === 'sallyport-session');
    const sessionsOfAda = async () =>
      (await sallyport.userManagement.listSessions('user_ada')).data.map(({ status }) => status);
    return { home, sessionsOfAda, webSocket: `${home.replace('http', 'ws')}/live`, visitor, received, hasSession };
  }

  test('accepts a form from its own page although Chromium sends Origin: null', async () => {
    const { visitor, received } = await visited();

    await visitor.presses('/account');

    expect(await visitor.title()).toBe('Saved');
    expect(received).toEqual([
      { request: 'POST /account', origin: 'null', site: 'same-origin', hasCookie: true, status: 200 },
    ]);
  });

  test("redirects to the home page after a sign-out although helmet's default form-action blocks redirects", async () => {
    const { home, visitor, received, hasSession, sessionsOfAda } = await visited();

    await visitor.page.getByRole('button', { name: '/sign-out' }).click();
    await visitor.page.waitForURL(`${home}/`);

    expect(await visitor.title()).toBe('Home');
    expect(received).toEqual([
      { request: 'POST /sign-out', origin: 'null', site: 'same-origin', hasCookie: true, status: 200 },
    ]);
    expect([await hasSession(), await sessionsOfAda()]).toEqual([false, ['revoked']]);
  });

  test('redirects to the home page after a sign-out if form-action lists the service', async () => {
    const { home, visitor, received, sessionsOfAda } = await visited((service) => ({
      contentSecurityPolicy: { directives: { formAction: ["'self'", service] } },
    }));

    await visitor.presses('/sign-out');

    expect([visitor.page.url(), await visitor.title()]).toEqual([`${home}/`, 'Home']);
    expect(received.map(({ status }) => status)).toEqual([302]);
    expect(await sessionsOfAda()).toEqual(['revoked']);
  });

  test('accepts requests from scripts on its own pages', async () => {
    const { home, visitor, received } = await visited();

    const status = await visitor.page.evaluate(async () => (await fetch('/account', { method: 'POST' })).status);

    expect(status).toBe(200);
    expect(received).toEqual([
      { request: 'POST /account', origin: home, site: 'same-origin', hasCookie: true, status: 200 },
    ]);
  });

  test('allows its own pages to open WebSockets, although Chromium sends no Sec-Fetch-Site', async () => {
    const { home, webSocket, visitor, received } = await visited();

    const outcome = await openWebSocket(visitor.page, webSocket);

    expect(outcome).toBe('open');
    expect(received).toEqual([{ request: 'GET /live', origin: home, site: undefined, hasCookie: true, status: 101 }]);
  });

  const attackers = [
    ['localhost', 'same-site'],
    ['127.0.0.1', 'cross-site'],
  ] as const;

  test.each(attackers)('rejects forms from a different port of %s (%s), and keeps the session', async (host, site) => {
    const { home, visitor, received } = await visited();
    const body = buttons(home, '/account', '/sign-out');
    const origin = (await serve({ headers: { 'content-type': 'text/html' }, body })).url.replace('127.0.0.1', host);

    const titles: unknown[] = [];
    for (const path of ['/account', '/sign-out']) {
      await visitor.opens(origin);
      await visitor.presses(path);
      titles.push(await visitor.title());
    }
    await visitor.opens('/account');

    expect(titles).toEqual(['This form was sent from another site.', 'This form was sent from another site.']);
    expect(received).toEqual([
      { request: 'POST /account', origin, site, hasCookie: true, status: 403 },
      { request: 'POST /sign-out', origin, site, hasCookie: true, status: 403 },
    ]);
    expect(await visitor.title()).toBe('ada@example.com');
  });

  test.each(attackers)('rejects WebSockets from a different port of %s (%s)', async (host) => {
    const { webSocket, visitor, received } = await visited();
    const origin = (await serve({ headers: { 'content-type': 'text/html' } })).url.replace('127.0.0.1', host);
    await visitor.opens(origin);

    const complaint = visitor.page.waitForEvent('console', (message) => message.text().includes(webSocket));
    const outcome = await openWebSocket(visitor.page, webSocket);

    expect(outcome).toBe('failed');
    expect((await complaint).text()).toContain('Unexpected response code: 403');
    expect(received).toEqual([{ request: 'GET /live', origin, site: undefined, hasCookie: true, status: 403 }]);
  });
});
