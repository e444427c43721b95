import type { RefreshTokenStorage } from 'sallyport/browser';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../servers/server.js';
import { type AppTab, app, baseUrl, callback, failing } from './app.js';
import { createBrowserClient } from './client.js';

/** All values that a tab and its site have stored. */
const storedBy = (texts: Iterable<string>): string => [...texts].join('\n');

describe('after a reload,', () => {
  test.each(['session', 'local'] as const)('the session is restored from %s storage', async (refreshTokenStorage) => {
    const { signedIn, reload, service } = app({ refreshTokenStorage });
    const { auth } = reload(await signedIn());
    expect(auth.user).toBeNull();

    const result = await auth.restore();

    expect(result).toMatchObject({ status: 'signed_in', session: { sessionId: 'session_1' } });
    expect(auth.user?.id).toBe('user_ada');
    expect(service.rotations).toBe(1);
  });

  test('a session in memory is lost', async () => {
    const { signedIn, reload, service } = app();
    const { auth } = reload(await signedIn());

    expect(await auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'no_session' });
    expect(service.rotations).toBe(0);
  });

  test('the session is restored from an asynchronous custom storage', async () => {
    let kept: string | undefined;
    const refreshTokenStorage: RefreshTokenStorage = {
      get: async () => kept,
      set: async (text) => {
        kept = text;
      },
      remove: async () => {
        kept = undefined;
      },
    };
    const { signedIn, reload } = app({ refreshTokenStorage });
    const { auth } = reload(await signedIn());

    expect(await auth.restore()).toMatchObject({ status: 'signed_in' });
    await auth.signOut();
    expect(kept).toBeUndefined();
  });

  test('a revoked session is removed, and the reason is reported', async () => {
    const { signedIn, reload, service, site } = app({ refreshTokenStorage: 'local' });
    const { auth } = reload(await signedIn());
    service.revoke('session_1');

    expect(await auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'invalid_grant' });
    expect(site.localStorage.texts.size).toBe(0);
  });

  test('the user stays signed in while the service is unavailable', async () => {
    const { signedIn, reload, service } = app({ refreshTokenStorage: 'local' });
    const { auth } = reload(await signedIn());

    expect(
      await failing(
        service,
        () => new Response('', { status: 503 }),
        () => auth.restore(),
      ),
    ).toMatchObject({
      status: 'retry_later',
      reason: 'service_unavailable',
    });
    expect(await auth.restore()).toMatchObject({ status: 'signed_in' });
  });

  test('restore() throws the error of a custom storage', async () => {
    const broken = new Error('The disk is gone.');
    const { open } = app({
      refreshTokenStorage: {
        get: () => {
          throw broken;
        },
        set: () => undefined,
        remove: () => undefined,
      },
    });

    expect(await failureOf(open().auth.restore())).toBe(broken);
  });

  test.each(['not JSON', '{"refreshToken":7}', '[]', 'null', '{"refreshToken":"refresh_2"}'])(
    'the invalid stored value `%s` is ignored',
    async (text) => {
      const { open, site, clientId, service } = app({ refreshTokenStorage: 'local' });
      site.localStorage.setItem(`sallyport.1.${clientId}`, text);

      expect(await open().auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'no_session' });
      expect(service.requests).toEqual([]);
    },
  );
});

describe('the stored data', () => {
  test.each(['memory', 'session', 'local'] as const)(
    'of a client with %s storage never contains an access token',
    async (refreshTokenStorage) => {
      const { signedIn, site } = app({ refreshTokenStorage });
      const tab = await signedIn();
      const accessToken = await tab.auth.getAccessToken();

      const stored = storedBy([...site.localStorage.texts.values(), ...tab.sessionStorage.texts.values()]);

      expect(stored).not.toContain(accessToken);
      expect(stored.includes('refresh_2')).toBe(refreshTokenStorage !== 'memory');
    },
  );

  test('contains the code verifier only until the sign-in is finished', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    expect(storedBy(tab.sessionStorage.texts.values())).toContain('codeVerifier');
    tab.url = service.approve(tab.url);

    await tab.auth.finishSignIn();

    expect(tab.sessionStorage.texts.size).toBe(0);
  });

  test('is treated as empty if the browser blocks the storage', async () => {
    const { open } = app({ refreshTokenStorage: 'local' });
    const environment = Object.defineProperty({}, 'localStorage', {
      enumerable: false,
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    });
    const tab = open();
    const blocked = Object.create(tab.environment, Object.getOwnPropertyDescriptors(environment));
    const { auth } = open({ environment: blocked });

    expect(await auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'no_session' });
  });
});

test('a client keeps the session in memory if the storage is full', async () => {
  const full = { getItem: () => null, removeItem: () => undefined, setItem: () => Promise.reject(new Error('full')) };
  const { signedIn } = app({
    refreshTokenStorage: { get: full.getItem, set: full.setItem, remove: full.removeItem },
  });
  const { auth } = await signedIn();

  expect(await auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
  expect(auth.user?.id).toBe('user_ada');
});

describe('while the browser blocks site data,', () => {
  const refused = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  /** A page in such a browser: using the storage throws, and so does creating a channel. */
  const blocked = (tab: Pick<AppTab, 'environment'>) =>
    Object.create(tab.environment, {
      localStorage: { get: refused },
      sessionStorage: { get: refused },
      BroadcastChannel: {
        value: class extends Object {
          constructor() {
            super(refused());
          }
        },
      },
    });

  test.each(['memory', 'session', 'local'] as const)(
    'a client with %s storage is signed out, and signIn() fails',
    async (refreshTokenStorage) => {
      const { open } = app({ refreshTokenStorage });
      const auth = createBrowserClient({
        clientId: 'client_42',
        baseUrl,
        redirectUri: '/callback',
        refreshTokenStorage,
        environment: blocked(open()),
      });

      expect(await auth.finishSignIn()).toMatchObject({ status: 'nothing_to_do' });
      expect(await auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'no_session' });
      expect(await failureOf(auth.getAccessToken())).toMatchObject({ code: 'signed_out' });
      await auth.signOut();
      expect(await failureOf(auth.signIn())).toMatchObject({ name: 'BrowserError', code: 'storage_blocked' });
    },
  );

  test('a sign-in cannot be completed', async () => {
    const { open } = app();
    const tab = open({}, `${callback}?code=x&state=y`);
    const auth = createBrowserClient({
      clientId: 'client_42',
      baseUrl,
      redirectUri: '/callback',
      environment: blocked(tab),
    });

    expect(await failureOf(auth.finishSignIn())).toMatchObject({ code: 'storage_blocked' });
  });

  test('a sign-in cannot start if sessionStorage is null', async () => {
    // Some browsers return null, although the types exclude it.
    const { open } = app({ environment: { sessionStorage: null as never } });

    expect(await failureOf(open().auth.signIn())).toMatchObject({ code: 'storage_blocked' });
  });
});
