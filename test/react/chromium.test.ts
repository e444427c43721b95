import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { releases, type Served, serve } from './serve.js';

requires('chromium-headless-shell', 'test/react/eighteen/node_modules')('a server-rendered page', () => {
  describe.each(Object.keys(releases))('in React %s', (release) => {
    let browser: Browser;
    let served: Served;
    let context: BrowserContext;
    /** Problems in any page, including React's warnings about a page that differs from the HTML of the server. */
    let faults: string[];

    beforeAll(async () => {
      browser = await launchChromium();
    }, 60_000);
    afterAll(() => browser?.close());
    beforeEach(async () => {
      faults = [];
      served = await serve(release);
      context = await browser.newContext();
      return async () => {
        await context.close();
        await served.close();
        expect(faults).toEqual([]);
      };
    });

    const open = async (path: string): Promise<Page> => {
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(served.url + path);
      return page;
    };
    const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
    const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
    const signIn = async (page: Page): Promise<void> => {
      await says(page, 'Nobody is signed in');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await giveAccount(page);
    };
    const giveAccount = async (page: Page): Promise<void> => {
      await page.getByLabel('Email address').fill('ada@example.com');
      await press(page, 'Continue');
      await page.getByLabel('Password', { exact: true }).fill('correct horse');
      await page.keyboard.press('Enter');
      await says(page, 'Hello Ada');
      // A button of the server's HTML does nothing before the script has run.
      await page.waitForFunction(() => 'handOver' in window);
    };
    const tokenOf = (page: Page) => page.locator('#token').textContent();
    const changeRole = () =>
      new Sallyport(served.emulator.credentials).userManagement.updateOrganizationMembership('om_ada', {
        roleSlug: 'editor',
      });
    const comeBack = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

    test('signs the user in through a browser client, and shows the original page', async () => {
      const page = await open('/reports?of=2026');

      await signIn(page);

      expect(page.url()).toBe(`${served.url}/reports?of=2026`);
    });

    test('shows a new permission of the user after a refresh', async () => {
      const page = await open('/');
      await signIn(page);
      await says(page, 'Read reports');
      await changeRole();

      await press(page, 'Refresh');

      await says(page, 'Write a report');
    });

    test('gets access tokens that the server accepts, before and after a renewal', async () => {
      const page = await open('/');
      await signIn(page);
      await press(page, 'Ask the server');
      await says(page, 'user_ada');
      const before = await tokenOf(page);

      await press(page, 'Renew the access token');

      await page.locator(`#token:text-is("${before}")`).waitFor({ state: 'detached' });
      await press(page, 'Ask the server');
      await says(page, 'user_ada');
    });

    test('keeps the access token of the server session until a renewal', async () => {
      const page = await open('/server');
      await signIn(page);
      const asked: string[] = [];
      page.on('request', (request) => request.url().endsWith('/server/token') && asked.push(request.method()));

      await press(page, 'Ask the server');
      await says(page, 'user_ada');
      await press(page, 'Ask the server');
      await press(page, 'Renew the access token');
      await press(page, 'Ask the server');
      await says(page, 'user_ada');

      await expect.poll(() => asked).toEqual(['POST', 'POST']);
      const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
      expect(stored).not.toContain('ey');
    });

    test('shares the sign-in, the permissions and the sign-out with a second tab', async () => {
      const one = await open('/');
      const other = await open('/');
      await says(other, 'Nobody is signed in');
      await signIn(one);
      await says(other, 'Hello Ada');
      await changeRole();

      await press(one, 'Refresh');
      await says(other, 'Write a report');
      await press(one, 'Sign out');

      await says(other, 'Nobody is signed in');
      await one.waitForURL(`${served.url}/`);
      await says(one, 'Nobody is signed in');
    });

    test('keeps the user signed in and shows an error while the service is unreachable', async () => {
      const page = await open('/');
      await signIn(page);
      await context.setOffline(true);

      await press(page, 'Refresh');

      await page.getByRole('alert').getByText('network_error').waitFor();
      await says(page, 'Hello Ada');
      await context.setOffline(false);
      await press(page, 'Refresh');
      await page.getByRole('alert').waitFor({ state: 'detached' });
      // The request is repeated.
      expect([...new Set(faults.splice(0))]).toEqual([expect.stringContaining('net::ERR_INTERNET_DISCONNECTED')]);
    });

    test('shows the error code of a sign-in that the page did not start', async () => {
      const page = await open('/callback?code=forged&state=unknown');

      await page.getByRole('alert').getByText('unknown_state').waitFor();

      await says(page, 'Nobody is signed in');
      expect(page.url()).toBe(`${served.url}/callback`);
    });

    test("shows the server's session, and signs users in and out through the server's routes", async () => {
      const page = await open('/server');
      await signIn(page);
      expect(page.url()).toBe(`${served.url}/server`);
      expect(await (await context.request.get(`${served.url}/server`)).text()).toContain('Hello Ada');

      await press(page, 'Sign out');

      await says(page, 'Nobody is signed in');
      expect(page.url()).toBe(`${served.url}/server`);
    });

    test('reloads the session from the server when the user returns from a different tab', async () => {
      const one = await open('/server');
      await signIn(one);
      const other = await open('/server');
      await says(other, 'Hello Ada');
      await press(one, 'Sign out');
      await says(one, 'Nobody is signed in');

      await comeBack(other);

      await says(other, 'Nobody is signed in');
      expect(faults.splice(0)).toEqual([expect.stringContaining('status of 401')]);
    });

    test('signs the user out when the session route responds with 401', async () => {
      const page = await open('/server');
      await signIn(page);
      served.status = 401;

      await press(page, 'Refresh');

      await says(page, 'Nobody is signed in');
      expect(faults.splice(0)).toEqual([expect.stringContaining('status of 401')]);
    });

    test('shows a changed session from the server, and ignores an unchanged session', async () => {
      const page = await open('/server');
      await signIn(page);
      const session = await page.evaluate(() => document.documentElement.dataset.session ?? '');
      const handOver = (json: string) => page.evaluate(`handOver(${JSON.stringify(json)})`);
      served.status = 401;
      await press(page, 'Refresh');
      await says(page, 'Nobody is signed in');

      await handOver(session);
      expect(await page.getByRole('status').textContent()).toBe('Nobody is signed in');
      await handOver(session.replace('"firstName":"Ada"', '"firstName":"Augusta"'));
      await says(page, 'Hello Augusta');
      await handOver('null');
      await says(page, 'Nobody is signed in');

      expect(faults.splice(0)).toEqual([expect.stringContaining('status of 401')]);
    });

    test('requests the session if the server has not passed a session', async () => {
      await signIn(await open('/server'));

      const page = await open('/server/asking');

      await says(page, 'Hello Ada');
    });

    test('can use a router to navigate after a sign-in', async () => {
      const page = await open('/reports');
      await page.evaluate(() => sessionStorage.setItem('router', 'yes'));

      await signIn(page);

      await page.waitForFunction(() => document.title === 'At /reports');
      expect(page.url()).toBe(`${served.url}/callback`);
    });

    test('shows the error code if a sign-in cannot start', async () => {
      const page = await open('/');
      await says(page, 'Nobody is signed in');
      await page.evaluate(() => Object.defineProperty(window, 'sessionStorage', { value: null }));

      await page.getByRole('link', { name: 'Sign in' }).click();

      await page.getByRole('alert').getByText('storage_blocked').waitFor();
    });

    describe('that requires a session', () => {
      beforeEach(() => context.addInitScript(() => sessionStorage.setItem('needs a session', 'yes')));

      test('starts one sign-in for a signed-out user, and is shown after the sign-in', async () => {
        const page = await open('/reports?of=2026');
        await giveAccount(page);

        expect(page.url()).toBe(`${served.url}/reports?of=2026`);
        expect(served.emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
      });

      test('is shown after a sign-in, even if a static host adds a slash to the callback path', async () => {
        served.moved = (url) => url.replace('/callback?', '/callback/?');
        const page = await open('/reports?of=2026');
        await giveAccount(page);

        expect(page.url()).toBe(`${served.url}/reports?of=2026`);
        expect(served.emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
      });

      test('starts only one sign-in for an invitation link', async () => {
        const started: string[] = [];
        context.on('request', (request) => request.url().includes('/authorize?') && started.push(request.url()));
        const page = await open('/callback?code=of_the_invitation');
        await giveAccount(page);

        expect([page.url(), started.length]).toEqual([`${served.url}/`, 1]);
      });

      test('shows an error if the sign-in for an invitation returns without a state', async () => {
        served.moved = (url) => url.replace(/&state=.*/, '');
        const page = await open('/callback?code=of_the_invitation');
        await page.getByLabel('Email address').fill('ada@example.com');
        await press(page, 'Continue');
        await page.getByLabel('Password', { exact: true }).fill('correct horse');
        await page.keyboard.press('Enter');

        await page.getByRole('alert').getByText('unknown_state').waitFor();
        await says(page, 'Nobody is signed in');
        expect(page.url()).toBe(`${served.url}/callback`);
      });

      test('does not start a sign-in in a second tab after a sign-out in the first tab', async () => {
        const one = await open('/reports');
        await giveAccount(one);
        const other = await open('/reports');
        await says(other, 'Hello Ada');

        await press(one, 'Sign out');

        await one.getByLabel('Email address').waitFor();
        await says(other, 'Nobody is signed in');
        expect(other.url()).toBe(`${served.url}/reports`);
      });

      test('does not start a sign-in after a failed sign-in', async () => {
        const page = await open('/callback?code=forged&state=unknown');

        await page.getByRole('alert').getByText('unknown_state').waitFor();

        expect(page.url()).toBe(`${served.url}/callback`);
      });
    });

    test('stays signed out if the sign-in link is opened in a new tab', async () => {
      const page = await open('/reports');
      await says(page, 'Nobody is signed in');
      const another = context.waitForEvent('page');

      await page.getByRole('link', { name: 'Sign in' }).click({ modifiers: ['ControlOrMeta'] });

      // Chromium may crash in the new tab, which is not tested here.
      await another;
      await press(page, 'Refresh');
      await says(page, 'Nobody is signed in');
      expect(page.url()).toBe(`${served.url}/reports`);
    });

    test('keeps the user signed in while the session route fails', async () => {
      const page = await open('/server');
      await signIn(page);
      served.status = 503;

      await press(page, 'Refresh');

      await page.getByRole('alert').getByText('service_unavailable').waitFor();
      await says(page, 'Hello Ada');
      served.status = 200;
      await comeBack(page);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      expect(faults.splice(0)).toEqual([expect.stringContaining('status of 503')]);
    });
  });
});
