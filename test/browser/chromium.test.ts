import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Served, serveExample } from '../../examples/browser/serve.js';
import { requires } from '../runner/requirements.js';
import { launchChromium } from './chromium.js';

requires('chromium-headless-shell')('the example application in a browser', () => {
  let browser: Browser;
  let served: Served;
  let context: BrowserContext;
  /** Problems in any page: errors, and violations of the content security policy. */
  let faults: string[];

  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());
  beforeEach(() => {
    faults = [];
    return async () => {
      await context?.close();
      await served?.close();
      expect(faults).toEqual([]);
    };
  });

  const start = async (storage?: string): Promise<void> => {
    served = await serveExample(storage);
    context = await browser.newContext();
  };
  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.goto(served.url);
    return page;
  };
  const says = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
  const accessTokenOf = (page: Page) => page.locator('dt:text-is("Access token") + dd').textContent();
  const changed = (page: Page, token: string | null) =>
    page.locator(`dd:text-is("${token}")`).waitFor({ state: 'detached' });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const rotations = (): number => served.emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;

  const signIn = async (page: Page): Promise<void> => {
    await press(page, 'Sign in');
    await page.getByLabel('Email address').fill('ada@example.com');
    await press(page, 'Continue');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.keyboard.press('Enter');
    await says(page, 'Hello Ada');
  };

  test('signs a user in, and removes the authorization code from the URL', async () => {
    await start();
    const page = await open();
    await says(page, 'Not signed in');

    await signIn(page);

    expect(page.url()).toBe(`${served.url}/`);
    const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(stored).toBe('[{},{}]');
  });

  test.each(['memory', 'session', 'local'])(
    'with %s storage uses only one refresh token if two tabs refresh at the same time',
    async (storage) => {
      await start(storage);
      const one = await open();
      await signIn(one);
      const other = await open();
      await says(other, 'Hello Ada');
      const before = rotations();
      // The first request waits until the other tab waits for it.
      const held = new Promise<Route>((resolve) => {
        context.route('**/user_management/authenticate', resolve, { times: 1 });
      });
      const [ofOne, ofOther] = [accessTokenOf(one), accessTokenOf(other)];

      await press(one, 'Renew the access token');
      const request = await held;
      await press(other, 'Renew the access token');
      await other.waitForFunction(async () => (await navigator.locks.query()).pending?.length === 1);
      await request.continue();

      await changed(one, await ofOne);
      await changed(other, await ofOther);
      expect(await accessTokenOf(one)).toBe(await accessTokenOf(other));
      expect(rotations() - before).toBe(1);
      await says(one, 'Hello Ada');
      await says(other, 'Hello Ada');
    },
  );

  test('restores the session from local storage after a reload', async () => {
    await start('local');
    const page = await open();
    await signIn(page);

    await page.reload();

    await says(page, 'Hello Ada');
    expect(rotations()).toBe(1);
  });

  test('loses an in-memory session on reload, but the next sign-in needs no password', async () => {
    await start('memory');
    const page = await open();
    await signIn(page);
    await page.reload();
    await says(page, 'Not signed in');

    await press(page, 'Sign in');

    await says(page, 'Hello Ada');
  });

  test('signs the user out in every tab and at the service', async () => {
    await start('session');
    const one = await open();
    await signIn(one);
    const other = await open();
    await says(other, 'Hello Ada');

    await press(one, 'Sign out');

    await says(other, 'Not signed in');
    await one.waitForURL(`${served.url}/`);
    await says(one, 'Not signed in');
    await press(one, 'Sign in');
    await one.getByLabel('Email address').waitFor();
  });

  test('keeps the user signed in after the back button is pressed', async () => {
    await start('local');
    const page = await open();
    await signIn(page);
    await page.goto(`${served.url}/elsewhere`);
    await says(page, 'Hello Ada');

    await page.goBack();

    await says(page, 'Hello Ada');
    expect(page.url()).toBe(`${served.url}/`);
  });

  test('keeps the user signed in while the network is down', async () => {
    await start();
    const page = await open();
    await signIn(page);
    const before = await accessTokenOf(page);
    await context.setOffline(true);

    await press(page, 'Renew the access token');
    await says(page, 'Tokens could not be requested from');
    expect(await accessTokenOf(page)).toBe(before);
    await context.setOffline(false);
    await press(page, 'Renew the access token');

    await changed(page, before);
    await says(page, 'Hello Ada');
    // The request is repeated.
    expect([...new Set(faults.splice(0))]).toEqual([expect.stringContaining('net::ERR_INTERNET_DISCONNECTED')]);
  });

  test('reports that the sign-in module could not be loaded, and keeps the authorization code', async () => {
    await start('local');
    const page = await open();
    const part = '**/rare-pages-*.js';
    await context.route(part, (route) => route.abort());
    await press(page, 'Sign in');
    await says(page, 'A part of sallyport/browser could not be loaded');
    expect(page.url()).toBe(`${served.url}/`);
    await context.unroute(part);
    await page.reload();
    await context.route(part, (route) => (page.url().includes('code=') ? route.abort() : route.continue()));

    await press(page, 'Sign in');
    await page.getByLabel('Email address').fill('ada@example.com');
    await press(page, 'Continue');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.keyboard.press('Enter');
    await says(page, 'A part of sallyport/browser could not be loaded');
    expect(page.url()).toContain('code=');
    await context.unroute(part);
    await page.reload();

    await says(page, 'Hello Ada');
    expect(page.url()).toBe(`${served.url}/`);
    expect(faults.splice(0).every((fault) => fault.includes('net::ERR_FAILED'))).toBe(true);
  });

  test('signs the user out in every tab at the first refresh after the session is revoked', async () => {
    await start();
    const one = await open();
    await signIn(one);
    const other = await open();
    await says(other, 'Hello Ada');
    const { userManagement } = new Sallyport(served.emulator.credentials);
    const sessionId = await one.locator('dt:text-is("Session") + dd').textContent();
    await userManagement.revokeSession({ sessionId: sessionId ?? '' });

    await press(one, 'Renew the access token');

    await says(one, 'The session has ended: invalid_grant');
    await says(other, 'Not signed in');
    // The second request asks for the response of a switch that may have been lost.
    expect(faults.splice(0)).toEqual([
      expect.stringContaining('status of 400'),
      expect.stringContaining('status of 400'),
    ]);
  });

  test("cannot read the service's responses if the page's origin is not registered", async () => {
    await start();
    const page = await context.newPage();
    const ask = async (url: string) => {
      await page.goto(url);
      return page.evaluate(
        (address) =>
          fetch(address, { method: 'POST', body: new URLSearchParams() }).then(({ status }) => status, String),
        `${served.emulator.url}/user_management/authenticate`,
      );
    };

    expect(await ask(served.url)).toBe(400);
    expect(await ask(served.url.replace('127.0.0.1', 'localhost'))).toBe('TypeError: Failed to fetch');
  });

  test('shows a sign-in error that names the browser setting if site data is blocked', async () => {
    await start('local');
    // A sandbox without an origin has no site data, like a browser with "Block all cookies".
    await context.route(`${served.url}/**`, async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      const policy = `${headers['content-security-policy']}; sandbox allow-scripts`;
      await route.fulfill({
        response,
        headers: { ...headers, 'content-security-policy': policy, 'access-control-allow-origin': '*' },
      });
    });
    const page = await open();
    await says(page, 'Not signed in');

    await press(page, 'Sign in');

    await says(page, 'The browser does not let this page store anything');
    expect(await page.evaluate(() => location.pathname)).toBe('/');
  });
});
