import {
  type AccessTokenClaims,
  createSessionReader,
  createTokenVerifier,
  type Revocations,
  sessionCache,
} from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { password, type SignedIn, signedIn } from './signed-in.js';

/** A list that the test fills by hand: the state of a session, by the claims of its token. */
function handWritten(hasVersion = true) {
  let become: (claims: AccessTokenClaims) => 'revoked' | 'outdated' | undefined = () => undefined;
  let version = 0;
  let lookups = 0;
  const revocations: Revocations = {
    find: (session) => {
      lookups += 1;
      const what = session && become(session.claims);
      if (!what || !session) return undefined;
      return what === 'outdated'
        ? { status: 'expired', session }
        : { status: 'signed_out', session: null, reason: 'session_revoked' };
    },
    ...(hasVersion ? { version: () => version } : {}),
    onStale() {},
  };
  const set = (next: typeof become) => {
    become = next;
    version += 1;
  };
  return { revocations, set, lookups: () => lookups };
}

const settings = ({ emulator }: SignedIn) => ({
  clientId: emulator.credentials.clientId,
  baseUrl: emulator.credentials.baseUrl,
  fetch: emulator.fetch,
  now: () => emulator.clock.now(),
});

describe.each([
  ['without a cache', undefined],
  ['with a cache', sessionCache()],
])('%s, a session', (_, cache) => {
  test('that was revoked ends at the next request, and is not refreshed', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const sessions = there.sessions({ revocations, cache });
    const request = there.jar.request;
    expect(await sessions.handle(request)).toMatchObject({ status: 'active' });

    set(() => 'revoked');
    const result = await sessions.handle(request);
    there.jar.keep(result.headers.getSetCookie());

    expect(result).toMatchObject({ status: 'signed_out', session: null, reason: 'session_revoked' });
    expect(there.jar.header).toBe('');
    expect(there.rotations()).toBe(0);
  });

  test('that was revoked is not refreshed even after the token has expired', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const sessions = there.sessions({ revocations, cache });
    set(() => 'revoked');

    there.emulator.clock.advance('6m');

    expect(await sessions.handle(there.jar.request)).toMatchObject({
      status: 'signed_out',
      reason: 'session_revoked',
    });
    expect(there.rotations()).toBe(0);
  });

  test('that was revoked is rejected by readers and token verifiers', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const options = { ...settings(there), revocations, cache };
    const [reader, verifier] = [
      createSessionReader({ ...options, cookiePassword: password }),
      createTokenVerifier(options),
    ];
    const both = async () => [
      await reader.read(there.jar.header),
      await verifier.verifyAccessToken(there.tokens.accessToken),
    ];
    set(({ sid }) => (sid === 'session_another' ? 'revoked' : undefined));
    expect(await both()).toMatchObject([{ status: 'active' }, { status: 'active' }]);

    set(() => 'revoked');

    const over = { status: 'signed_out', session: null, reason: 'session_revoked' };
    expect(await both()).toEqual([over, over]);
  });

  test('with outdated claims is refreshed immediately', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const sessions = there.sessions({ revocations, cache });
    const request = there.jar.request;
    const before = await sessions.handle(request);

    set(({ jti }) => (jti === before.session?.claims.jti ? 'outdated' : undefined));
    const result = await sessions.handle(request);

    expect(result).toMatchObject({ status: 'refreshed', session: { sessionId: before.session?.sessionId } });
    expect(there.rotations()).toBe(1);
    there.jar.keep(result.headers.getSetCookie());
    expect(await sessions.handle(there.jar.request)).toMatchObject({ status: 'active' });
  });

  test('with outdated claims is reported as expired by readers and token verifiers', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const options = { ...settings(there), revocations, cache };
    const [reader, verifier] = [
      createSessionReader({ ...options, cookiePassword: password }),
      createTokenVerifier(options),
    ];
    await reader.read(there.jar.header);
    await verifier.verifyAccessToken(there.tokens.accessToken);

    set(() => 'outdated');

    expect(await reader.read(there.jar.header)).toMatchObject({
      status: 'expired',
      session: { user: there.tokens.user },
    });
    expect(await verifier.verifyAccessToken(there.tokens.accessToken)).toEqual({
      status: 'signed_out',
      session: null,
      reason: 'expired',
    });
  });
});

describe('a cached session', () => {
  test('is checked against the revocation list again only after a new revocation', async () => {
    const there = await signedIn();
    const { revocations, set, lookups } = handWritten();
    const reader = createSessionReader({
      ...settings(there),
      cookiePassword: password,
      revocations,
      cache: sessionCache(),
    });
    const readTwice = async () => [await reader.read(there.jar.header), await reader.read(there.jar.header)];
    // The first check fetches the keys, and the second is cached.
    await readTwice();
    await readTwice();
    const before = lookups();

    await readTwice();
    expect(lookups()).toBe(before);

    set(({ sid }) => (sid === 'session_another' ? 'revoked' : undefined));
    await readTwice();
    expect(lookups()).toBe(before + 1);
  });

  test('that has been revoked is rejected at every read', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const reader = createSessionReader({
      ...settings(there),
      cookiePassword: password,
      revocations,
      cache: sessionCache(),
    });
    await reader.read(there.jar.header);
    set(() => 'revoked');

    for (let time = 0; time < 3; time++)
      expect(await reader.read(there.jar.header)).toMatchObject({ reason: 'session_revoked' });
  });

  test('is checked against the revocation list at every read if the list has no version', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten(false);
    const reader = createSessionReader({
      ...settings(there),
      cookiePassword: password,
      revocations,
      cache: sessionCache(),
    });
    await reader.read(there.jar.header);
    expect(await reader.read(there.jar.header)).toMatchObject({ status: 'active' });

    set(() => 'revoked');

    expect(await reader.read(there.jar.header)).toMatchObject({ reason: 'session_revoked' });
  });
});

describe('a session with outdated claims', () => {
  test('in an old cookie is refreshed until the claims are current', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    const sessions = there.sessions({ revocations });
    const late = there.jar.request;
    const second = await sessions.refresh(late);
    const first = there.tokens.accessToken;
    const known = [JSON.parse(atob(first.split('.')[1] ?? '')).jti, second.session?.claims.jti];

    set(({ jti }) => (known.includes(jti) ? 'outdated' : undefined));
    const result = await sessions.handle(late);

    expect(result).toMatchObject({ status: 'refreshed' });
    expect(known).not.toContain(result.session?.claims.jti);
  });

  test('is refreshed at most twice even if the newest tokens are also outdated', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    set(() => 'outdated');

    const result = await there.sessions({ revocations }).handle(there.jar.request);

    expect(result).toMatchObject({ status: 'refreshed' });
    expect(there.rotations()).toBeLessThanOrEqual(2);
  });

  test('ends if the service has already revoked the session', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    set(() => 'outdated');
    const { session } = await there.sessions().read(there.jar.header);
    await there.sallyport.userManagement.revokeSession({ sessionId: session?.sessionId ?? '' });

    const result = await there.sessions({ revocations }).handle(there.jar.request);

    expect(result).toMatchObject({ status: 'signed_out', reason: 'invalid_grant' });
  });

  test('is kept while the service is down', async () => {
    const there = await signedIn();
    const { revocations, set } = handWritten();
    set(() => 'outdated');
    await there.emulator.failNext('userManagement.authenticateWithRefreshToken', { status: 503, times: 9 });

    const result = await there.sessions({ revocations, refresh: { maxRetries: 0 } }).handle(there.jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'service_unavailable' });
    expect(result.headers.getSetCookie()).toEqual([]);
  });
});
