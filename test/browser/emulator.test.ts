import { type JwkSet, Sallyport } from 'sallyport';
import { createBrowserClient } from 'sallyport/browser';
import { createEmulator, type Emulator, type EmulatorOptions } from 'sallyport/emulator';
import { createSessionReader, type ReaderOptions } from 'sallyport/session';
import { expect, onTestFinished, test } from 'vitest';
import { site, type Tab } from './surroundings.js';

const home = 'http://localhost:5173/orders';
const email = 'ada@example.com';
let count = 0;

/** Starts an emulator over HTTP that approves every named user at once, a browser, and the application in it. */
async function start(options: EmulatorOptions = {}) {
  const clientId = `client_at_the_emulator_${++count}`;
  const emulator = await createEmulator({
    clientId,
    clock: '2026-01-05T09:00:00Z',
    autoApprove: true,
    seed: {
      users: [{ id: 'user_ada', email, email_verified: true, password: 'correct horse' }],
      organizations: [
        { id: 'org_northwind', name: 'Northwind' },
        { id: 'org_other', name: 'Other' },
      ],
      memberships: [{ user_id: 'user_ada', organization_id: 'org_northwind' }],
    },
    ...options,
  });
  const baseUrl = await emulator.listen();
  onTestFinished(() => emulator.close());
  const browser = site({ fetch: (input, init) => fetch(input, init), now: () => emulator.clock.now() });
  const open = () => {
    const tab = browser.tab(home);
    const auth = createBrowserClient({ clientId, baseUrl, redirectUri: '/callback', environment: tab.environment });
    onTestFinished(() => auth.close());
    return { tab, auth };
  };
  const signedIn = async () => {
    const one = open();
    await one.auth.signIn({ loginHint: email });
    await follow(one.tab);
    return { ...one, result: await one.auth.finishSignIn() };
  };
  return { emulator, open, signedIn };
}

/** Follows redirects until the browser is back at the application. */
async function follow(tab: Tab): Promise<void> {
  for (let hop = 0; hop < 5 && !tab.url.startsWith('http://localhost:5173/'); hop++) {
    const answer = await fetch(tab.url, { redirect: 'manual' });
    tab.url = new URL(answer.headers.get('location') ?? tab.url, tab.url).href;
  }
}

/** How many refresh tokens were spent. */
const rotations = (emulator: Emulator): number =>
  emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;

test('a user signs in at the emulator without a key', async () => {
  const { signedIn } = await start();

  const { auth, tab, result } = await signedIn();

  expect(result).toMatchObject({ status: 'signed_in', returnTo: '/orders' });
  expect(auth.user).toMatchObject({ id: 'user_ada', email, emailVerified: true });
  expect(tab.url).toBe('http://localhost:5173/callback');
});

test('tabs that refresh at once spend one refresh token a round, by the locks or without', async () => {
  const { emulator, signedIn, open } = await start();
  const tabs = [await signedIn(), open(), open()];
  await Promise.all(tabs.map(({ auth }) => auth.restore()));

  for (let round = 0; round < 5; round++) {
    await emulator.clock.advance('5m');
    const tokens = await Promise.all(tabs.map(({ auth }) => auth.getAccessToken()));
    expect(new Set(tokens).size).toBe(1);
  }

  expect(rotations(emulator)).toBe(5);
});

test('a lost answer costs nothing: the emulator repeats it', async () => {
  const { emulator, signedIn } = await start();
  const { tab, auth } = await signedIn();
  await emulator.clock.advance('5m');
  // The same tab, but its next answer never arrives.
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
  expect(auth.user?.id).toBe('user_ada');
});

test('a refresh token that the emulator does not rotate is good every time', async () => {
  const { emulator, signedIn } = await start({ rotateRefreshTokens: false });
  const { auth } = await signedIn();
  const tokens = new Set<string>();

  for (let round = 0; round < 3; round++) {
    await emulator.clock.advance('5m');
    tokens.add(await auth.getAccessToken());
  }

  expect(tokens.size).toBe(3);
});

test('a user can switch only to an organization they belong to', async () => {
  const { signedIn } = await start();
  const { auth } = await signedIn();

  expect(await auth.switchOrganization('org_northwind')).toMatchObject({
    status: 'switched',
    session: { organizationId: 'org_northwind', role: 'member' },
  });
  expect(await auth.switchOrganization('org_other')).toMatchObject({ status: 'refused' });
  expect(auth.session?.organizationId).toBe('org_northwind');
  expect(await auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
});

test('signing out revokes the session at the emulator', async () => {
  const { emulator, signedIn } = await start();
  const { auth, tab } = await signedIn();
  const { userManagement } = new Sallyport(emulator.credentials);
  const statuses = async () => (await userManagement.listSessions('user_ada')).data.map(({ status }) => status);
  expect(await statuses()).toEqual(['active']);

  await auth.signOut();
  await fetch(tab.url, { redirect: 'manual' });

  expect(await statuses()).toEqual(['revoked']);
  expect(auth.user).toBeNull();
});

/** A server of the same application, which gets access tokens. */
const server = (emulator: Emulator, options: ReaderOptions = {}) =>
  createSessionReader({
    ...emulator.credentials,
    password: 'a password of at least 32 characters',
    now: () => emulator.clock.now(),
    ...options,
  });

test('the access token tells a server who is signed in, until it expires', async () => {
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
      userId: 'user_ada',
      organizationId: 'org_northwind',
      role: 'member',
      authenticatedAt: Date.UTC(2026, 0, 5, 9),
    },
  });
  expect(late).toMatchObject({ status: 'signed_out', reason: 'expired' });
  expect(renewed).toMatchObject({ status: 'active', session: { authenticatedAt: Date.UTC(2026, 0, 5, 9) } });
});

test('the access token is refused by the server of another application', async () => {
  const { emulator, signedIn } = await start();
  const { auth } = await signedIn();
  const { clientId } = emulator.credentials;
  const keys: JwkSet = await (await fetch(`${emulator.url}/sso/jwks/${clientId}`)).json();
  const other = server(emulator, { clientId: 'client_other', keys });

  const verified = await other.verifyAccessToken(await auth.getAccessToken());

  expect(verified).toMatchObject({ status: 'signed_out', session: null, reason: 'wrong_client' });
});
