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
  ['a browser with locks and broadcasts', {}],
  ['a browser without locks', { locks: undefined }],
  ['a browser without broadcasts', { BroadcastChannel: undefined }],
  ['a browser without locks or broadcasts', { locks: undefined, BroadcastChannel: undefined }],
] as const;

describe.each(browsers)('in %s,', (_, environment) => {
  test.each(['session', 'local'] as const)(
    'tabs that refresh at the same time, ten times in a row, keep their session with %s storage',
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

test('tabs that refresh at the same time use only one refresh token each time', async () => {
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

test('a session from another tab has the permissions of the tab that signed in', async () => {
  const { signedIn, open } = app();
  const one = await signedIn();
  await one.auth.switchOrganization('org_42');

  const { session } = await open().auth.restore();

  for (const found of [one.auth.session, session]) {
    expect(found?.has({ permission: 'reports:read' })).toBe(true);
    expect(found?.has({ permission: 'reports:write' })).toBe(false);
  }
});

test('tabs that require a new token at the same time use only one refresh token', async () => {
  const { signedIn, open, service } = app({ refreshTokenStorage: 'local' });
  const tabs = [await signedIn(), open()];
  await tabs[1]!.auth.restore();
  const before = service.rotations;

  await Promise.all(tabs.map(({ auth }) => auth.getAccessToken({ forceRefresh: true })));

  expect(service.rotations - before).toBe(1);
});

test.each([
  ['with a service that repeats its answer use one refresh token', true],
  ['with a service that repeats nothing keep their session', false],
])('tabs without a lock %s', async (_, honoursKeys) => {
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

test('a tab that hangs while it holds the lock delays the other tabs by at most ten seconds', async () => {
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

test('a tab with an old token finds the current token even after many refreshes, twenty at a time', async () => {
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

test('a tab with an old token gets the current token from another open tab', async () => {
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

describe('the other tabs are notified of', () => {
  test('a sign-in', async () => {
    const { signedIn, open } = app();
    const other = open();
    const change = nextChange(other.auth);

    await signedIn();

    expect((await change)?.user.id).toBe('user_ada');
    expect(other.auth.user?.id).toBe('user_ada');
  });

  test('a renewal, without a request', async () => {
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

  test('an organization switch', async () => {
    const { signedIn, open } = app();
    const one = await signedIn();
    const other = open();
    await other.auth.restore();
    const change = nextChange(other.auth);

    await one.auth.switchOrganization('org_42');

    expect((await change)?.organizationId).toBe('org_42');
  });

  test('a sign-in as another user', async () => {
    const { signedIn, service } = app();
    const one = await signedIn();
    const change = nextChange(one.auth);
    service.time += 1_000;

    const other = await signedIn();

    expect((await change)?.sessionId).toBe(other.auth.session?.sessionId);
  });

  test('a sign-out', async () => {
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

  test('the end of a session at the service', async () => {
    const { signedIn, open, service } = app();
    const one = await signedIn();
    const other = open();
    await other.auth.restore();
    const change = nextChange(other.auth);
    service.revoke('session_1');

    await failureOf(one.auth.getAccessToken({ forceRefresh: true }));

    expect(await change).toBeNull();
  });

  test('a session in memory, which a new tab gets from an open tab without a request', async () => {
    const { signedIn, open, service } = app();
    await signedIn();
    const { auth } = open();

    expect(await auth.restore()).toMatchObject({ status: 'signed_in', session: { sessionId: 'session_1' } });
    expect(service.rotations).toBe(0);
  });

  test('a sign-out in a browser without broadcasts, because the storage is empty', async () => {
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

describe("a session's listeners", () => {
  test('are called at every change until they are removed', async () => {
    const { signedIn } = app();
    const { auth } = await signedIn();
    const seen: (string | null)[] = [];
    const stop = auth.onChange((session) => seen.push(session?.organizationId ?? 'none'));

    await auth.switchOrganization('org_42');
    stop();
    await auth.switchOrganization('org_43');

    expect(seen).toEqual(['org_42']);
  });

  test('get the same session object until something changes', async () => {
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
  test("removes the session, and opens the service's logout URL, which revokes the session", async () => {
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

  test('still works after a reload, without a request', async () => {
    const { signedIn, reload, service } = app({ refreshTokenStorage: 'local' });
    const tab = reload(await signedIn());

    await tab.auth.signOut();

    expect(tab.url).toBe('https://api.example.com/user_management/sessions/logout?session_id=session_1');
    expect(service.rotations).toBe(0);
  });

  test('before restore() also ends the session that another tab has in memory', async () => {
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

  test('allows another sign-in afterwards', async () => {
    const { signedIn } = app();
    const one = await signedIn();
    await one.auth.signOut();

    const other = await signedIn();

    expect(await other.auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
  });
});

describe('after the clock was set back,', () => {
  test('a tab that has seen a session end does not end the next session', async () => {
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

  test('a new sign-in replaces the session that the other tabs have in memory', async () => {
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
