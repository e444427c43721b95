import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  BadRequestError,
  ConfigurationError,
  type CookieSession,
  InvalidArgumentError,
  Sallyport,
  type SealedSessionOptions,
  SignInStepError,
  UnauthorizedError,
} from 'sallyport';
import type { EmulatorOptions, Fault } from 'sallyport/emulator';
import { createSessionReader, createSessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { company, stage } from '../stage.js';

const cookiePassword = 'a cookie password of more than 32 characters';
const newPassword = [
  { id: 'autumn', secret: 'the password of the autumn, long enough too' },
  { id: '1', secret: cookiePassword },
];
const credentials = { email: 'bruno@northwind.test', password: 'a quiet harbour at dawn' };

/** The operation that refreshes a session. */
const refresh = 'userManagement.authenticateWithRefreshToken';

/** An emulator with Bruno, who plans the docks of Northwind. */
async function startEmulator(options: EmulatorOptions = {}) {
  const { emulator, sallyport } = await stage({ seed: company, client: { maxRetries: 0 }, ...options });
  const { userManagement } = sallyport;
  const now = () => emulator.clock.now();
  const load = (sessionData: string | undefined, more: Partial<SealedSessionOptions> = {}): CookieSession =>
    userManagement.loadSealedSession({ sessionData, cookiePassword, now, ...more });
  const session = { sealSession: true, cookiePassword } as const;
  const signIn = () => userManagement.authenticateWithPassword({ ...credentials, session });
  const requests = async () => (await emulator.requests.list({ operation: refresh })).length;
  return { emulator, userManagement, load, signIn, requests, now };
}

describe('a sealed session', () => {
  test("contains the user and the access token's claims", async () => {
    const { load, signIn } = await startEmulator();
    const { sealedSession, accessToken } = await signIn();

    const result = await load(sealedSession).authenticate();

    expect(result).toEqual({
      authenticated: true,
      session: expect.objectContaining({
        sessionId: expect.stringMatching(/^session_/),
        organizationId: 'org_northwind',
      }),
      sessionId: expect.stringMatching(/^session_/),
      organizationId: 'org_northwind',
      role: 'dock-manager',
      roles: ['dock-manager'],
      permissions: ['docks:plan'],
      entitlements: [],
      featureFlags: [],
      user: expect.objectContaining({ id: 'user_bruno', email: 'bruno@northwind.test' }),
      impersonator: undefined,
      authenticationMethod: undefined,
      accessToken,
    });
  });

  test.each([
    ['missing', 'no_session_cookie_provided', undefined],
    ['empty', 'no_session_cookie_provided', ''],
    ['not a seal', 'invalid_session_cookie', 'Fe26.2*1*junk'],
  ])('is not authenticated if the cookie is %s (reason: %s)', async (_, reason, sessionData) => {
    const { load } = await startEmulator();
    const session = load(sessionData);

    expect(await session.authenticate()).toEqual({ authenticated: false, session: null, reason });
    expect(await session.refresh()).toEqual({ authenticated: false, session: null, reason, retryable: false });
  });

  test('is invalid if the cookie password is wrong', async () => {
    const { load, signIn } = await startEmulator();
    const { sealedSession } = await signIn();

    const result = await load(sealedSession, {
      cookiePassword: 'another password of more than 32 characters',
    }).authenticate();

    expect(result).toEqual({ authenticated: false, session: null, reason: 'invalid_session_cookie' });
  });

  test('is invalid if the seal contains other data', async () => {
    const { load, userManagement } = await startEmulator();
    const sealed = await userManagement.sealData({ cart: ['a lantern'] }, { password: cookiePassword });

    expect(await load(sealed).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'invalid_session_cookie',
    });
  });

  test('is invalid if another service issued the access token', async () => {
    const { load, signIn } = await startEmulator();
    const foreign = await startEmulator();
    await foreign.emulator.keys.rotate();
    const { sealedSession } = await foreign.signIn();
    await signIn();

    expect(await load(sealedSession).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'invalid_jwt',
    });
  });

  test("is invalid if the user id is not the access token's subject", async () => {
    const { load, signIn, userManagement } = await startEmulator();
    const { sealedSession: _, ...tokens } = await signIn();
    const mixed = await userManagement.sealData(
      { ...tokens, user: { ...tokens.user, id: 'user_mallory' } },
      { password: cookiePassword },
    );

    expect(await load(mixed).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'invalid_session_cookie',
    });
  });

  test('is reported as expired after the access token has expired', async () => {
    const { load, signIn, emulator } = await startEmulator();
    const { sealedSession } = await signIn();

    await emulator.clock.advance('6m');

    expect(await load(sealedSession).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'expired',
    });
  });

  test('cannot be checked or refreshed while the signing keys are unavailable', async () => {
    const { load, signIn, emulator } = await startEmulator();
    const { sealedSession } = await signIn();
    await emulator.faults.add({ operation: 'jwks.get', connection: 'reset' });

    const known = await load(sealedSession).authenticate();
    const refreshed = await load(sealedSession).refresh();
    await emulator.faults.clear();
    await emulator.clock.advance('6s');
    const after = await load(sealedSession).refresh();

    expect(known).toEqual({ authenticated: false, session: null, reason: 'keys_unavailable' });
    expect(refreshed).toMatchObject({ authenticated: false, reason: 'keys_unavailable', retryable: true });
    expect(after).toMatchObject({ authenticated: true });
    expect(emulator.served.get(refresh)).toBe(1);
  });

  test("uses the client's fetch options to fetch signing keys", async () => {
    const { emulator, signIn, now } = await startEmulator();
    const { sealedSession } = await signIn();
    const inits: (RequestInit & { dispatcher?: unknown })[] = [];
    const { userManagement } = new Sallyport({
      ...emulator.credentials,
      fetchOptions: { dispatcher: 'a proxy' },
      fetch: (input, init = {}) => {
        inits.push(init);
        return emulator.fetch(input, init);
      },
    });

    const session = userManagement.loadSealedSession({ sessionData: sealedSession, cookiePassword, now });
    const results = [await session.authenticate(), await session.authenticate()];

    expect(results.map(({ authenticated }) => authenticated)).toEqual([true, true]);
    expect(inits).toHaveLength(1);
    expect(inits[0]).toMatchObject({ dispatcher: 'a proxy', redirect: 'manual' });
  });

  test('requires a password of at least 32 characters', async () => {
    const { load } = await startEmulator();
    const session = load('whatever', { cookiePassword: 'short' });

    await expect(session.authenticate()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(session.refresh()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(session.getLogoutUrl()).rejects.toThrow('The cookie password must have 32 characters or more');
  });

  test('is printed without the cookie or the password', async () => {
    const { load, signIn } = await startEmulator();
    const { sealedSession } = await signIn();
    const session = load(sealedSession);

    const printed = inspect(session, { depth: 10, showHidden: true }) + JSON.stringify(session);

    expect(printed).not.toContain(sealedSession);
    expect(printed).not.toContain(cookiePassword);
  });

  test('can be read by createSessionReader from sallyport/session', async () => {
    const { signIn, emulator, now } = await startEmulator();
    const { sealedSession } = await signIn();
    const { clientId, baseUrl } = emulator.credentials;
    const reader = createSessionReader({
      clientId,
      baseUrl,
      cookiePassword,
      fetch: emulator.fetch,
      now,
    });

    const result = await reader.read(`sallyport-session=${sealedSession}`);

    expect(result).toMatchObject({ status: 'active', session: { user: { email: 'bruno@northwind.test' } } });
  });
});

