import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const permissions: readonly Assertion[] = [
  {
    title: 'a page for a permission is shown to who has it, and refused to who has not',
    of: 'full',
    async holds({ person, cookiesOf, client }) {
      const planner = await client(await cookiesOf(await person())).opens('/reports');
      const visitor = await client(await cookiesOf(await person({ org_northwind: 'visitor' }))).opens('/reports');

      expect([planner.status, planner.says]).toEqual([200, ['Reports of org_northwind']]);
      expect([visitor.status, visitor.says]).toEqual([403, ['You may not read reports']]);
    },
  },
  {
    title: 'who proved long ago who they are signs in again and comes back',
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
  {
    title: 'a script is told that the proof is too old, in the words of RFC 9470',
    of: 'full',
    async holds({ person, cookiesOf, client }) {
      const { status, headers } = await client(await cookiesOf(await person(), 6)).fetches('/password');

      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toMatch(
        /^Bearer error="insufficient_user_authentication".*, max_age="300"/,
      );
    },
  },
];
