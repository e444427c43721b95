import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { password } from './people.js';
import { signedIn, stage } from './visitor.js';

requires('chromium-headless-shell')('a user', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const ada = signedIn('ada@example.com');
  const arrive = async () => {
    const started = await stage(browser);
    return { ...started, visitor: await started.open() };
  };

  describe('who navigates back', () => {
    test('during a sign-in can enter a different email address', async () => {
      const { visitor } = await arrive();
      await visitor.givesPassword('jo@example.com');
      const further = await visitor.title();

      await visitor.page.goBack();
      await visitor.page.goBack();
      const back = await visitor.title();
      await visitor.fills({ 'Email address': 'ada@example.com' });
      await visitor.presses('Continue');
      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');

      expect([further, back]).toEqual(['Choose an organization', 'Sign in']);
      expect(await visitor.says()).toBe(ada);
    });

    test('after a sign-in sees a completion page with a link to the application', async () => {
      const { visitor } = await arrive();
      await visitor.givesPassword('ada@example.com');

      await visitor.page.goBack();
      const title = await visitor.title();
      await visitor.follows(`Go to ${new URL(visitor.url).host}`);

      expect([title, await visitor.says()]).toEqual(['You have already finished', 'Hello Ada.']);
    });

    test('after a sign-out does not see the account page', async () => {
      const { visitor } = await arrive();
      await visitor.givesPassword('ada@example.com');
      await visitor.presses('Sign out');

      await visitor.page.goBack();

      expect(await visitor.title()).toBe('Sign in');
      // The page lists the people of the seed. It shows no account, and the address is empty.
      expect(await visitor.page.getByLabel('Email address').inputValue()).toBe('');
      expect(await visitor.page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    });
  });

  describe('who repeats a sign-in step', () => {
    test('gets only one session after submitting the password twice', async () => {
      const { visitor, sallyport } = await arrive();
      await visitor.givesEmail('ada@example.com');
      await visitor.fills({ Password: password });
      const heard = new Promise<number>((resolve) => {
        // The service answers the first request. The browser does not get this answer, and sends the second request.
        visitor.page.route(
          ({ pathname }) => pathname === '/hosted/authentication-methods',
          async (route) => resolve((await route.fetch({ maxRedirects: 0 })).status()),
          { times: 1 },
        );
      });
      await visitor.page.keyboard.press('Enter');
      const status = await heard;

      // Waiting for the URL itself would end with the first navigation, which the second one aborts.
      const account = visitor.page.waitForResponse((response) => response.url().endsWith('/account'));
      await visitor.page.keyboard.press('Enter');
      await (await account).finished();

      expect([status, await visitor.says()]).toEqual([302, ada]);
      const { data } = await sallyport.userManagement.listSessions('user_ada');
      expect(data).toHaveLength(1);
    });

    test('is redirected to the requested page if the callback is opened again', async () => {
      const { visitor, sallyport } = await arrive();
      const callback = visitor.page.waitForRequest('**/callback?*');
      await visitor.givesPassword('ada@example.com');
      const { id } = (await sallyport.userManagement.listSessions('user_ada')).data[0] ?? {};

      await visitor.opens((await callback).url());
      const greeting = await visitor.says();
      await visitor.opens('/account');

      expect([greeting, await visitor.says()]).toEqual([ada, ada]);
      const { data } = await sallyport.userManagement.listSessions('user_ada');
      expect(data.map((session) => [session.id, session.status])).toEqual([[id, 'active']]);
    });

    test('is not signed in by opening the callback in a second browser', async () => {
      const { visitor, emulator } = await arrive();
      const callback = visitor.page.waitForRequest('**/callback?*');
      await visitor.givesPassword('ada@example.com');
      const context = await browser.newContext();
      const page = await context.newPage();

      await page.goto((await callback).url());
      const failure = await page.getByRole('paragraph').first().textContent();
      await context.close();
      await emulator.clock.advance('6m');
      await visitor.page.reload();

      expect(failure).toBe('The sign-in failed (no_pending_flow).');
      expect(await visitor.says()).toBe(ada);
    });
  });

  describe('who resumes a sign-in', () => {
    test('after half an hour sees that the sign-in has expired, and can start a new sign-in', async () => {
      const { visitor, emulator } = await arrive();
      await visitor.givesEmail('ada@example.com');
      await emulator.clock.advance('31m');

      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');
      const title = await visitor.title();
      await visitor.follows(`Go to ${new URL(visitor.url).host}`);
      await visitor.follows('Sign in');
      await visitor.fills({ 'Email address': 'ada@example.com' });
      await visitor.presses('Continue');
      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');

      expect(title).toBe('This sign-in has expired');
      expect(await visitor.says()).toBe(ada);
    });

    test('that was completed in a second tab sees a completion page', async () => {
      const { visitor, open } = await arrive();
      await visitor.givesEmail('ada@example.com');
      const copy = await open();
      await copy.opens(visitor.page.url());
      await copy.fills({ Password: password });
      await copy.presses('Sign in');

      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');

      expect([await copy.says(), await visitor.title()]).toEqual([ada, 'You have already finished']);
    });

    test("without the application's cookies sees an error, and can start a new sign-in", async () => {
      const { visitor, context } = await arrive();
      await visitor.givesEmail('ada@example.com');
      await context.clearCookies({ name: /^sallyport-session/ });

      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');
      const failure = await visitor.says();
      await visitor.follows('Try again');

      expect(failure).toBe('The sign-in failed (no_pending_flow).');
      expect(await visitor.says()).toBe(ada);
    });

    test('without any cookies cannot submit the form, but can start a new sign-in', async () => {
      const { visitor, context } = await arrive();
      await visitor.givesEmail('ada@example.com');
      await context.clearCookies();

      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');
      const refused = await visitor.title();
      await visitor.page.goBack();
      await visitor.page.reload();
      const reloadedTitle = await visitor.title();
      await visitor.givesPassword('ada@example.com');

      expect([refused, reloadedTitle]).toEqual(['This form is not valid', 'This sign-in began in another browser']);
      expect(await visitor.says()).toBe(ada);
    });
  });

  test('with JavaScript disabled can sign in, switch organizations and sign out', async () => {
    const { open } = await stage(browser, { javaScriptEnabled: false });
    const visitor = await open();
    await visitor.givesPassword('jo@example.com');
    await visitor.presses('Tailspin');
    const first = await visitor.says();
    await visitor.presses('Switch to Northwind');
    const second = await visitor.says();

    await visitor.presses('Sign out');

    expect([first, second]).toEqual([signedIn('jo@example.com', 'Tailspin'), signedIn('jo@example.com', 'Northwind')]);
    expect(await visitor.says()).toBe('Hello stranger.');
  });

  test('with only a keyboard can sign in, and always sees which element has the focus', async () => {
    const { visitor } = await arrive();
    const { keyboard } = visitor.page;
    /** The text of the focused element, if its outline is visible. */
    const focused = async () => {
      // A field has the focus as soon as the page is drawn.
      await visitor.page.locator(':focus').waitFor();
      return visitor.page.locator(':focus').evaluate((element: HTMLElement) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const isSeen = element.matches(':focus-visible') && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
        const words = (element instanceof HTMLInputElement ? element.labels?.[0] : element)?.textContent?.trim();
        return isSeen ? words : `unseen: ${words}`;
      });
    };
    /** Presses a key that opens another page. */
    const pressAndLoad = (key: string) =>
      Promise.all([visitor.page.waitForEvent('domcontentloaded'), keyboard.press(key)]);
    const walk: unknown[] = [];
    await visitor.opens('/');
    await keyboard.press('Tab');
    walk.push(await focused());
    await pressAndLoad('Enter');
    walk.push(await focused());
    await keyboard.type('ada@example.com');
    await keyboard.press('Tab');
    walk.push(await focused());
    await pressAndLoad('Space');
    walk.push(await focused());
    await keyboard.type('a lantern on the quay');
    await pressAndLoad('Enter');
    const complaints = await visitor.complaints();
    walk.push(await focused());
    await keyboard.type(password);
    for (const _ of ['Forgot your password?', 'Sign in']) {
      await keyboard.press('Tab');
      walk.push(await focused());
    }

    await pressAndLoad('Enter');

    expect(complaints).toHaveLength(1);
    expect(walk).toEqual([
      'Sign in',
      'Email address',
      'Continue',
      'Password',
      'Password',
      'Forgot your password?',
      'Sign in',
    ]);
    expect(await visitor.says()).toBe(ada);
  });
});
