import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const outages: readonly Assertion[] = [
  {
    title:
      'responds with 503 and Retry-After if a session must be refreshed during an outage, and later shows the page',
    of: 'all',
    async holds({ person, cookiesOf, client, emulator }) {
      const ada = await person();
      const browser = client(await cookiesOf(ada, 6));
      emulator.failNext('userManagement.authenticateWithRefreshToken', { times: 1_000 });

      const { status, headers, setsCookies } = await browser.opens('/account');
      emulator.faults.clear();
      // The next attempt is due two seconds after the last one.
      await expect.poll(async () => (await browser.opens('/account')).status).toBe(200);
      const afterwards = await browser.opens('/account');

      expect([status, setsCookies]).toEqual([503, []]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('content-type')).toMatch(/^text\/html/);
      expect([afterwards.status, afterwards.says]).toEqual([200, [`${ada.email} in org_northwind may: reports:read`]]);
    },
  },
];
