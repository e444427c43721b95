import { expect } from 'vitest';
import { type Assertion, titled } from '../assertion.js';
import type { Stage } from '../stage.js';
import type { Visitor } from '../visitor.js';
import { signInLink, signingIn } from './signing-in.js';

/** The number of races, and of tabs in each. */
const races = 100;
const tabs = 3;

/** An access token expires after five minutes. */
const lifeMs = 6 * 60_000;

/** Signs a new user in at a page. */
async function signedIn({ person, visitor }: Pick<Stage, 'person' | 'visitor'>, path = '/account') {
  const ada = await person();
  const tab = await visitor();
  await tab.opens(path);
  await tab.signsInAs(ada);
  await tab.arrivesAt(path);
  return { ada, tab };
}

/**
 * Signs a user in so that access tokens can expire this many times without waiting. The clock of the service starts in the past,
 * because the API uses the real time; each call of `later` advances it and the clock of the browser.
 */
async function signedInBefore(stage: Stage, times = 1) {
  const { emulator } = stage;
  const start = Date.now();
  let at = 0;
  await emulator.clock.set(start - times * lifeMs);
  const { ada, tab } = await signedIn(stage);
  await tab.reads(`${ada.email} in org_northwind may: reports:read`);
  const later = async (): Promise<void> => {
    at += 1;
    if (at === times) await emulator.clock.reset();
    else await emulator.clock.set(start - (times - at) * lifeMs);
    await tab.page.context().clock.setSystemTime(start + at * lifeMs);
  };
  return { ada, tab, later };
}

/** Makes the page call the API, and returns the answer. */
async function callFrom(tab: Visitor): Promise<unknown> {
  const [response] = await Promise.all([
    tab.page.waitForResponse((one) => one.url() === `${tab.home}api/me`),
    // At once, even a hundred times in a row.
    tab.page.getByRole('button', { name: 'Call the API' }).dispatchEvent('click'),
  ]);
  return [response.status(), await response.json()];
}

const shared = titled(
  signingIn,
  'redirects a visitor from a protected page to sign-in and back, and keeps the query string',
  'starts one sign-in if a link is followed and none if links are hovered over, and logs no console errors',
);