describe('a session sealed by another package', () => {
  const vectors = new URL('../session/vectors/', import.meta.url);
  const files = readdirSync(vectors).filter((name) => /^(?:iron|workos)-/.test(name));

  test.each(files)('is accepted (test vectors in %s)', async (name) => {
    const { keys, madeAt, seals } = JSON.parse(readFileSync(new URL(name, vectors), 'utf8'));
    const { userManagement } = new Sallyport({
      clientId: 'client_01JVECTORS0000000000000000',
      baseUrl: 'https://a.test',
    });
    const [{ sealed: sessionData, password: secret, passwordId: id }] = seals;

    const session = userManagement.loadSealedSession({
      sessionData,
      cookiePassword: [{ id, secret }],
      keys,
      now: () => madeAt,
      // The tokens live until 2100.
      maxTokenLifetimeMs: Infinity,
    });

    expect(files).toHaveLength(5);
    expect(await session.authenticate()).toMatchObject({
      authenticated: true,
      sessionId: 'session_01JVECTORS0000000000000000',
      organizationId: 'org_01JVECTORS0000000000000000',
      role: 'admin',
      permissions: ['invoices:read', 'invoices:write'],
      user: { id: 'user_01JVECTORS0000000000000000', email: 'zoë@example.com', lastName: '李' },
      impersonator: { email: 'support@example.com', reason: 'Ticket 4711' },
    });
    expect(await session.getLogoutUrl()).toBe(
      'https://a.test/user_management/sessions/logout?session_id=session_01JVECTORS0000000000000000',
    );
  });
});

