import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';
import type { Person } from '../people.js';
import type { Stage } from '../stage.js';
import type { Visitor } from '../visitor.js';
import { signInLink } from './signing-in.js';

/** Opens a page as a user, whose session is then revoked and whose access token has expired. */
async function leftAt(path: string, { person, cookiesOf, visitor, sallyport }: Stage): Promise<[Person, Visitor]> {
  const ada = await person();
  const tab = await visitor(await cookiesOf(ada));
  await tab.settlesAt(path);
  await tab.gets(await cookiesOf(ada, 6));
  const { data } = await sallyport.userManagement.listSessions(ada.id);
  for (const { id: sessionId } of data) await sallyport.userManagement.revokeSession({ sessionId });
  return [ada, tab];
}

/** The assertions for applications with a router in the browser. */
export const ofRouters: readonly Assertion[] = [
  signInLink,
  {
    title: 'refreshes the session once if a user follows a link after the access token has expired',
    of: 'all',
    async holds({ person, cookiesOf, visitor, refreshes }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/');
      await tab.gets(await cookiesOf(ada, 6));
      const before = refreshes();

      await tab.follows('Your account');

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([refreshes() - before, tab.complaints]).toEqual([1, []]);
    },
  },
  {
    title: 'redirects to sign-in and back without errors if a user follows a link after the session was revoked',
    of: 'all',
    async holds(stage) {
      const [ada, tab] = await leftAt('/', stage);

      await tab.follows('Your account');
      await tab.signsInAs(ada);

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([tab.path, tab.complaints]).toEqual(['/account', []]);
    },
  },
  {
    title: 'redirects to sign-in and back without errors if a user submits a form after the session was revoked',
    of: 'all',
    async holds(stage) {
      const [ada, tab] = await leftAt('/account', stage);

      await tab.types('Organization', 'org_harbour');
      await tab.presses('Switch');
      await tab.signsInAs(ada);

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([tab.path, tab.complaints]).toEqual(['/account', []]);
    },
  },
];
