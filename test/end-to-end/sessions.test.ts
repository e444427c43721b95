import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { signedIn, stage, type Visitor } from './visitor.js';

requires('chromium-headless-shell')('in the example application,', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const ada = signedIn('ada@example.com');
  /** Signs Ada in, and opens her account in two tabs. */
  const inTwoTabs = async () => {
    // The content security policy of the application forbids the requests that the tests send from its pages.
    const started = await stage(browser, { bypassCSP: true });
    const one = await started.open();
    await one.givesPassword('ada@example.com');
    const other = await started.open();
    await other.opens('/account');
    return { ...started, one, other };
  };

  describe('two tabs', () => {
    test('stay signed in during simultaneous refreshes, with one token exchange per refresh', async () => {
      const { one, other, emulator, rotations } = await inTwoTabs();
      const reload = async ({ page }: Visitor) => {
        await page.reload();
        return page.getByRole('paragraph').first().textContent();
      };
      // This is a page with many requests, which all have the cookie of the expired token.
      const fetchAccounts = ({ page }: Visitor) =>
        page.evaluate(async () => {
          const answers = await Promise.all(Array.from({ length: 5 }, () => fetch('/account', { redirect: 'manual' })));
          return answers.map(({ status }) => status);
        });
      const rounds = 5;

      const seen: unknown[] = [];
      for (let round = 1; round <= rounds; round++) {
        await emulator.clock.advance('6m');
        const fetched = await Promise.all([fetchAccounts(one), fetchAccounts(other)]);
        await emulator.clock.advance('6m');
        const loaded = await Promise.all([reload(one), reload(other)]);
        seen.push({ fetched, loaded, rotations: rotations() });
      }

      const ok = [200, 200, 200, 200, 200];
      expect(seen).toEqual(
        Array.from({ length: rounds }, (_, at) => ({
          fetched: [ok, ok],
          loaded: [ada, ada],
          rotations: 2 * (at + 1),
        })),
      );
    });

    test('are both signed out if the user signs out in one tab', async () => {
      const { one, other } = await inTwoTabs();

      await one.presses('Sign out');
      const greeting = await one.says();
      await other.page.reload();

      expect(greeting).toBe('Hello stranger.');
      expect(await other.title()).toBe('Sign in');
    });

    test('stay signed out if the user signs out in one tab and then in the other', async () => {
      const { one, other } = await inTwoTabs();
      await one.presses('Sign out');

      await other.presses('Sign out');

      expect(await other.says()).toBe('Hello stranger.');
    });

    test('both switch to a new organization if the user switches in one tab', async () => {
      const { open } = await stage(browser);
      const one = await open();
      await one.givesPassword('jo@example.com');
      await one.presses('Tailspin');
      const other = await open();
      await other.opens('/account');

      await one.presses('Switch to Northwind');
      await other.page.reload();

      expect(await other.says()).toBe(signedIn('jo@example.com', 'Northwind'));
    });

    test('are both signed in if the user signs in separately in each tab', async () => {
      const { open, url } = await stage(browser);
      const one = await open();
      const other = await open();
      await one.givesEmail('ada@example.com');
      await other.opens('/sign-in?return_to=/');
      await one.fills({ Password: 'a lantern on the mole' });
      await one.presses('Sign in');

      await other.fills({ 'Email address': 'ada@example.com' });
      await other.presses('Continue');
      await other.fills({ Password: 'a lantern on the mole' });
      await other.presses('Sign in');

      expect([await one.says(), one.page.url()]).toEqual([ada, `${url}/account`]);
      expect([await other.says(), other.page.url()]).toEqual(['Hello Ada.', `${url}/`]);
    });
  });

  test('a session survives weeks of use and the closing of all tabs', async () => {
    const { one, other, open, emulator } = await inTwoTabs();
    await one.page.close();
    await other.page.close();
    await emulator.clock.advance('29d');

    const later = await open();
    await later.opens('/account');
    await emulator.clock.advance('29d');
    await later.page.reload();

    expect(await later.says()).toBe(ada);
  });

  test('a revoked session ends at the next refresh', async () => {
    const { one, sallyport, emulator } = await inTwoTabs();
    const { data } = await sallyport.userManagement.listSessions('user_ada');
    for (const { id } of data) await sallyport.userManagement.revokeSession({ sessionId: id });
    await one.page.reload();
    const before = await one.says();
    await emulator.clock.advance('6m');

    await one.page.reload();

    expect([before, await one.title()]).toEqual([ada, 'Sign in']);
  });

  test("a session starts again without a prompt if only the application's cookie is lost", async () => {
    const { one, context } = await inTwoTabs();
    await context.clearCookies({ name: 'sallyport-session' });

    await one.page.reload();

    expect(await one.says()).toBe(ada);
  });

  test('a session uses cookies with HttpOnly and SameSite=Lax', async () => {
    const { one, context } = await inTwoTabs();
    const cookies = await context.cookies();

    const seen = await one.page.evaluate(() => document.cookie);

    expect(seen).toBe('');
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      { name: expect.stringMatching(/^sallyport-emulator-visitor-/), httpOnly: true, sameSite: 'Lax' },
      { name: 'sallyport-emulator-browser', httpOnly: true, sameSite: 'Lax' },
      { name: 'sallyport-session', httpOnly: true, sameSite: 'Lax' },
    ]);
  });
});