// The code is that of the session entry, and its tests cover races, late requests and lost answers.
describe('a refresh of a sealed session', () => {
  test('returns new tokens and a new cookie, which the session then uses', async () => {
    const { load, signIn, emulator } = await startEmulator();
    const first = await signIn();
    const session = load(first.sealedSession);
    await emulator.clock.advance('6m');

    const refreshed = await session.refresh();

    expect(refreshed).toMatchObject({
      authenticated: true,
      user: { email: 'bruno@northwind.test' },
      role: 'dock-manager',
    });
    if (!refreshed.authenticated) throw new Error(refreshed.reason);
    expect(refreshed.sealedSession).not.toBe(first.sealedSession);
    expect(refreshed.session.refreshToken).not.toBe(first.refreshToken);
    expect(refreshed.session).toMatchObject({
      accessToken: refreshed.accessToken,
      organizationId: refreshed.organizationId,
    });
    expect(await session.authenticate()).toMatchObject({ authenticated: true, sessionId: refreshed.sessionId });
    expect(await load(refreshed.sealedSession).authenticate()).toMatchObject({ authenticated: true });
  });

  test.each(['in the same process', 'in another process'])(
    'uses only one refresh token if createSessions concurrently refreshes the session %s',
    async (where) => {
      const { load, signIn, emulator, now, requests } = await startEmulator({ strictIdempotency: true });
      const { sealedSession } = await signIn();
      await emulator.clock.advance('6m');
      // Functions with another fetch share only what the service remembers.
      const fetch: typeof emulator.fetch =
        where === 'in another process' ? (input, init) => emulator.fetch(input, init) : emulator.fetch;
      const sessions = createSessions({ ...emulator.credentials, cookiePassword, fetch, now });
      const request = { headers: { cookie: `sallyport-session=${sealedSession}` } };

      const [handled, ...together] = await Promise.all([
        sessions.handle(request),
        load(sealedSession).refresh(),
        load(sealedSession).refresh(),
      ]);
      await emulator.clock.advance('29s');
      const late = await load(sealedSession).refresh();

      const [first, ...others] = [...together, late].map((result) =>
        result.authenticated ? result.session.refreshToken : result.reason,
      );
      expect(others).toEqual([first, first]);
      expect(handled.status).toBe('refreshed');
      expect(late).toMatchObject({ authenticated: true, sessionId: handled.session?.sessionId });
      expect(emulator.served.get(refresh)).toBe(1);
      expect(await requests()).toBe(where === 'in another process' ? 2 : 1);
    },
  );

  test.each<[string, Fault]>([
    ['rate_limit_exceeded', { status: 429, retryAfterMs: 7_000 }],
    ['server_error', { status: 503 }],
    ['network_error', { connection: 'reset', carriedOut: true }],
  ])('that fails with %s can be repeated, and uses only one refresh token', async (reason, fault) => {
    const { load, signIn, emulator } = await startEmulator();
    const { sealedSession } = await signIn();
    await emulator.failNext(refresh, fault);

    const first = await load(sealedSession).refresh();
    await emulator.clock.advance('8s');
    const second = await load(sealedSession).refresh();

    expect(first).toMatchObject({ authenticated: false, reason, retryable: true });
    expect(second).toMatchObject({ authenticated: true });
    expect(emulator.served.get(refresh)).toBe(1);
  });

  test.each([429, 500, 503])(
    'that fails with status %i can be repeated even if the response body contains invalid_grant',
    async (status) => {
      const { emulator, signIn } = await startEmulator();
      const { sealedSession } = await signIn();
      const failing: typeof fetch = async (input, init) =>
        String(input).endsWith('/user_management/authenticate')
          ? Response.json({ error: 'invalid_grant' }, { status })
          : emulator.fetch(input, init);
      const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: failing, maxRetries: 0 });

      const refreshed = await userManagement
        .loadSealedSession({ sessionData: sealedSession, cookiePassword })
        .refresh();

      expect(refreshed).toMatchObject({ authenticated: false, retryable: true });
    },
  );

  test('fails permanently if the session was revoked', async () => {
    const { load, signIn, userManagement } = await startEmulator();
    const { sealedSession } = await signIn();
    const session = load(sealedSession);
    const { sessionId } = (await session.authenticate()) as { sessionId: string };
    await userManagement.revokeSession({ sessionId });

    const result = await session.refresh();

    expect(result).toMatchObject({ authenticated: false, reason: 'invalid_grant', retryable: false });
    expect(!result.authenticated && result.error).toBeInstanceOf(BadRequestError);
  });

  test('fails permanently if the service requires an unknown sign-in step', async () => {
    const { emulator, signIn } = await startEmulator();
    const { sealedSession } = await signIn();
    const body = { code: 'retina_scan_required', pending_authentication_token: 'pending_01' };
    const asking: typeof fetch = async (input, init) =>
      String(input).endsWith('/user_management/authenticate')
        ? Response.json(body, { status: 401 })
        : emulator.fetch(input, init);
    const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: asking });

    const result = await userManagement.loadSealedSession({ sessionData: sealedSession, cookiePassword }).refresh();

    expect(result).toMatchObject({ authenticated: false, reason: 'sign_in_step_required', retryable: false });
    expect(!result.authenticated && result.error).toBeInstanceOf(SignInStepError);
  });

  test('throws an error if the API key is wrong', async () => {
    const { emulator, signIn } = await startEmulator();
    const { sealedSession } = await signIn();
    const { credentials, fetch } = emulator;
    const { userManagement } = new Sallyport({ ...credentials, apiKey: 'sk_test_wrong_0123456789', fetch });

    const refreshed = userManagement.loadSealedSession({ sessionData: sealedSession, cookiePassword }).refresh();

    await expect(refreshed).rejects.toSatisfy(
      (error) => error instanceof UnauthorizedError || error instanceof BadRequestError,
    );
  });

  test('can move the session to another organization of the user', async () => {
    const { load, signIn, userManagement } = await startEmulator();
    const { sealedSession } = await signIn();
    await userManagement.createOrganizationMembership({ userId: 'user_bruno', organizationId: 'org_tailspin' });

    const moved = await load(sealedSession).refresh({ organizationId: 'org_tailspin' });
    const strange = await load(sealedSession).refresh({ organizationId: 'org_litware' });

    expect(moved).toMatchObject({ authenticated: true, organizationId: 'org_tailspin', role: 'member' });
    expect(strange.authenticated).toBe(false);
  });

  test('can seal the session with a new password', async () => {
    const { load, signIn, requests } = await startEmulator();
    const { sealedSession } = await signIn();
    const session = load(sealedSession);

    await expect(session.refresh({ cookiePassword: 'short' })).rejects.toBeInstanceOf(ConfigurationError);
    expect(await requests()).toBe(0);
    const refreshed = await session.refresh({ cookiePassword: newPassword });

    if (!refreshed.authenticated) throw new Error(refreshed.reason);
    expect(refreshed.sealedSession).toMatch(/^Fe26\.2\*autumn\*/);
    expect(await session.authenticate()).toMatchObject({ authenticated: true });
    expect(await load(refreshed.sealedSession).authenticate()).toMatchObject({ reason: 'invalid_session_cookie' });
  });
});

