import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  BadRequestError,
  ConfigurationError,
  type CookieSession,
  InvalidArgumentError,
  type RequestRecord,
  Sallyport,
  type SealedSessionOptions,
  UnauthorizedError,
} from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessionReader, createSessions } from 'sallyport/session';
import { describe, expect, onTestFinished, test } from 'vitest';

const cookiePassword = 'a cookie password of more than 32 characters';
const newPassword = [
  { id: 'autumn', secret: 'the password of the autumn, long enough too' },
  { id: '1', secret: cookiePassword },
];
const password = 'a lantern on the mole';

/** What stands between the client and the emulator: sees every request and may answer in the emulator's place. */
type Between = (
  request: { readonly url: string; readonly body: string },
  pass: () => Promise<Response>,
) => Promise<Response>;

/** An emulator with one user in two organizations, and a client of it that writes down its requests. */
async function world({
  between = (_, pass) => pass(),
  ...options
}: {
  readonly between?: Between;
  readonly strictIdempotency?: boolean;
} = {}) {
  const emulator = await createEmulator({ clock: '2026-05-04T08:00:00.000Z', ...options });
  onTestFinished(() => emulator.close());
  const requests: RequestRecord[] = [];
  // One function for the whole test: key sets and refreshes are shared by the function that fetches.
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    return between({ url: request.url, body }, () => emulator.fetch(request));
  };
  const client = (more: ConstructorParameters<typeof Sallyport>[0] = {}) =>
    new Sallyport({
      ...emulator.credentials,
      fetch,
      maxRetries: 0,
      hooks: { onRequest: (record) => requests.push(record) },
      ...more,
    });
  const { userManagement, organizations } = client();
  const user = await userManagement.createUser({ email: 'ada@acme.test', password, emailVerified: true });
  const acme = await organizations.createOrganization({ name: 'Acme' });
  await userManagement.createOrganizationMembership({ userId: user.id, organizationId: acme.id, roleSlug: 'member' });
  const now = () => emulator.clock.now();
  const load = (sessionData: string | undefined, more: Partial<SealedSessionOptions> = {}): CookieSession =>
    userManagement.loadSealedSession({ sessionData, cookiePassword, now, ...more });
  const signIn = async () => {
    const session = { sealSession: true, cookiePassword } as const;
    return userManagement.authenticateWithPassword({ email: 'ada@acme.test', password, session });
  };
  const refreshes = () => requests.filter(({ client }) => client.endsWith('authenticateWithRefreshToken')).length;
  return { emulator, userManagement, client, user, acme, load, signIn, refreshes, now, fetch };
}

