import { createServer } from 'node:http';
import express from 'express';
import type { Browser } from 'playwright-core';
import { appendHeaders, expressSession } from 'sallyport/express';
import { createSessions } from 'sallyport/session';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listening } from '../adapters/hosts.js';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';
import { password, seed } from './people.js';

requires('chromium-headless-shell')('an application with a partitioned cookie, embedded in a frame,', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium('--host-resolver-rules=MAP *.test 127.0.0.1');
  });
  afterAll(() => browser?.close());

  test('signs a user in on one embedding site only, and signs the user out again', async () => {
    const { emulator, sallyport } = await stage({ seed });
    const app = express();
    const home = (await listening(createServer(app))).url.replace('127.0.0.1', 'localhost');
    const sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: 'a password of more than 32 characters',
      fetch: emulator.fetch,
      now: () => emulator.clock.now(),
      // Chromium treats http://localhost as secure.
      cookie: { sameSite: 'none', secure: true, partitioned: true },
    });
    app.post('/sign-in', async (request, response) => {
      const tokens = await sallyport.userManagement.authenticateWithPassword({ email: 'ada@example.com', password });
      const lines = await sessions.create(tokens, request);
      appendHeaders(response, new Headers(lines.map((line): [string, string] => ['set-cookie', line])));
      response.redirect('/');
    });
    app.post('/sign-out', async (request, response) => {
      const { headers } = await sessions.signOut(request);
      headers.delete('location');
      appendHeaders(response, headers);
      response.redirect('/');
    });
    app.use(expressSession(sessions));
    app.get('/', ({ auth }, response) => {
      const button = (path: string) => `<form method="post" action="${path}"><button>${path}</button></form>`;
      response.send(`<p>${auth.session?.user.email ?? 'visitor'}</p>${button('/sign-in')}${button('/sign-out')}`);
    });
    const site = await serve({ headers: { 'content-type': 'text/html' }, body: `<iframe src="${home}"></iframe>` });
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const frame = page.frameLocator('iframe');
    const userAt = async (host: string) => {
      await page.goto(site.url.replace('127.0.0.1', host));
      return frame.locator('p').textContent();
    };
    const visitor = await userAt('one.test');

    await frame.getByRole('button', { name: '/sign-in' }).click();
    await frame.getByText('ada@example.com').waitFor();

    expect([visitor, await userAt('two.test'), await userAt('one.test')]).toEqual([
      'visitor',
      'visitor',
      'ada@example.com',
    ]);
    await frame.getByRole('button', { name: '/sign-out' }).click();
    await frame.getByText('visitor').waitFor();
    expect(await userAt('one.test')).toBe('visitor');
    expect(await context.cookies()).toEqual([]);
  });
});
