import type { BrowserClient, BrowserSession } from 'sallyport/browser';
import { describe, expect, test, vi } from 'vitest';
import { deferred } from '../deferred.js';
import { failureOf } from '../servers/server.js';
import { app } from './app.js';

/** Wait for the next change of a session in a tab. */
const nextChange = (auth: BrowserClient): Promise<BrowserSession | null> =>
  new Promise((resolve) => {
    const stop = auth.onChange((session) => {
      stop();
      resolve(session);
    });
  });

/** Browsers, by the features that they lack. */
const browsers = [
  ['a browser with the Web Locks API and BroadcastChannel', {}],
  ['a browser without the Web Locks API', { locks: undefined }],
  ['a browser without BroadcastChannel', { BroadcastChannel: undefined }],
  ['a browser without the Web Locks API or BroadcastChannel', { locks: undefined, BroadcastChannel: undefined }],
] as const;

describe.each(browsers)('in %s,', (_, environment) => {
  test.each(['session', 'local'] as const)(
    'tabs with %s storage keep the session through ten rounds of simultaneous refreshes',
    async (refreshTokenStorage) => {
      const { signedIn, open, service } = app({ refreshTokenStorage, environment });
      const one = await signedIn();
      const other = open();
      for (const [key, text] of one.sessionStorage.texts) other.sessionStorage.setItem(key, text);

      for (let round = 0; round < 10; round++) {
        service.time += 300_000;
        const tokens = await Promise.all([one, other, one, other].map(({ auth }) => auth.getAccessToken()));
        expect(tokens).toHaveLength(4);
      }

      expect(one.auth.user?.id).toBe('user_ada');
      expect(other.auth.user?.id).toBe('user_ada');
    },
  );
});

test('tabs that refresh at the same time use only one refresh token per refresh', async () => {
  const { signedIn, open, service } = app({ refreshTokenStorage: 'local' });
  const tabs = [await signedIn(), open(), open()];
  await Promise.all(tabs.map(({ auth }) => auth.restore()));
  const before = service.rotations;

  for (let round = 0; round < 10; round++) {
    service.time += 300_000;
    const tokens = await Promise.all(tabs.map(({ auth }) => auth.getAccessToken()));
    expect(new Set(tokens).size).toBe(1);
  }

  expect(service.rotations - before).toBe(10);
});

test('a new tab gets the session permissions from an open tab', async () => {
  const { signedIn, open } = app();
  const one = await signedIn();
  await one.auth.switchOrganization('org_42');

  const { session } = await open().auth.restore();

  for (const found of [one.auth.session, session]) {
    expect(found?.has({ permission: 'reports:read' })).toBe(true);
    expect(found?.has({ permission: 'reports:write' })).toBe(false);
  }
});

test('tabs that force a refresh at the same time use only one refresh token', async () => {
  const { signedIn, open, service } = app({ refreshTokenStorage: 'local' });
  const tabs = [await signedIn(), open()];
  await tabs[1]!.auth.restore();
  const before = service.rotations;

  await Promise.all(tabs.map(({ auth }) => auth.getAccessToken({ forceRefresh: true })));

  expect(service.rotations - before).toBe(1);
});

test.each([
  ['use one refresh token if the service supports idempotency keys', true],
  ['keep the session if the service ignores idempotency keys', false],
])('tabs without the Web Locks API %s', async (_, honoursKeys) => {
  const { signedIn, open, service } = app({ environment: { locks: undefined } });
  service.honoursKeys = honoursKeys;
  const one = await signedIn();
  const other = open();
  await other.auth.restore();
  service.time += 300_000;

  const tokens = await Promise.all([one, other].map(({ auth }) => auth.getAccessToken()));

  expect(tokens[0]).toBe(tokens[1]);
  expect(other.auth.user?.id).toBe('user_ada');
  expect(service.requests.filter(({ body }) => body.grant_type === 'refresh_token')).toHaveLength(2);
  expect(service.rotations).toBe(1);
});

test('a tab that hangs while holding the lock delays the remaining tabs by at most ten seconds', async () => {
  const { signedIn, open, service, clientId } = app();
  const one = await signedIn();
  const other = open();
  await other.auth.restore();
  const { locks } = one.environment;
  const { promise: forever, resolve: end } = deferred<void>();
  const { signal } = new AbortController();
  const held = locks!.request(`sallyport.1.${clientId}`, { signal }, () => forever);
  service.time += 300_000;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const token = other.auth.getAccessToken();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(service.rotations).toBe(0);

    await vi.advanceTimersByTimeAsync(1);

    expect(await token).toMatch(/^ey/);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
    end();
    await held;
  }
});

