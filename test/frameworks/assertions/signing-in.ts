import { expect } from 'vitest';
import type { Assertion } from '../assertions.js';

export const signingIn: readonly Assertion[] = [
  {
    title: 'a protected page leads a stranger to the sign-in and back, query and all',
    of: 'all',
    async holds({ person, visitor }) {
      const ada = await person();
      const tab = await visitor();

      await tab.opens('/account?from=mail');
      await tab.signsInAs(ada);

      await tab.arrivesAt('/account?from=mail');
      await tab.reads(`${ada.email} in org_northwind may: docs:plan`);
      expect(tab.complaints).toEqual([]);
    },
  },
  {
    title: "a script's fetch of a protected page gets 401 and begins no sign-in",
    of: 'all',
    async holds({ client }) {
      const { status, setsCookies } = await client().fetches('/account');

      expect([status, setsCookies]).toEqual([401, []]);
    },
  },
];
