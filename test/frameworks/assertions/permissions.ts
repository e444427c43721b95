import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const permissions: readonly Assertion[] = [
  {
    title: 'shows a page to users with the required permission, and refuses other users',
    of: 'full',
    async holds({ person, cookiesOf, client }) {
      const planner = await client(await cookiesOf(await person())).opens('/reports');
      const visitor = await client(await cookiesOf(await person({ org_northwind: 'visitor' }))).opens('/reports');

      expect([planner.status, planner.says]).toEqual([200, ['Reports of org_northwind']]);
      expect([visitor.status, visitor.says]).toEqual([403, ['You may not read reports']]);
    },
  },
  {
    title: 'asks users to sign in again for a page that requires a recent sign-in, and redirects back',
    of: 'full',
    async holds({ person, cookiesOf, visitor }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada, 6));

      await tab.opens('/password?from=mail');
      await tab.signsInAs(ada);

      await tab.reads(`A new password for ${ada.email}`);
      expect(tab.path).toBe('/password?from=mail');
    },
  },
];