test('a tab with a refresh token from 30 refreshes ago finds the current token with two calls to restore()', async () => {
  const { signedIn, reload, service } = app({
    refreshTokenStorage: 'session',
    environment: { BroadcastChannel: undefined },
  });
  const tab = await signedIn();
  const yesterday = new Map(tab.sessionStorage.texts);
  for (let round = 0; round < 30; round++) {
    service.time += 300_000;
    await tab.auth.getAccessToken();
  }
  for (const [key, text] of yesterday) tab.sessionStorage.setItem(key, text);

  const { auth } = reload(tab);

  // It makes twenty steps at a time.
  expect(await auth.restore()).toMatchObject({ status: 'retry_later' });
  expect(await auth.restore()).toMatchObject({ status: 'signed_in' });
  expect(service.rotations).toBe(30);
});

test('a tab with an old refresh token gets the current token from an open tab', async () => {
  const { signedIn, open, service } = app({ refreshTokenStorage: 'session' });
  const tab = await signedIn();
  const yesterday = new Map(tab.sessionStorage.texts);
  for (let round = 0; round < 30; round++) {
    service.time += 300_000;
    await tab.auth.getAccessToken();
  }
  const other = open();
  for (const [key, text] of yesterday) other.sessionStorage.setItem(key, text);
  const before = service.requests.length;

  expect(await other.auth.restore()).toMatchObject({ status: 'signed_in' });
  expect(service.requests.length - before).toBe(1);
  expect(await other.auth.getAccessToken()).toBe(await tab.auth.getAccessToken());
});

describe('a tab', () => {
  test('is notified of a sign-in in another tab', async () => {
    const { signedIn, open } = app();
    const other = open();
    const change = nextChange(other.auth);

    await signedIn();

    expect((await change)?.user.id).toBe('user_ada');
    expect(other.auth.user?.id).toBe('user_ada');
  });

  test('gets a renewed token from another tab without a request', async () => {
    const { signedIn, open, service } = app();
    const one = await signedIn();
    const other = open();
    await other.auth.restore();
    const change = nextChange(other.auth);

    const token = await one.auth.getAccessToken({ forceRefresh: true });
    await change;

    expect(await other.auth.getAccessToken()).toBe(token);
    expect(service.rotations).toBe(1);
  });

  test('is notified of an organization switch in another tab', async () => {
    const { signedIn, open } = app();
    const one = await signedIn();
    const other = open();
    await other.auth.restore();
    const change = nextChange(other.auth);

    await one.auth.switchOrganization('org_42');

    expect((await change)?.organizationId).toBe('org_42');
  });

  test('is notified of a sign-in as a different user in another tab', async () => {
    const { signedIn, service } = app();
    const one = await signedIn();
    const change = nextChange(one.auth);
    service.time += 1_000;

    const other = await signedIn();

    expect((await change)?.sessionId).toBe(other.auth.session?.sessionId);
  });

  test('is notified of a sign-out in another tab', async () => {
    const { signedIn, open, service } = app({ refreshTokenStorage: 'session' });
    const one = await signedIn();
    const other = open();
    await other.auth.restore();
    expect(other.sessionStorage.texts.size).toBe(1);
    const change = nextChange(other.auth);

    await one.auth.signOut();

    expect(await change).toBeNull();
    expect(await failureOf(other.auth.getAccessToken())).toMatchObject({ code: 'signed_out' });
    expect(other.sessionStorage.texts.size).toBe(0);
    expect(service.rotations).toBe(0);
  });

  test('learns from another tab that the service has ended the session', async () => {
    const { signedIn, open, service } = app();
    const one = await signedIn();
    const other = open();
    await other.auth.restore();
    const change = nextChange(other.auth);
    service.revoke('session_1');

    await failureOf(one.auth.getAccessToken({ forceRefresh: true }));

    expect(await change).toBeNull();
  });

  test('gets an in-memory session from another tab without a request', async () => {
    const { signedIn, open, service } = app();
    await signedIn();
    const { auth } = open();

    expect(await auth.restore()).toMatchObject({ status: 'signed_in', session: { sessionId: 'session_1' } });
    expect(service.rotations).toBe(0);
  });

  test('detects a sign-out from the empty storage if the browser has no BroadcastChannel', async () => {
    const { signedIn, open } = app({ refreshTokenStorage: 'local', environment: { BroadcastChannel: undefined } });
    const one = await signedIn();
    const other = open();
    await other.auth.restore();

    await one.auth.signOut();

    expect(await failureOf(other.auth.getAccessToken({ forceRefresh: true }))).toMatchObject({ code: 'signed_out' });
  });
});

