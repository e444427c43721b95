import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const organizations: readonly Assertion[] = [
  {
    title: 'shows the other organization and its permissions after a switch',
    of: 'all',
    async holds({ person, joins, cookiesOf, visitor }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await joins(ada, 'org_harbour', 'visitor');
      await tab.settlesAt('/account');

      await tab.types('Organization', 'org_harbour');
      await tab.presses('Switch');

      await tab.reads(`${ada.email} in org_harbour may: nothing`);
      expect(tab.complaints).toEqual([]);
      await tab.opens('/account');
      await tab.reads(`${ada.email} in org_harbour may: nothing`);
    },
  },
  {
    title: 'shows why an organization refuses the user, and keeps the current organization',
    of: 'full',
    async holds({ person, cookiesOf, visitor }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/account');

      await tab.types('Organization', 'org_harbour');
      await tab.presses('Switch');

      await tab.reads('You cannot switch: user_not_organization_member');
      await tab.opens('/account');
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
  {
    title: 'shows new permissions of an organization after a refresh',
    of: 'full',
    async holds({ person, joins, cookiesOf, visitor }) {
      const ada = await person({ org_northwind: 'visitor' });
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/account');
      await tab.reads(`${ada.email} in org_northwind may: nothing`);
      await joins(ada, 'org_northwind', 'planner');

      await tab.presses('Refresh');

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
];
