import type { JwkSet } from 'sallyport';
import type { Emulator } from 'sallyport/emulator';
import { createSessionReader, type ReaderOptions } from 'sallyport/session';
import { expect, onTestFinished, test } from 'vitest';
import { company, stage } from '../stage.js';
import { createBrowserClient } from './client.js';
import { site, type Tab } from './surroundings.js';

const home = 'http://localhost:3000/orders';
const email = 'bruno@northwind.test';
let count = 0;

/** Start an emulator over HTTP that approves every named user at once, a browser, and the application in it. */
async function start() {
  const clientId = `client_at_the_emulator_${++count}`;
  const { emulator, sallyport } = await stage({ seed: company, clientId, autoApprove: true, listen: true });
  const browser = site({ fetch: (input, init) => fetch(input, init), now: () => emulator.clock.now() });
  const open = () => {
    const tab = browser.tab(home);
    const auth = createBrowserClient({
      clientId,
      baseUrl: emulator.url,
      redirectUri: '/callback',
      environment: tab.environment,
    });
    onTestFinished(() => auth.close());
    return { tab, auth };
  };
  const signedIn = async () => {
    const one = open();
    await one.auth.signIn({ loginHint: email });
    await follow(one.tab);
    return { ...one, result: await one.auth.finishSignIn() };
  };
  return { emulator, sallyport, signedIn };
}

/** Follow redirects until the browser is back at the application. */
async function follow(tab: Tab): Promise<void> {
  for (let hop = 0; hop < 5 && !tab.url.startsWith('http://localhost:3000/'); hop++) {
    const answer = await fetch(tab.url, { redirect: 'manual' });
    tab.url = new URL(answer.headers.get('location') ?? tab.url, tab.url).href;
  }
}

/** The number of refresh tokens that were used. */
const rotations = (emulator: Emulator): number =>
  emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;

test('a browser client signs a user in at the emulator without an API key', async () => {
  const { signedIn } = await start();

  const { auth, tab, result } = await signedIn();

  expect(result).toMatchObject({ status: 'signed_in', returnTo: '/orders' });
  expect(auth.user).toMatchObject({ id: 'user_bruno', email, emailVerified: true });
  expect(tab.url).toBe('http://localhost:3000/callback');
});

test('a lost response does not end the session, because the emulator repeats the response', async () => {
  const { emulator, signedIn } = await start();
  const { tab, auth } = await signedIn();
  await emulator.clock.advance('5m');
  // The same tab, which never gets its next response.
  const lossy = createBrowserClient({
    clientId: emulator.credentials.clientId,
    baseUrl: emulator.url,
    redirectUri: '/callback',
    environment: {
      ...tab.environment,
      async fetch(input, init) {
        await (await fetch(input, init)).text();
        throw new TypeError('Failed to fetch');
      },
    },
  });
  onTestFinished(() => lossy.close());
  expect(await lossy.restore()).toMatchObject({ status: 'retry_later', reason: 'network_error' });

  await auth.getAccessToken();

  expect(rotations(emulator)).toBe(1);
  expect(auth.user?.id).toBe('user_bruno');
});

test('a user can switch only to organizations that the user belongs to', async () => {
  const { signedIn } = await start();
  const { auth } = await signedIn();

  expect(await auth.switchOrganization('org_northwind')).toMatchObject({
    status: 'switched',
    session: { organizationId: 'org_northwind', role: 'dock-manager' },
  });
  expect(await auth.switchOrganization('org_tailspin')).toMatchObject({ status: 'refused' });
  expect(auth.session?.organizationId).toBe('org_northwind');
  expect(await auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
});

test('signing out revokes the session at the emulator', async () => {
  const { sallyport, signedIn } = await start();
  const { auth, tab } = await signedIn();
  const statuses = async () =>
    (await sallyport.userManagement.listSessions('user_bruno')).data.map(({ status }) => status);
  expect(await statuses()).toEqual(['active']);

  await auth.signOut();
  await fetch(tab.url, { redirect: 'manual' });

  expect(await statuses()).toEqual(['revoked']);
  expect(auth.user).toBeNull();
});

/** A server of the same application, which gets access tokens. */
const server = (emulator: Emulator, options: ReaderOptions = {}) =>
  createSessionReader({
    clientId: emulator.credentials.clientId,
    baseUrl: emulator.credentials.baseUrl,
    cookiePassword: 'a password of at least 32 characters',
    now: () => emulator.clock.now(),
    ...options,
  });

test('an access token identifies the user to a server until it expires', async () => {
  const { emulator, signedIn } = await start();
  const { auth } = await signedIn();
  const token = await auth.getAccessToken();

  const verified = await server(emulator).verifyAccessToken(token);
  await emulator.clock.advance('6m');
  const late = await server(emulator).verifyAccessToken(token);
  const renewed = await server(emulator).verifyAccessToken(await auth.getAccessToken());

  expect(verified).toMatchObject({
    status: 'active',
    session: {
      userId: 'user_bruno',
      organizationId: 'org_northwind',
      role: 'dock-manager',
      authenticatedAtMs: Date.UTC(2026, 0, 1),
    },
  });
  expect(late).toMatchObject({ status: 'signed_out', reason: 'expired' });
  expect(renewed).toMatchObject({ status: 'active', session: { authenticatedAtMs: Date.UTC(2026, 0, 1) } });
});

test("a server with a different client ID rejects a browser client's access token", async () => {
  const { emulator, signedIn } = await start();
  const { auth } = await signedIn();
  const { clientId } = emulator.credentials;
  const keys: JwkSet = await (await fetch(`${emulator.url}/sso/jwks/${clientId}`)).json();
  const other = server(emulator, { clientId: 'client_other', keys });

  const verified = await other.verifyAccessToken(await auth.getAccessToken());

  expect(verified).toMatchObject({ status: 'signed_out', session: null, reason: 'wrong_client' });
});
