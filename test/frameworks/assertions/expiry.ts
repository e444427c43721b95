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
      expect([first.status, first.says]).toEqual([200, [`${ada.email} in org_northwind may: reports:read`]]);
      expect(browser.jar.names).toEqual([sessionCookie]);
      expect(browser.jar.header).not.toBe(before[0]);

      const second = await browser.opens('/account');
      expect([second.status, second.setsCookies]).toEqual([200, []]);
      expect(refreshes() - before[1]).toBe(1);
    },
  },
  {
    title: `refreshes an expired session once in each of ${races} races of ${paths.length} requests, and signs no user out`,
    of: 'all',
    async holds({ person, cookiesOf, client, refreshes }) {
      const ada = await person();
      const greetings = [`Hello ${ada.email}`, `${ada.email} in org_northwind may: reports:read`];
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
    title: 'still accepts a form after the access token has expired',
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
];
