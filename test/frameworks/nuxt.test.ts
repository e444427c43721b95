import { expect } from 'vitest';
import { requires } from '../runner/requirements.js';
import type { Assertion } from './assertion.js';
import { assertionsOf } from './assertions.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

/** Links that the router follows in the browser: it requests data from the server, and not the page. */
const links: readonly Pick<Assertion, 'title' | 'holds'>[] = [
  {
    title: 'refreshes the session once if a user follows a link after the access token has expired',
    async holds({ person, cookiesOf, visitor, refreshes }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/');
      await tab.gets(await cookiesOf(ada, 6));
      const before = refreshes();

      await tab.follows('Your account');

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([tab.path, refreshes() - before, tab.complaints]).toEqual(['/account', 1, []]);
    },
  },
  {
    title: 'redirects to sign-in and back without errors if a user follows a link after signing out in another tab',
    async holds({ person, cookiesOf, visitor }) {
      const ada = await person();
      const first = await visitor(await cookiesOf(ada));
      const second = await first.another();
      await Promise.all([first.settlesAt('/'), second.settlesAt('/account')]);
      await second.presses('Sign out');
      await second.reads('Hello stranger');

      await first.follows('Your account');
      await first.signsInAs(ada);

      await first.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([first.path, first.complaints]).toEqual(['/account', []]);
    },
  },
  {
    title: 'keeps users signed in if its router follows a link during an outage',
    async holds({ person, cookiesOf, visitor, emulator }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada, 6));
      emulator.failNext('userManagement.authenticateWithRefreshToken', { times: 1_000 });
      await tab.settlesAt('/');
      await tab.follows('Your account');
      await tab.page.getByText('503').first().waitFor();
      emulator.faults.clear();

      // A session whose refresh has failed twice waits before the next attempt.
      await expect.poll(async () => (await tab.page.reload())?.status()).toBe(200);
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
];

requires(...needsOf(frameworks.nuxt))(
  'the Nuxt application',
  suiteOf(frameworks.nuxt, [...assertionsOf(frameworks.nuxt), ...links]),
);