describe("a sealed session's sign-out URL", () => {
  test('contains the session id even if the session has expired and the signing keys are unavailable', async () => {
    const { load, signIn, emulator } = await startEmulator();
    const { sealedSession } = await signIn();
    await emulator.faults.add({ operation: 'jwks.get', connection: 'reset' });
    await emulator.clock.advance('6m');

    const url = new URL(await load(sealedSession).getLogoutUrl({ returnTo: 'http://localhost:3000/' }));

    expect(url.pathname).toBe('/user_management/sessions/logout');
    expect(url.searchParams.get('session_id')).toMatch(/^session_/);
    expect(url.searchParams.get('return_to')).toBe('http://localhost:3000/');
  });

  test.each([
    ['without a cookie', undefined, 'The cookie is missing'],
    ['with a broken cookie', 'Fe26.2*1*junk', 'The cookie cannot be opened'],
  ])('cannot be created %s', async (_, sessionData, why) => {
    const { load } = await startEmulator();

    const error = await load(sessionData)
      .getLogoutUrl()
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(String(error)).toContain(why);
  });
});

describe('a sign-in', () => {
  test('that seals the session rejects an invalid cookie password before any request', async () => {
    const { userManagement, emulator } = await startEmulator();
    const session = { sealSession: true, cookiePassword: 'short' } as const;

    const call = userManagement.authenticateWithPassword({ ...credentials, session });

    await expect(call).rejects.toBeInstanceOf(ConfigurationError);
    expect(emulator.served.get('userManagement.authenticateWithPassword')).toBeUndefined();
  });

  test('that seals the session does not send the cookie password', async () => {
    const bodies: string[] = [];
    const { emulator } = await startEmulator();
    const fetch: typeof emulator.fetch = async (input, init) => {
      bodies.push(await new Request(input, init).text());
      return emulator.fetch(input, init);
    };
    const { userManagement } = new Sallyport({ ...emulator.credentials, fetch });
    const session = { sealSession: true, cookiePassword } as const;

    await userManagement.authenticateWithPassword({ ...credentials, session });

    expect(bodies.join('\n')).toContain('bruno@northwind.test');
    expect(bodies.join('\n')).not.toMatch(/seal|cookie/i);
  });

  test('that seals the session can also return the HTTP response', async () => {
    const { userManagement } = await startEmulator();
    const session = { sealSession: true, cookiePassword } as const;

    const { data, response } = await userManagement
      .authenticateWithPassword({ ...credentials, session })
      .withResponse();

    expect(response.status).toBe(200);
    expect(data.sealedSession).toMatch(/^Fe26\.2\*1\*/);
  });

  test('does not seal the session by default', async () => {
    const { userManagement } = await startEmulator();

    const answer = await userManagement.authenticateWithPassword(credentials);

    expect(answer).not.toHaveProperty('sealedSession');
    // @ts-expect-error there is none
    expect(answer.sealedSession).toBeUndefined();
  });
});