/** The assertions for a page without a server: some are those of other applications, and some differ. */
export const singlePage: readonly Pick<Assertion, 'title' | 'holds'>[] = [
  ...shared,
  signInLink,
  {
    title: 'completes concurrent sign-ins in two tabs, and redirects each tab to its own page',
    async holds({ person, visitor }) {
      const ada = await person();
      const first = await visitor();
      const second = await first.another();
      await first.opens('/account?tab=1');
      await second.opens('/account?tab=2');

      await first.signsInAs(ada);
      await first.arrivesAt('/account?tab=1');
      await second.signsInAs(ada);
      await second.arrivesAt('/account?tab=2');

      for (const tab of [first, second]) await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
  {
    title: 'answers an invalid or expired bearer token with 401 and the reason',
    async holds({ person, tokenOf, client }) {
      const bad = await client().calls('/api/me', { authorization: 'Bearer a_token' });
      const ended = await client().calls('/api/me', await tokenOf(await person(), 6));

      expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token", error_description="invalid_token"',
      ]);
      expect([ended.status, ended.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token", error_description="expired"',
      ]);
    },
  },
  {
    title: 'reports a denied sign-in, and can retry it',
    async holds({ person, visitor, emulator }) {
      const ada = await person();
      const tab = await visitor();
      emulator.failNextAuthorization('access_denied');

      await tab.opens('/account?from=mail');
      await tab.page.getByRole('alert').getByText('access_denied').waitFor();
      await tab.follows('Sign in');
      await tab.signsInAs(ada);

      await tab.arrivesAt('/account?from=mail');
      expect(tab.complaints).toEqual([]);
    },
  },
  {
    title: 'reports an unknown sign-in callback, and does not redeem its code',
    async holds({ visitor, emulator }) {
      const before = emulator.served.get('userManagement.authenticateWithCode');
      const tab = await visitor();

      await tab.opens('/callback?code=a_code&state=a_state');

      await tab.page.getByRole('alert').getByText('unknown_state').waitFor();
      await tab.reads('Hello stranger');
      expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(before);
    },
  },
  {
    title: 'restores the session of a reloaded protected page without a request',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);

      await tab.page.reload();

      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect([tab.path, tab.complaints]).toEqual(['/account', []]);
    },
  },
  {
    title: 'shows the signed-in user in a new tab, and new permissions in both tabs after a refresh',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);
      const other = await tab.another();

      await other.opens('/');
      await other.reads(`Hello ${ada.email}`);
      await other.follows('Your account');
      await stage.joins(ada, 'org_northwind', 'visitor');
      await tab.presses('Refresh');

      for (const one of [tab, other]) await one.reads(`${ada.email} in org_northwind may: nothing`);
      expect([...tab.complaints, ...other.complaints]).toEqual([]);
    },
  },
  {
    title: 'keeps secrets out of the URL, the storage and the cookies',
    async holds(stage) {
      const { tab } = await signedIn(stage, '/account?from=mail');
      const [, token = ''] = await tokenSentFrom(tab);

      const found = await tab.page.evaluate(async () => ({
        address: location.href,
        length: history.length,
        stored: [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie],
        databases: await indexedDB.databases(),
        caches: await caches.keys(),
        html: document.documentElement.outerHTML,
      }));

      expect(found.address).toBe(`${tab.home}account?from=mail`);
      expect([found.databases, found.caches, await tab.cookies()]).toEqual([[], [], {}]);
      expect(token.split('.')).toHaveLength(3);
      // Finished sign-ins leave an empty list behind.
      expect(found.stored.filter((text) => /[\w-]{20}\.?[\w-]{20}/.test(text))).toEqual([]);
      expect(found.html).not.toContain(token);
    },
  },
  {
    title: 'refreshes an expired access token once for several API calls',
    async holds(stage) {
      const { ada, tab, later } = await signedInBefore(stage);
      const before = stage.refreshes();
      await later();

      expect(await callFrom(tab)).toEqual([200, { userId: ada.id }]);
      expect(await callFrom(tab)).toEqual([200, { userId: ada.id }]);

      expect(stage.refreshes() - before).toBe(1);
      expect(tab.complaints).toEqual([]);
    },
  },
  {
    title: `refreshes an expired access token once in each of ${races} races of ${tabs} tabs, and signs no user out`,
    async holds(stage) {
      const { ada, tab, later } = await signedInBefore(stage, races);
      const all = [tab, ...(await Promise.all(Array.from({ length: tabs - 1 }, () => tab.another())))];
      for (const one of all.slice(1)) await one.opens('/account');
      for (const one of all) await one.reads(`${ada.email} in org_northwind may: reports:read`);
      const before = stage.refreshes();

      for (let race = 1; race <= races; race++) {
        await later();
        await Promise.all(all.map(callFrom));
        expect(stage.refreshes() - before).toBe(race);
      }

      // Here the clock of the service shows the real time again.
      for (const one of all) expect(await callFrom(one)).toEqual([200, { userId: ada.id }]);
      for (const one of all) await one.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
  {
    title: 'signs the user out in every tab after the access token of a revoked session has expired',
    async holds(stage) {
      const { ada, tab, later } = await signedInBefore(stage);
      const other = await tab.another();
      await other.opens('/');
      await other.reads(`Hello ${ada.email}`);
      const { data } = await stage.sallyport.userManagement.listSessions(ada.id);
      await stage.sallyport.userManagement.revokeSession({ sessionId: data[0]!.id });
      await later();

      await tab.presses('Call the API');

      await tab.page.getByRole('link', { name: 'Sign in' }).waitFor();
      await other.reads('Hello stranger');
      expect(tab.path).toBe('/account');
    },
  },
  {
    title: 'keeps users signed in during an outage, and calls its API afterwards',
    async holds(stage) {
      const { ada, tab, later } = await signedInBefore(stage);
      await later();
      stage.emulator.failNext('userManagement.authenticateWithRefreshToken', { times: 1_000 });

      await tab.presses('Call the API');
      await tab.page.locator('output').getByText('retry_later').waitFor();
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      stage.emulator.faults.clear();

      expect(await callFrom(tab)).toEqual([200, { userId: ada.id }]);
    },
  },
  {
    title: 'offers to retry a sign-in that failed during an outage, and the retry succeeds',
    async holds({ person, visitor, emulator }) {
      const ada = await person();
      const tab = await visitor();
      await tab.opens('/account?from=mail');
      emulator.failNext('userManagement.authenticateWithCode', { times: 1_000 });
      await tab.signsInAs(ada);
      await tab.page.getByRole('button', { name: 'Try again' }).waitFor();
      emulator.faults.clear();

      await tab.presses('Try again');

      await tab.arrivesAt('/account?from=mail');
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
  {
    title: 'ends the session at the service on sign-out, in every tab',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);
      const other = await tab.another();
      await other.opens('/account');
      await other.reads(`${ada.email} in org_northwind may: reports:read`);

      await tab.presses('Sign out');

      await tab.reads('Hello stranger');
      await other.page.getByRole('link', { name: 'Sign in' }).waitFor();
      expect([tab.path, other.path, tab.complaints, other.complaints]).toEqual(['/', '/account', [], []]);
      const { data } = await stage.sallyport.userManagement.listSessions(ada.id);
      expect(data.map(({ status }) => status)).toEqual(['revoked']);
    },
  },
  {
    title: 'shows no protected page if the user goes back after sign-out',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);
      await tab.presses('Sign out');
      await tab.reads('Hello stranger');

      await tab.page.goBack();

      // Either the previous page, or a page that leads to sign-in.
      const { page } = tab;
      await page.getByRole('link', { name: 'Sign in' }).or(page.getByLabel('Email address')).waitFor();
      expect(await page.getByText(`${ada.email} in`).count()).toBe(0);
    },
  },
  {
    title: 'shows the other organization and its permissions after a switch, in every tab',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);
      const other = await tab.another();
      await other.opens('/account');
      await stage.joins(ada, 'org_harbour', 'visitor');

      await tab.types('Organization', 'org_harbour');
      await tab.presses('Switch');

      for (const one of [tab, other]) await one.reads(`${ada.email} in org_harbour may: nothing`);
      expect([...tab.complaints, ...other.complaints]).toEqual([]);
    },
  },
  {
    title: 'shows why an organization refuses the user, and keeps the current organization',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);

      await tab.types('Organization', 'org_harbour');
      await tab.presses('Switch');

      await tab.reads('You cannot switch: user_not_organization_member');
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
    },
  },
  {
    title: 'shows a page and serves an API route only to users with the required permission',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage, '/reports');
      await tab.reads('Reports of org_northwind');
      await stage.joins(ada, 'org_northwind', 'visitor');

      await tab.page.reload();

      await tab.reads('You may not read reports');
      const asked = (authorization: string) => stage.client().calls('/api/reports', { authorization });
      const visitor = await stage.tokenOf(await stage.person({ org_northwind: 'visitor' }));
      const planner = await stage.tokenOf(await stage.person());
      expect((await asked(visitor.authorization)).status).toBe(403);
      expect((await asked(planner.authorization)).status).toBe(200);
    },
  },
  {
    title: 'accepts API calls only with an access token, and sets no cookie',
    async holds(stage) {
      const { ada, tab } = await signedIn(stage);

      const nobody = await stage.client().fetches('/api/me');

      expect(await callFrom(tab)).toEqual([200, { userId: ada.id }]);
      expect([nobody.status, nobody.headers.get('content-type')]).toEqual([401, expect.stringMatching(/json/)]);
      expect(await tab.cookies()).toEqual({});
    },
  },
];

/** Returns the access token that a page sends to the API. */
async function tokenSentFrom(tab: Visitor): Promise<string[]> {
  const [request] = await Promise.all([
    tab.page.waitForRequest((one) => one.url() === `${tab.home}api/me`),
    tab.presses('Call the API'),
  ]);
  return (request.headers().authorization ?? '').split(' ');
}
