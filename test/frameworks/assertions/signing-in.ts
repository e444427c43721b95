import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

/** Follows the sign-in link of the home page. A router in the browser may mistake it for one of its pages. */
export const signInLink: Assertion = {
  title: 'redirects back to the home page if a user signs in through its sign-in link',
  of: 'all',
  async holds({ person, visitor }) {
    const ada = await person();
    const tab = await visitor();

    await tab.settlesAt('/');
    await tab.follows('Sign in');
    await tab.signsInAs(ada);

    await tab.reads(`Hello ${ada.email}`);
    expect([tab.path, tab.complaints]).toEqual(['/', []]);
  },
};

export const signingIn: readonly Assertion[] = [
  {
    title: 'redirects a visitor from a protected page to sign-in and back, and keeps the query string',
    of: 'all',
    async holds({ person, visitor }) {
      const ada = await person();
      const tab = await visitor();

      await tab.opens('/account?from=mail');
      await tab.signsInAs(ada);

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([tab.path, tab.complaints]).toEqual(['/account?from=mail', []]);
    },
  },
  {
    title: 'redirects after sign-in to the page that a hook chooses',
    of: 'full',
    async holds({ person, visitor }) {
      const ada = await person();
      const tab = await visitor();

      await tab.opens('/sign-in?return_to=/welcome');
      await tab.signsInAs(ada);

      await tab.reads(`Hello ${ada.email}`);
      expect([tab.path, tab.complaints]).toEqual([`/?welcome=${ada.email}`, []]);
    },
  },
  {
    title: 'starts one sign-in if a link is followed and none if links are hovered over, and logs no console errors',
    of: 'all',
    async holds({ person, visitor, emulator }) {
      const ada = await person();
      const tab = await visitor();
      const begun: string[] = [];
      tab.page.on('request', (request) => {
        if (request.url().startsWith(`${emulator.url}/user_management/authorize`)) begun.push(request.method());
      });

      await tab.settlesAt('/');
      expect(await tab.cookies()).toEqual({});
      for (const name of ['Your account', 'Sign in', 'Your account'])
        await tab.page.getByRole('link', { name }).hover();
      await tab.follows('Your account');
      await tab.signsInAs(ada);

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([begun, tab.complaints]).toEqual([['GET'], []]);
    },
  },
  {
    title: 'responds with 401 to a script that fetches a protected page',
    of: 'all',
    async holds({ client }) {
      const { status, setsCookies } = await client().fetches('/account');

      expect([status, setsCookies]).toEqual([401, []]);
    },
  },
  {
    title: 'answers a denied sign-in with a 403 page that offers a retry',
    of: 'full',
    async holds({ person, visitor, emulator }) {
      const ada = await person();
      const tab = await visitor();
      emulator.failNextAuthorization('access_denied');

      expect(await tab.opens('/account?from=mail')).toBe(403);
      await tab.reads('The sign-in was cancelled or refused.');
      await tab.follows('Try again');
      await tab.signsInAs(ada);

      await tab.arrivesAt('/account?from=mail');
    },
  },
  {
    title: 'answers an unknown callback with a 400 page, and does not redeem its code',
    of: 'all',
    async holds({ client, emulator }) {
      const before = emulator.served.get('userManagement.authenticateWithCode');
      const { status, headers, text } = await client().opens('/callback?code=a_code&state=a_state');

      expect(status).toBe(400);
      expect(headers.get('content-type')).toMatch(/^text\/html/);
      expect(text).toContain('This sign-in is no longer valid.');
      expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(before);
    },
  },
];
