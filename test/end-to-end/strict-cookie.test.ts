import { createServer } from 'node:http';
import express, { type Express } from 'express';
import type { Browser } from 'playwright-core';
import { expressSession, respond } from 'sallyport/express';
import { createSessions, type Sessions, type SessionsOptions } from 'sallyport/session';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listening } from '../adapters/hosts.js';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';
import { seed } from './people.js';
import { Visitor } from './visitor.js';

const minute = 60_000;

requires('chromium-headless-shell')('an application with SameSite=Strict cookies', () => {
  let browser: Browser;
  beforeAll(async () => {
    // Each of these names is another site.
    browser = await launchChromium('--host-resolver-rules=MAP *.test 127.0.0.1');
  });
  afterAll(() => browser?.close());

  /** Starts the application at `localhost` and its service on the site `127.0.0.1`, and opens a tab. */
  async function staged(
    options: Partial<SessionsOptions> = {},
    callbackOf?: (app: Express, sessions: Sessions) => unknown,
  ) {
    const { emulator } = await stage({ seed, listen: true });
    const app = express();
    const home = (await listening(createServer(app))).url.replace('127.0.0.1', 'localhost');
    for (const path of ['/callback', '/']) await emulator.addRedirectUri(home + path);
    const sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: 'a password of more than 32 characters',
      redirectUri: `${home}/callback`,
      now: () => emulator.clock.now(),
      cookie: { sameSite: 'strict' },
      ...options,
    });
    const requests: string[] = [];
    app.use(({ path }, _, next) => {
      if (path !== '/favicon.ico') requests.push(path);
      next();
    });
    callbackOf?.(app, sessions);
    app.use(expressSession(sessions, { protect: ['/account'], maxAgeMs: { '/password': 5 * minute }, routes: true }));
    app.use(({ auth, originalUrl }, response) => {
      response.send(
        `<h1>${originalUrl}</h1><p>${auth.session?.user.email ?? 'visitor'}</p>` +
          '<a href="/password">Password</a><form method="post" action="/sign-out"><button>Sign out</button></form>',
      );
    });
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const visitor = new Visitor(await context.newPage(), home);
    /** Waits for a page of the application, and returns its user. */
    const userAt = async (path: string): Promise<string | null> => {
      await visitor.page.waitForURL(`${home}${path}`);
      return visitor.says();
    };
    return { emulator, sessions, home, requests, visitor, userAt };
  }

  test.each<[string, ((app: Express, sessions: Sessions) => unknown) | undefined]>([
    ['built-in routes', undefined],
    [
      'respond()',
      (app, sessions) =>
        app.get('/callback', async (request, response) => {
          respond(response, await sessions.finishSignIn(request), { page: () => 'a page for problems' });
        }),
    ],
    [
      'headers from finishSignIn(), status 200',
      (app, sessions) =>
        app.get('/callback', async (request, response) => {
          response
            .setHeaders((await sessions.finishSignIn(request)).headers)
            .status(200)
            .end();
        }),
    ],
    [
      'headers from finishSignIn(), status 302',
      (app, sessions) =>
        app.get('/callback', async (request, response) => {
          response
            .setHeaders((await sessions.finishSignIn(request)).headers)
            .status(302)
            .end();
        }),
    ],
  ])('redirects users to the requested page after sign-in (%s)', async (_, callbackOf) => {
    const { requests, visitor, userAt } = await staged({}, callbackOf);
    await visitor.opens('/account?page=2&sort=a;b');
    await visitor.signsIn('ada@example.com');

    expect(await userAt('/account?page=2&sort=a;b')).toBe('ada@example.com');
    expect(requests).toEqual(['/account', '/callback', '/account']);
  });

  test('does not show the callback again if the user goes back after sign-in', async () => {
    const { visitor, userAt } = await staged();
    await visitor.opens('/');
    await visitor.givesPassword('ada@example.com');
    await userAt('/account');

    await visitor.page.goBack();

    expect(new URL(visitor.page.url()).pathname).not.toBe('/callback');
  });

  test('redirects to the home page if the user opens a used callback URL', async () => {
    const { home, visitor, userAt } = await staged();
    await visitor.givesPassword('ada@example.com');
    await userAt('/account');

    await visitor.opens('/callback?code=used&state=used');

    expect(await userAt('/')).toBe('ada@example.com');
    expect(visitor.page.url()).toBe(`${home}/`);
  });

  test('asks users to sign in again if the session is older than the maxAgeMs of a page', async () => {
    const { emulator, visitor, userAt, requests } = await staged();
    await visitor.givesPassword('ada@example.com');
    await userAt('/account');
    await emulator.clock.advance('6m');
    requests.length = 0;

    await visitor.follows('Password');
    await visitor.signsIn('ada@example.com');

    expect(await userAt('/password')).toBe('ada@example.com');
    expect(requests).toEqual(['/password', '/callback', '/password']);
  });

  test('signs users out', async () => {
    const { visitor, userAt } = await staged();
    await visitor.givesPassword('ada@example.com');
    await userAt('/account');

    await visitor.presses('Sign out');

    expect(await userAt('/')).toBe('visitor');
    await visitor.page.reload();
    expect(await visitor.says()).toBe('visitor');
  });

  test('shows a protected page to a signed-in user who follows a link on another site', async () => {
    const { home, visitor, userAt } = await staged();
    await visitor.givesPassword('ada@example.com');
    await userAt('/account');
    const site = await serve({
      headers: { 'content-type': 'text/html' },
      body: `<a href="${home}/account">Account</a>`,
    });
    await visitor.page.goto(site.url.replace('127.0.0.1', 'other.test'));

    await visitor.follows('Account');

    expect(await userAt('/account')).toBe('ada@example.com');
  });

  test('redirects after sign-in to an external site that onSignedIn allows', async () => {
    const shop = await serve({ headers: { 'content-type': 'text/html' }, body: '<p>Shop</p>' });
    const address = `${shop.url.replace('127.0.0.1', 'shop.test')}/?a=1&b="c"`;
    const allow = [new URL(address).origin];
    const { visitor } = await staged({ onSignedIn: () => ({ redirectTo: address, allow }) });

    await visitor.givesPassword('ada@example.com');

    await visitor.page.waitForURL(/shop\.test/);
    expect(await visitor.says()).toBe('Shop');
    expect(shop.requests[0]?.target).toBe('/?a=1&b=%22c%22');
    expect(shop.requests[0]?.headers.referer).toBeUndefined();
  });

  test.each([
    ['even if a public page is opened first', true],
    ['if a protected page is opened first', false],
  ])('asks the user to sign in again after the idle limit %s', async (_, isOpened) => {
    const { emulator, visitor, userAt, home } = await staged({ limits: { idleMs: 30 * minute } });
    await visitor.givesPassword('ada@example.com');
    await userAt('/account');
    await emulator.clock.advance('31m');
    if (isOpened) await visitor.opens('/');
    const site = await serve({
      headers: { 'content-type': 'text/html' },
      body: `<a href="${home}/account">Account</a>`,
    });
    await visitor.page.goto(site.url.replace('127.0.0.1', 'other.test'));

    await visitor.follows('Account');
    expect(await visitor.title()).toBe('Sign in');
    await visitor.signsIn('ada@example.com');

    expect(await userAt('/account')).toBe('ada@example.com');
    await visitor.opens('/sign-in?return_to=/account');
    // The mark of the ended session is gone, so the service signs the user in at once.
    expect(await userAt('/account')).toBe('ada@example.com');
  });
});
