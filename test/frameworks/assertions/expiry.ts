import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';
import { sessionCookie } from '../people.js';

/** The number of races, and the paths that are requested at once in each. */
const races = 20;
const paths = ['/account', '/', '/account', '/account'];

export const expiry: readonly Assertion[] = [
  {
    title: 'refreshes an expired session once, and shows the requested page',
    of: 'all',
    async holds({ person, cookiesOf, client, refreshes }) {
      const ada = await person();
      const browser = client(await cookiesOf(ada, 6));
      const before = [browser.jar.header, refreshes()] as const;

      const first = await browser.opens('/account');
      expect([first.status, first.says]).toEqual([200, [`${ada.email} in org_northwind may: docs:plan`]]);
      expect(browser.jar.names).toEqual([sessionCookie]);
      expect(browser.jar.header).not.toBe(before[0]);

      const second = await browser.opens('/account');
      expect([second.status, second.setsCookies]).toEqual([200, []]);
      expect(refreshes() - before[1]).toBe(1);
    },
  },
  {
    title: 'shares one refresh among ten simultaneous requests with an expired session',
    of: 'full',
    async holds({ person, cookiesOf, client, refreshes }) {
      const jar = await cookiesOf(await person(), 6);
      const before = refreshes();

      const answers = await Promise.all(Array.from({ length: 10 }, () => client(jar.copy()).opens('/account')));

      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(refreshes() - before).toBe(1);
    },
  },
  {
    title: `refreshes an expired session once in each of ${races} races of ${paths.length} requests, and signs no user out`,
    of: 'all',
    async holds({ person, cookiesOf, client, refreshes }) {
      const ada = await person();
      const greetings = [`Hello ${ada.email}`, `${ada.email} in org_northwind may: docs:plan`];
      for (let at = 0; at < races; at++) {
        const jar = await cookiesOf(ada, 6);
        const before = refreshes();

        const racers = paths.map(() => client(jar.copy()));
        const answers = await Promise.all(paths.map((path, lane) => racers[lane]!.opens(path)));

        expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
        for (const { says } of answers) expect(greetings).toContain(says[0]);
        // One of them has sent its new cookie.
        expect((await racers[at % racers.length]!.opens('/account')).status).toBe(200);
        expect(refreshes() - before).toBe(1);
      }
    },
  },
  {
    title: 'shares one refresh between two tabs that are reloaded with an expired session',
    of: 'full',
    async holds({ person, cookiesOf, visitor, refreshes }) {
      const ada = await person();
      const first = await visitor(await cookiesOf(ada));
      const second = await first.another();
      await Promise.all([first.opens('/account'), second.opens('/account')]);
      const ended = await cookiesOf(ada, 6);
      // A prefetch of the page may refresh the session before the reload.
      const before = refreshes();
      await first.gets(ended);

      await Promise.all([first.page.reload(), second.page.reload()]);

      for (const tab of [first, second]) await tab.reads(`${ada.email} in org_northwind may: docs:plan`);
      expect(refreshes() - before).toBe(1);
    },
  },
  {
    title: 'still handles a form after the access token has expired',
    of: 'all',
    async holds({ person, joins, cookiesOf, visitor }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/account');
      await tab.gets(await cookiesOf(ada, 6));
      await joins(ada, 'org_harbour', 'visitor');

      await tab.types('Organization', 'org_harbour');
      await tab.presses('Switch');

      await tab.reads(`${ada.email} in org_harbour may: nothing`);
    },
  },
  {
    title: 'accepts a late request with the cookie from before the refresh, and does not refresh again',
    of: 'full',
    async holds({ person, cookiesOf, client, refreshes }) {
      const ada = await person();
      const jar = await cookiesOf(ada, 6);
      const before = refreshes();
      const late = client(jar.copy());
      await client(jar).opens('/account');

      const { status, says } = await late.opens('/account');

      expect([status, says]).toEqual([200, [`${ada.email} in org_northwind may: docs:plan`]]);
      expect(refreshes() - before).toBe(1);
    },
  },
  {
    title:
      'redirects a user with a revoked session to sign-in after the access token has expired, and clears the cookie',
    of: 'full',
    async holds({ person, cookiesOf, client, sallyport, emulator }) {
      const ada = await person();
      const browser = client(await cookiesOf(ada, 6));
      const { data } = await sallyport.userManagement.listSessions(ada.id);
      await sallyport.userManagement.revokeSession({ sessionId: data[0]!.id });

      const signInUrl = await browser.isLedFrom('/account');

      expect(signInUrl).toMatch(`${emulator.url}/user_management/authorize?`);
      expect(browser.jar.names).not.toContain(sessionCookie);
    },
  },
];