describe('a sealed session', () => {
  test('says who is signed in', async () => {
    const { load, signIn, user, acme } = await world();
    const { sealedSession, accessToken } = await signIn();

    const result = await load(sealedSession).authenticate();

    expect(result).toEqual({
      authenticated: true,
      session: expect.objectContaining({ sessionId: expect.stringMatching(/^session_/), organizationId: acme.id }),
      sessionId: expect.stringMatching(/^session_/),
      organizationId: acme.id,
      role: 'member',
      roles: ['member'],
      permissions: [],
      entitlements: [],
      featureFlags: [],
      user: expect.objectContaining({ id: user.id, email: 'ada@acme.test' }),
      impersonator: undefined,
      authenticationMethod: undefined,
      accessToken,
    });
  });

  test.each([
    ['none', undefined, 'no_session_cookie_provided'],
    ['an empty one', '', 'no_session_cookie_provided'],
    ['no seal', 'Fe26.2*1*junk', 'invalid_session_cookie'],
  ])('of a cookie that is %s is %s: %s', async (_, sessionData, reason) => {
    const { load } = await world();
    const session = load(sessionData);

    expect(await session.authenticate()).toEqual({ authenticated: false, session: null, reason });
    expect(await session.refresh()).toEqual({ authenticated: false, session: null, reason, retryable: false });
  });

  test('is invalid under another password', async () => {
    const { load, signIn } = await world();
    const { sealedSession } = await signIn();

    const result = await load(sealedSession, {
      cookiePassword: 'another password of more than 32 characters',
    }).authenticate();

    expect(result).toEqual({ authenticated: false, session: null, reason: 'invalid_session_cookie' });
  });

  test('is invalid if it holds other data', async () => {
    const { load, userManagement } = await world();
    const sealed = await userManagement.sealData({ cart: ['a lantern'] }, { password: cookiePassword });

    expect(await load(sealed).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'invalid_session_cookie',
    });
  });

  test('with the token of another service has an invalid token', async () => {
    const { load, signIn } = await world();
    const foreign = await world();
    await foreign.emulator.keys.rotate();
    const { sealedSession } = await foreign.signIn();
    await signIn();

    expect(await load(sealedSession).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'invalid_jwt',
    });
  });

  test('is invalid if its user is not the user of the token', async () => {
    const { load, signIn, userManagement, user } = await world();
    const { sealedSession: _, ...tokens } = await signIn();
    const mixed = await userManagement.sealData(
      { ...tokens, user: { ...user, id: 'user_mallory' } },
      { password: cookiePassword },
    );

    expect(await load(mixed).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'invalid_session_cookie',
    });
  });

  test('is reported as expired, not as forged', async () => {
    const { load, signIn, emulator } = await world();
    const { sealedSession } = await signIn();

    await emulator.clock.advance('6m');

    expect(await load(sealedSession).authenticate()).toEqual({
      authenticated: false,
      session: null,
      reason: 'expired',
    });
  });

  test('is not known while the keys cannot be had', async () => {
    let down = true;
    const { load, signIn } = await world({
      between: async ({ url }, pass) => {
        if (down && url.includes('/jwks/')) throw new TypeError('fetch failed');
        return pass();
      },
    });
    const { sealedSession } = await signIn();

    const without = await load(sealedSession).authenticate();
    down = false;

    expect(without).toEqual({ authenticated: false, session: null, reason: 'keys_unavailable' });
  });

  test('fetches the keys the way the client sends its requests', async () => {
    const { emulator, signIn, now } = await world();
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

  test('needs a password of 32 characters', async () => {
    const { load } = await world();
    const session = load('whatever', { cookiePassword: 'short' });

    await expect(session.authenticate()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(session.refresh()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(session.getLogoutUrl()).rejects.toThrow('The cookie password must have 32 characters or more');
  });

  test('prints neither its cookie nor its password', async () => {
    const { load, signIn } = await world();
    const { sealedSession } = await signIn();
    const session = load(sealedSession);

    const printed = inspect(session, { depth: 10, showHidden: true }) + JSON.stringify(session);

    expect(printed).not.toContain(sealedSession);
    expect(printed).not.toContain(cookiePassword);
  });

  test('opens for the reader of the session entry, and the other way round', async () => {
    const { signIn, emulator, now, fetch } = await world();
    const { sealedSession } = await signIn();
    const reader = createSessionReader({ ...emulator.credentials, password: cookiePassword, fetch, now });

    const result = await reader.read(`sallyport-session=${sealedSession}`);

    expect(result).toMatchObject({ status: 'active', session: { user: { email: 'ada@acme.test' } } });
  });
});

describe('a session that another package has sealed', () => {
  const vectors = new URL('../session/vectors/', import.meta.url);
  const files = readdirSync(vectors).filter((name) => /^(?:iron|workos)-/.test(name));

  test.each(files)('is taken over as it is: %s', async (name) => {
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
      // Their tokens live until 2100.
      maxTokenLifetimeSec: Infinity,
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

describe('refreshing a sealed session', () => {
  test('gives new tokens and a new cookie, and goes on with them', async () => {
    const { load, signIn, emulator } = await world();
    const first = await signIn();
    const session = load(first.sealedSession);
    await emulator.clock.advance('6m');

    const refreshed = await session.refresh();

    expect(refreshed).toMatchObject({ authenticated: true, user: { email: 'ada@acme.test' }, role: 'member' });
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

  test('spends the refresh token once for all who ask at the same time, and for those who come late', async () => {
    const { load, signIn, refreshes } = await world();
    const { sealedSession } = await signIn();

    const together = await Promise.all(Array.from({ length: 10 }, () => load(sealedSession).refresh()));
    const late = await load(sealedSession).refresh();

    const tokens = [...together, late].map((result) =>
      result.authenticated ? result.session.refreshToken : result.reason,
    );
    expect(new Set(tokens).size).toBe(1);
    expect(refreshes()).toBe(1);
  });

  test('gives another process the same tokens', async () => {
    const { load, signIn, emulator, client, now } = await world({ strictIdempotency: true });
    const { sealedSession } = await signIn();
    // Another function that fetches shares nothing but what the service remembers.
    const { userManagement } = client({ fetch: (input, init) => emulator.fetch(input, init) });
    const elsewhere = userManagement.loadSealedSession({ sessionData: sealedSession, cookiePassword, now });

    const results = [await load(sealedSession).refresh(), await elsewhere.refresh()];

    const [here, there] = results.map((result) => (result.authenticated ? result.session.refreshToken : result.reason));
    expect(there).toBe(here);
    expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test.each(['in this process', 'in another'])('shares it with the sessions of the session entry %s', async (where) => {
    const { load, signIn, emulator, now, fetch } = await world({ strictIdempotency: true });
    const { sealedSession } = await signIn();
    await emulator.clock.advance('6m');
    const theirs =
      where === 'in another' ? (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init) : fetch;
    const sessions = createSessions({ ...emulator.credentials, password: cookiePassword, fetch: theirs, now });
    const request = { headers: { cookie: `sallyport-session=${sealedSession}` }, url: '/', method: 'GET' };

    const [handled, refreshed] = await Promise.all([sessions.handle(request), load(sealedSession).refresh()]);

    expect(handled.status).toBe('refreshed');
    expect(refreshed).toMatchObject({ authenticated: true, sessionId: handled.session?.sessionId });
    expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test('recovers an answer that was lost', async () => {
    let lost = 0;
    const { load, signIn, emulator } = await world({
      between: async ({ body }, pass) => {
        const answer = await pass();
        if (!body.includes('refresh_token') || lost > 0) return answer;
        lost += 1;
        throw new TypeError('fetch failed');
      },
    });
    const { sealedSession } = await signIn();

    const first = await load(sealedSession).refresh();
    const second = await load(sealedSession).refresh();

    expect(first).toMatchObject({ authenticated: false, reason: 'network_error', retryable: true });
    expect(second).toMatchObject({ authenticated: true });
    expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test('keeps the session when the keys cannot be had, and goes on when they can', async () => {
    let down = true;
    const { load, signIn, emulator } = await world({
      between: async ({ url }, pass) => {
        if (down && url.includes('/jwks/')) throw new TypeError('fetch failed');
        return pass();
      },
    });
    const { sealedSession } = await signIn();

    const without = await load(sealedSession).refresh();
    down = false;
    await emulator.clock.advance('6s');
    const after = await load(sealedSession).refresh();

    expect(without).toMatchObject({ authenticated: false, reason: 'keys_unavailable', retryable: true });
    expect(after).toMatchObject({ authenticated: true });
    expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test('fails for good if the session was revoked', async () => {
    const { load, signIn, userManagement } = await world();
    const { sealedSession } = await signIn();
    const session = load(sealedSession);
    const { sessionId } = (await session.authenticate()) as { sessionId: string };
    await userManagement.revokeSession({ sessionId });

    const result = await session.refresh();

    expect(result).toMatchObject({ authenticated: false, reason: 'invalid_grant', retryable: false });
    expect(!result.authenticated && result.error).toBeInstanceOf(BadRequestError);
  });

  test.each([
    [429, 'rate_limit_exceeded'],
    [503, 'server_error'],
  ])('that meets status %s may be tried again: %s', async (status, reason) => {
    const { load, signIn, emulator } = await world();
    const { sealedSession } = await signIn();
    await emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status });

    expect(await load(sealedSession).refresh()).toMatchObject({ authenticated: false, reason, retryable: true });
  });

  test('with a wrong API key rejects, for no user can do anything about it', async () => {
    const { signIn, client } = await world();
    const { sealedSession } = await signIn();
    const { userManagement } = client({ apiKey: 'sk_test_wrong_0123456789' });

    const refreshed = userManagement.loadSealedSession({ sessionData: sealedSession, cookiePassword }).refresh();

    await expect(refreshed).rejects.toSatisfy(
      (error) => error instanceof UnauthorizedError || error instanceof BadRequestError,
    );
  });

  test('moves it to another organization', async () => {
    const { load, signIn, userManagement, client, user, acme } = await world();
    const { sealedSession } = await signIn();
    const bolt = await client().organizations.createOrganization({ name: 'Bolt' });
    await userManagement.createOrganizationMembership({ userId: user.id, organizationId: bolt.id });

    const moved = await load(sealedSession).refresh({ organizationId: bolt.id });
    const strange = await load(sealedSession).refresh({ organizationId: 'org_of_others' });

    expect(moved).toMatchObject({ authenticated: true, organizationId: bolt.id });
    expect(acme.id).not.toBe(bolt.id);
    expect(strange.authenticated).toBe(false);
  });

  test('seals under a new password, and the session uses that password from then on', async () => {
    const { load, signIn } = await world();
    const { sealedSession } = await signIn();
    const session = load(sealedSession);

    const refreshed = await session.refresh({ cookiePassword: newPassword });

    if (!refreshed.authenticated) throw new Error(refreshed.reason);
    expect(refreshed.sealedSession).toMatch(/^Fe26\.2\*autumn\*/);
    expect(await session.authenticate()).toMatchObject({ authenticated: true });
    expect(await load(refreshed.sealedSession).authenticate()).toMatchObject({ reason: 'invalid_session_cookie' });
  });

  test('finds a new password that cannot seal before it spends the refresh token', async () => {
    const { load, signIn, refreshes } = await world();
    const { sealedSession } = await signIn();

    await expect(load(sealedSession).refresh({ cookiePassword: 'short' })).rejects.toBeInstanceOf(ConfigurationError);
    expect(refreshes()).toBe(0);
  });
});

describe('the address for ending a sealed session', () => {
  test('names the session, also when it has expired and the keys are out of reach', async () => {
    const { load, signIn, emulator } = await world({
      between: async ({ url }, pass) => {
        if (url.includes('/jwks/')) throw new TypeError('fetch failed');
        return pass();
      },
    });
    const { sealedSession } = await signIn();
    await emulator.clock.advance('6m');

    const url = new URL(await load(sealedSession).getLogoutUrl({ returnTo: 'http://localhost:3000/' }));

    expect(url.pathname).toBe('/user_management/sessions/logout');
    expect(url.searchParams.get('session_id')).toMatch(/^session_/);
    expect(url.searchParams.get('return_to')).toBe('http://localhost:3000/');
  });

  test.each([
    ['without a cookie', undefined, 'The cookie is missing'],
    ['with a broken one', 'Fe26.2*1*junk', 'The cookie cannot be opened'],
  ])('is refused %s', async (_, sessionData, why) => {
    const { load } = await world();

    const error = await load(sessionData)
      .getLogoutUrl()
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(String(error)).toContain(why);
  });
});

describe('signing in with a sealed session', () => {
  test('finds a password that cannot seal before anything is spent', async () => {
    const { userManagement, emulator } = await world();
    const session = { sealSession: true, cookiePassword: 'short' } as const;

    const call = userManagement.authenticateWithPassword({ email: 'ada@acme.test', password, session });

    await expect(call).rejects.toBeInstanceOf(ConfigurationError);
    expect(emulator.served.get('userManagement.authenticateWithPassword')).toBeUndefined();
  });

  test('keeps the cookie password at home', async () => {
    const bodies: string[] = [];
    const { signIn } = await world({
      between: ({ body }, pass) => {
        bodies.push(body);
        return pass();
      },
    });

    await signIn();

    expect(bodies.join('\n')).toContain('ada@acme.test');
    expect(bodies.join('\n')).not.toMatch(/seal|cookie/i);
  });

  test('returns the response together with the result', async () => {
    const { userManagement } = await world();
    const session = { sealSession: true, cookiePassword } as const;

    const { data, response } = await userManagement
      .authenticateWithPassword({ email: 'ada@acme.test', password, session })
      .withResponse();

    expect(response.status).toBe(200);
    expect(data.sealedSession).toMatch(/^Fe26\.2\*1\*/);
  });

  test('is not sealed unless asked for', async () => {
    const { userManagement } = await world();

    const answer = await userManagement.authenticateWithPassword({ email: 'ada@acme.test', password });

    expect(answer).not.toHaveProperty('sealedSession');
    // @ts-expect-error there is none
    expect(answer.sealedSession).toBeUndefined();
  });
});

describe('sealed data', () => {
  test('comes back as it was', async () => {
    const { userManagement } = await world();
    const data = { cart: ['a lantern', 'ein Seil, 3 €'], count: 2 };

    const sealed = await userManagement.sealData(data, { password: cookiePassword });

    expect(sealed).toMatch(/^Fe26\.2\*1\*[\w*-]+~2$/);
    expect(await userManagement.unsealData(sealed, { password: cookiePassword })).toEqual(data);
    expect(await userManagement.unsealData(sealed, { password: newPassword })).toEqual(data);
  });

  test('does not come back changed, under another password, or as no seal', async () => {
    const { userManagement } = await world();
    const sealed = await userManagement.sealData({ admin: false }, { password: cookiePassword });
    const changed = sealed.replace(/~2$/, '~3');

    expect(await userManagement.unsealData(changed, { password: cookiePassword })).toBeUndefined();
    expect(await userManagement.unsealData(sealed, { password: 'x'.repeat(32) })).toBeUndefined();
    expect(await userManagement.unsealData('', { password: cookiePassword })).toBeUndefined();
  });

  test('needs a password, and data that can be written', async () => {
    const { userManagement } = await world();

    await expect(userManagement.sealData({}, { password: 'short' })).rejects.toBeInstanceOf(ConfigurationError);
    await expect(userManagement.sealData(undefined, { password: cookiePassword })).rejects.toBeInstanceOf(
      InvalidArgumentError,
    );
    // @ts-expect-error the options are forgotten
    await expect(userManagement.unsealData('x')).rejects.toBeInstanceOf(ConfigurationError);
  });
});
