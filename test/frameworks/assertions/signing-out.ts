import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const signingOut: readonly Assertion[] = [
  {
    title: 'ends the session at the service on sign-out, clears the cookie and redirects to the home page',
    of: 'all',
    async holds({ person, cookiesOf, visitor, sallyport }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/account');

      await tab.presses('Sign out');

      await tab.reads('Hello stranger');
      expect([tab.path, await tab.cookies(), tab.complaints]).toEqual(['/', {}, []]);
      const { data } = await sallyport.userManagement.listSessions(ada.id);
      expect(data.map(({ status }) => status)).toEqual(['revoked']);
    },
  },
  {
    title: 'ignores sign-out links and forms on another site',
    of: 'full',
    async holds({ person, cookiesOf, visitor }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      const elsewhere = 'http://elsewhere.test/';
      const body = `<form method="post" action="${tab.home}sign-out"><button>Win</button></form>
        <a href="${tab.home}sign-out">Read on</a>`;
      await tab.page.route(elsewhere, (route) => route.fulfill({ contentType: 'text/html', body }));

      await tab.opens(elsewhere);
      await Promise.all([tab.page.waitForEvent('domcontentloaded'), tab.follows('Read on')]);
      await tab.opens(elsewhere);
      await Promise.all([tab.page.waitForEvent('domcontentloaded'), tab.presses('Win')]);

      await tab.opens('/account');
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
  {
    title: 'shows the sign-in page and no protected page if the user goes back after a sign-out',
    of: 'full',
    async holds({ person, cookiesOf, visitor, emulator }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/account');
      await tab.presses('Sign out');
      await tab.reads('Hello stranger');

      await tab.page.goBack();

      await tab.page.waitForURL((url) => url.href.startsWith(emulator.url));
      expect(await tab.page.getByText(`${ada.email} in`).count()).toBe(0);
    },
  },
];