test('a response that arrives after a sign-out does not sign the user in again', async () => {
  const { signedIn, service, site } = app({ refreshTokenStorage: 'local' });
  const tab = await signedIn();
  const { promise: gate, resolve: open } = deferred<void>();
  service.mishaps.push(async (answer) => {
    const response = answer();
    await gate;
    return response;
  });
  const token = failureOf(tab.auth.getAccessToken({ forceRefresh: true }));
  await expect.poll(() => service.mishaps, { interval: 1 }).toHaveLength(0);

  await tab.auth.signOut();
  open();

  expect(await token).toMatchObject({ code: 'signed_out', reason: 'signed_out' });
  expect(tab.auth.user).toBeNull();
  expect(site.localStorage.texts.size).toBe(0);
});

describe('a browser client', () => {
  test('calls a listener at every session change until the listener is removed', async () => {
    const { signedIn } = app();
    const { auth } = await signedIn();
    const seen: (string | null)[] = [];
    const stop = auth.onChange((session) => seen.push(session?.organizationId ?? 'none'));

    await auth.switchOrganization('org_42');
    stop();
    await auth.switchOrganization('org_43');

    expect(seen).toEqual(['org_42']);
  });

  test('returns the same session object until the next refresh', async () => {
    const { auth } = await app().signedIn();
    const { session } = auth;

    await auth.getAccessToken();
    expect(auth.session).toBe(session);

    await auth.getAccessToken({ forceRefresh: true });
    expect(auth.session).not.toBe(session);
  });
});

test('a closed client calls no listeners, but still returns tokens', async () => {
  const { signedIn, open, service } = app({ refreshTokenStorage: 'local' });
  const one = await signedIn();
  const other = open();
  await other.auth.restore();
  const seen: unknown[] = [];
  other.auth.onChange((session) => seen.push(session));

  other.auth.close();
  await one.auth.getAccessToken({ forceRefresh: true });
  service.time += 300_000;

  expect(await other.auth.getAccessToken()).toMatch(/^ey/);
  expect(seen).toEqual([]);
});

describe('a sign-out', () => {
  test('removes the session, and opens the logout URL of the service', async () => {
    const { signedIn, site } = app({ refreshTokenStorage: 'local' });
    const tab = await signedIn();

    await tab.auth.signOut({ returnTo: '/goodbye' });

    expect(tab.auth.user).toBeNull();
    expect(site.localStorage.texts.size).toBe(0);
    const url = new URL(tab.url);
    expect(url.origin + url.pathname).toBe('https://api.example.com/user_management/sessions/logout');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      session_id: 'session_1',
      return_to: 'https://app.example.com/goodbye',
    });
  });

  test('opens the logout URL without a token request, even after a reload', async () => {
    const { signedIn, reload, service } = app({ refreshTokenStorage: 'local' });
    const tab = reload(await signedIn());

    await tab.auth.signOut();

    expect(tab.url).toBe('https://api.example.com/user_management/sessions/logout?session_id=session_1');
    expect(service.rotations).toBe(0);
  });

  test('ends the in-memory session of another tab even before restore() is called', async () => {
    const { signedIn, open } = app();
    const one = await signedIn();
    const change = nextChange(one.auth);
    const tab = open();

    await tab.auth.signOut();

    expect(tab.url).toBe('https://api.example.com/user_management/sessions/logout?session_id=session_1');
    expect(await change).toBeNull();
  });

  test('does nothing without a signed-in user', async () => {
    const tab = app().open();
    const { url } = tab;

    await tab.auth.signOut({ returnTo: 'https://evil.example/' });

    expect(tab.url).toBe(url);
  });

  test('can be followed by a new sign-in', async () => {
    const { signedIn } = app();
    const one = await signedIn();
    await one.auth.signOut();

    const other = await signedIn();

    expect(await other.auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
  });
});

describe('after the clock is set back,', () => {
  test('a tab that saw a session end does not end the next session', async () => {
    const { signedIn, open, service, site } = app({ refreshTokenStorage: 'local' });
    const one = await signedIn();
    const witness = open();
    await witness.auth.restore();
    const ended = nextChange(witness.auth);
    await one.auth.signOut();
    await ended;
    service.time -= 3_600_000;
    const change = nextChange(witness.auth);

    // In a tab that had no earlier session.
    const other = await signedIn();

    await change;
    expect(witness.auth.session).toMatchObject({ sessionId: other.auth.session?.sessionId });
    expect(site.localStorage.texts.size).toBe(1);
    expect(await other.auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
  });

  test('a new sign-in replaces the in-memory session of an older tab', async () => {
    const { signedIn, service } = app();
    const one = await signedIn();
    service.time -= 3_600_000;
    const change = nextChange(one.auth);

    const other = await signedIn();
    const sessionId = other.auth.session?.sessionId;
    await change;
    await one.auth.getAccessToken({ forceRefresh: true });

    expect(sessionId).not.toBe('session_1');
    expect([one, other].map(({ auth }) => auth.session?.sessionId)).toEqual([sessionId, sessionId]);
  });
});