describe('sealed data', () => {
  test('can be unsealed to the original value', async () => {
    const { userManagement } = await startEmulator();
    const data = { cart: ['a lantern', 'ein Seil, 3 €'], count: 2 };

    const sealed = await userManagement.sealData(data, { password: cookiePassword });

    expect(sealed).toMatch(/^Fe26\.2\*1\*[\w*-]+~2$/);
    expect(await userManagement.unsealData(sealed, { password: cookiePassword })).toEqual(data);
    expect(await userManagement.unsealData(sealed, { password: newPassword })).toEqual(data);
  });

  test('cannot be unsealed after a change or with a wrong password', async () => {
    const { userManagement } = await startEmulator();
    const sealed = await userManagement.sealData({ admin: false }, { password: cookiePassword });
    const changed = sealed.replace(/~2$/, '~3');

    expect(await userManagement.unsealData(changed, { password: cookiePassword })).toBeUndefined();
    expect(await userManagement.unsealData(sealed, { password: 'x'.repeat(32) })).toBeUndefined();
    expect(await userManagement.unsealData('', { password: cookiePassword })).toBeUndefined();
  });

  test('cannot be created with an invalid password or a value that JSON cannot represent', async () => {
    const { userManagement } = await startEmulator();

    await expect(userManagement.sealData({}, { password: 'short' })).rejects.toBeInstanceOf(ConfigurationError);
    await expect(userManagement.sealData(undefined, { password: cookiePassword })).rejects.toBeInstanceOf(
      InvalidArgumentError,
    );
    // @ts-expect-error the options are forgotten
    await expect(userManagement.unsealData('x')).rejects.toBeInstanceOf(ConfigurationError);
  });
});
