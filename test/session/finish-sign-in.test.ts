import { describe, expect, test } from 'vitest';
import fc, { anyText } from '../runner/property.js';
import { captureWarnings } from '../runner/warnings.js';
import { application, callback } from './application.js';
import { password } from './signed-in.js';

captureWarnings();

/** An answer of the service to a request for tokens. */
const answer = (status: number, body: unknown) => async () => Response.json(body, { status });
const stateOf = (address: string) => new URL(address).searchParams.get('state');

describe('a user who returns from the service', () => {
  test('is signed in and redirected to the requested page', async () => {
    const { signIn, sessions, browser } = await application();

    const finished = await signIn({ returnTo: '/reports?month=11' });

    expect(finished).toMatchObject({
      status: 'signed_in',
      returnTo: '/reports?month=11',
      session: {
        user: { email: 'ada@example.com' },
        sessionId: expect.stringMatching(/^session_/),
        organizationId: null,
      },
    });
    expect(finished.headers.get('location')).toBe('/reports?month=11');
    expect(finished.headers.get('cache-control')).toBe('no-store');
    expect(browser.names).toEqual(['sallyport-session']);
    expect(await sessions.read(browser.header)).toMatchObject({
      status: 'active',
      session: { user: { email: 'ada@example.com' } },
    });
  });

  test('is signed in even if the request URL is only a path', async () => {
    const { start, approve, finish } = await application();

    const { pathname, search } = new URL(await approve(await start()));

    expect(await finish(pathname + search)).toMatchObject({ status: 'signed_in', returnTo: '/' });
  });

  test('can still finish a second pending sign-in', async () => {
    const { start, approve, finish, browser } = await application();
    const one = await start({ returnTo: '/one' });
    const two = await start({ returnTo: '/two' });

    const first = await finish(await approve(one));
    expect(browser.flows).toHaveLength(1);
    const second = await finish(await approve(two));

    expect(first).toMatchObject({ status: 'signed_in', returnTo: '/one' });
    expect(second).toMatchObject({ status: 'signed_in', returnTo: '/two' });
    expect(browser.names).toEqual(['sallyport-session']);
  });

  test('gets a session cookie that replaces earlier cookies and chunks', async () => {
    const { signIn, sessions, browser } = await application();
    browser.keep(['sallyport-session=other', 'sallyport-session.0=2~stale', 'sallyport-session.1=stale']);

    await signIn();

    expect(await sessions.read(browser.header)).toMatchObject({ status: 'active' });
  });
});

describe('a callback that is loaded twice', () => {
  test('at the same time signs the user in to one session', async () => {
    const { start, approve, sessions, browser, emulator } = await application();
    const url = await approve(await start());
    const headers = browser.headers;

    const [one, two] = await Promise.all([
      sessions.finishSignIn({ url, headers }),
      sessions.finishSignIn({ url, headers }),
    ]);
    const three = await sessions.finishSignIn({ url, headers });

    expect(one).toMatchObject({ status: 'signed_in' });
    const { sessionId } = one.status === 'signed_in' ? one.session : { sessionId: undefined };
    expect(two).toMatchObject({ status: 'signed_in', session: { sessionId } });
    expect(three).toMatchObject({ status: 'signed_in', session: { sessionId } });
    expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
  });

  test('at the same time signs the user in even if the service ignores idempotency keys', async () => {
    const { start, approve, sessions, browser, tamper, emulator } = await application();
    tamper((_, request) => {
      request.headers.delete('idempotency-key');
      return emulator.fetch(request);
    });
    const url = await approve(await start());
    const headers = browser.headers;

    const finished = await Promise.all([1, 2, 3].map(() => sessions.finishSignIn({ url, headers })));

    expect(finished.map(({ status }) => status)).toEqual(['signed_in', 'signed_in', 'signed_in']);
    expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
  });

  test('redirects the signed-in user without setting a cookie', async () => {
    const { start, approve, finish, browser } = await application();
    const url = await approve(await start({ returnTo: '/reports' }));
    const first = await finish(url);
    const cookies = browser.header;

    const again = await finish(url);

    expect(again).toMatchObject({
      status: 'already_signed_in',
      returnTo: '/reports',
      session: { sessionId: first.status === 'signed_in' ? first.session.sessionId : '' },
    });
    expect([...again.headers]).toEqual([
      ['cache-control', 'no-store'],
      ['location', '/reports'],
    ]);
    expect(browser.header).toBe(cookies);
  });

  test('reports already_signed_in even after the access token has expired', async () => {
    const { start, approve, finish, emulator } = await application();
    const url = await approve(await start());
    await finish(url);
    await emulator.clock.advance('6m');

    expect(await finish(url)).toMatchObject({ status: 'already_signed_in' });
  });

  test('does not sign the user in again after a sign-out', async () => {
    const { start, approve, finish, sessions, browser } = await application();
    const url = await approve(await start());
    await finish(url);
    browser.keep((await sessions.signOut({ headers: browser.headers })).headers);

    expect(await finish(url)).toMatchObject({ status: 'failed', session: null, reason: 'no_pending_flow' });
  });
});

describe("a callback from another person's sign-in", () => {
  test("does not sign the user in to an attacker's account", async () => {
    const { start, approve, sessions } = await application();
    const attackers = await approve(await start());

    const finished = await sessions.finishSignIn({ url: attackers, headers: {} });

    expect(finished).toMatchObject({ status: 'failed', reason: 'no_pending_flow', returnTo: '/' });
    expect(finished.headers.getSetCookie()).toEqual([]);
  });

  test("does not end the browser's own pending sign-in", async () => {
    const mine = await application();
    const url = await mine.approve(await mine.start({ returnTo: '/mine' }));
    const foreign = await mine.sessions.finishSignIn({
      url: url.replace(/state=[^&]+/, `state=${'x'.repeat(43)}`),
      headers: mine.browser.headers,
    });

    expect(foreign).toMatchObject({ status: 'failed', reason: 'state_mismatch' });
    expect(foreign.headers.getSetCookie()).toEqual([]);
    expect(await mine.finish(url)).toMatchObject({ status: 'signed_in', returnTo: '/mine' });
  });

  test('is reported without the error description from the URL', async () => {
    const { start, finish } = await application();
    await start();

    const finished = await finish(`${callback}?error=access_denied&error_description=Call+0800+555&state=x`);

    expect(finished).toMatchObject({ status: 'failed', reason: 'state_mismatch' });
    expect(finished).not.toHaveProperty('errorDescription');
  });

  test("does not sign the user in even with a state from the user's browser", async () => {
    const { start, approve, finish, browser } = await application();
    const attackers = new URL(await approve(await start()));
    browser.keep(browser.flows.map((name) => `${name}=; Max-Age=0`));
    const own = await start({ returnTo: '/mine' });

    const finished = await finish(`${callback}?code=${attackers.searchParams.get('code')}&state=${stateOf(own)}`);

    expect(finished).toMatchObject({ status: 'failed', reason: 'rejected', error: 'invalid_grant', returnTo: '/mine' });
    expect(browser.names).toEqual([]);
  });
});

describe('a sign-in', () => {
  test('that takes almost ten minutes succeeds', async () => {
    const { start, approve, finish, emulator } = await application();
    const location = await start();
    await emulator.clock.advance(599_000);

    expect(await finish(await approve(location))).toMatchObject({ status: 'signed_in' });
  });

  test('that takes ten minutes expires', async () => {
    const { start, approve, finish, emulator } = await application();
    const location = await start({ returnTo: '/reports' });
    const url = await approve(location);
    await emulator.clock.advance(600_000);

    const finished = await finish(url);

    expect(finished).toMatchObject({ status: 'failed', reason: 'expired', returnTo: '/reports' });
  });
});

describe('an error from the service', () => {
  test.each([
    ['access_denied', 'denied'],
    ['organization_invalid', 'rejected'],
    ['server_error', 'rejected'],
  ])('with the code %s is reported as %s, including the message', async (error, reason) => {
    const { start, finish, browser } = await application();
    const other = await start({ returnTo: '/other' });
    const location = await start({ returnTo: '/reports' });

    const finished = await finish(
      `${callback}?error=${error}&error_description=The+user+said+no&state=${stateOf(location)}`,
    );

    expect(finished).toMatchObject({
      status: 'failed',
      reason,
      error,
      errorDescription: 'The user said no',
      returnTo: '/reports',
    });
    // The other sign-in is still pending.
    expect(browser.flows).toHaveLength(1);
    expect(await finish(`${callback}?error=access_denied&state=${stateOf(other)}`)).toMatchObject({
      returnTo: '/other',
      errorDescription: null,
    });
    expect(browser.names).toEqual([]);
  });

  test('is returned in one line without API keys', async () => {
    const { start, finish, emulator } = await application();
    const state = stateOf(await start());
    const { apiKey } = emulator.credentials;

    const finished = await finish(
      `${callback}?${new URLSearchParams({ state: `${state}`, error: apiKey, error_description: `No\r\nto ${apiKey}` })}`,
    );

    expect(finished).toMatchObject({ status: 'failed', errorDescription: expect.stringMatching(/^No to sk_…/) });
    expect(JSON.stringify(finished)).not.toContain(apiKey);
  });

  test('does not end the previous session', async () => {
    const { signIn, start, finish, sessions, browser } = await application();
    await signIn();

    const finished = await finish(`${callback}?error=access_denied&state=${stateOf(await start())}`);

    expect(finished).toMatchObject({ status: 'failed', reason: 'denied' });
    expect(await sessions.read(browser.header)).toMatchObject({ status: 'active' });
  });
});

describe('a callback without a code', () => {
  test('is reported as no_code, not as an error from the service', async () => {
    const { start, finish } = await application();

    const finished = await finish(`${callback}?state=${stateOf(await start())}`);

    expect(finished).toMatchObject({ status: 'failed', reason: 'no_code' });
  });
});

/** The operation that redeems the code of a sign-in. */
const withCode = 'userManagement.authenticateWithCode';

describe('a callback page can be reloaded', () => {
  test.each([
    ['the connection fails', { connection: 'reset' }, 'network_error'],
    ['the service is overloaded', { status: 503 }, 'service_unavailable'],
    ['the service limits requests', { status: 429 }, 'rate_limited'],
    ['a proxy returns an HTML page', { body: 'html' }, 'unexpected_answer'],
  ] as const)('if %s', async (_, failure, reason) => {
    const { start, approve, finish, emulator, browser } = await application({}, { refresh: { maxRetries: 0 } });
    const url = await approve(await start({ returnTo: '/reports' }));
    await emulator.failNext(withCode, failure);

    const finished = await finish(url);

    expect(finished).toMatchObject({ status: 'retry_later', reason });
    expect(finished.status === 'retry_later' && finished.retryAfterMs).toBeGreaterThan(0);
    expect(browser.flows).toHaveLength(1);
    emulator.clock.advance('500ms');
    expect(await finish(url)).toMatchObject({ status: 'signed_in', returnTo: '/reports' });
  });

  test('if the response was lost after the service had used the code', async () => {
    const { start, approve, finish, emulator } = await application({}, { refresh: { maxRetries: 0 } });
    const url = await approve(await start());
    await emulator.failNext(withCode, { connection: 'reset', carriedOut: true });

    expect(await finish(url)).toMatchObject({ status: 'retry_later', reason: 'network_error' });
    emulator.clock.advance('500ms');
    expect(await finish(url)).toMatchObject({ status: 'signed_in' });
    expect(emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
  });

  test("if the service's keys cannot be fetched", async () => {
    const { start, approve, finish, emulator } = await application();
    const url = await approve(await start());
    await emulator.faults.add({ operation: 'jwks.get', connection: 'reset' });

    expect(await finish(url)).toMatchObject({ status: 'retry_later', reason: 'keys_unavailable' });
    await emulator.faults.clear();
    await emulator.clock.advance('10s');
    expect(await finish(url)).toMatchObject({ status: 'signed_in' });
  });
});

test('a sign-in fails with service_refused if the API key is invalid', async () => {
  const { signIn } = await application({}, { apiKey: 'sk_test_of_another_environment' });

  const finished = await signIn();

  expect(finished).toMatchObject({ status: 'failed', session: null, reason: 'service_refused' });
  const { cause } = finished.status === 'failed' && 'cause' in finished ? finished : { cause: undefined };
  expect(String(cause)).toMatch(/check clientId, apiKey and baseUrl of createSessions/);
  expect(String(cause)).not.toContain('sk_test');
});

describe('if a sign-in is incomplete, finishSignIn', () => {
  test('returns a pending authentication token and the organizations to select from', async () => {
    const { sallyport, signIn, sessions, browser } = await application();
    const { userManagement, organizations } = sallyport;
    const ada = await userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
    const acme = await organizations.createOrganization({ name: 'Acme' });
    const bolt = await organizations.createOrganization({ name: 'Bolt' });
    for (const { id } of [acme, bolt])
      await userManagement.createOrganizationMembership({ userId: ada.id, organizationId: id });

    const finished = await signIn({ provider: 'GoogleOAuth', returnTo: '/reports' });

    expect(finished).toMatchObject({
      status: 'failed',
      reason: 'organization_selection_required',
      pendingAuthenticationToken: expect.any(String),
      organizations: expect.arrayContaining([
        { id: acme.id, name: 'Acme' },
        { id: bolt.id, name: 'Bolt' },
      ]),
      returnTo: '/reports',
    });
    if (finished.status !== 'failed' || finished.reason !== 'organization_selection_required') return;
    const tokens = await userManagement.authenticateWithOrganizationSelection({
      pendingAuthenticationToken: finished.pendingAuthenticationToken,
      organizationId: bolt.id,
    });
    browser.keep(await sessions.create(tokens, { headers: browser.headers }));
    expect(await sessions.read(browser.header)).toMatchObject({ session: { organizationId: bolt.id } });
  });

  test('sends the pending authentication token with the code from the SSO sign-in', async () => {
    const { start, approve, finish, tamper } = await application();
    const url = await approve(await start({ returnTo: '/reports' }));
    tamper(
      answer(400, {
        error: 'sso_required',
        error_description: 'User must authenticate using one of the matching connections.',
        email: 'ada@example.com',
        connection_ids: ['conn_1', 'conn_2'],
        pending_authentication_token: 'pending_1',
      }),
    );
    const finished = await finish(url);
    expect(finished).toMatchObject({
      status: 'failed',
      reason: 'sso_required',
      connectionIds: ['conn_1', 'conn_2'],
      pendingAuthenticationToken: 'pending_1',
      returnTo: '/reports',
    });

    let sent: unknown;
    tamper(async (send, request) => {
      sent = await request.clone().json();
      return send();
    });
    await finish(await approve(await start({ pendingAuthenticationToken: 'pending_1' })));

    expect(sent).toMatchObject({ grant_type: 'authorization_code', pending_authentication_token: 'pending_1' });
  });

  test.each([
    [
      { error: 'sso_required', connection_ids: ['conn_1'], pending_authentication_token: null },
      400,
      { reason: 'sso_required', connectionIds: ['conn_1'], pendingAuthenticationToken: null },
    ],
    [
      {
        error: 'organization_authentication_methods_required',
        sso_connection_ids: ['conn_1'],
        auth_methods: { google_oauth: true, magic_auth: false, password: false },
      },
      400,
      {
        reason: 'organization_authentication_methods_required',
        ssoConnectionIds: ['conn_1'],
        authMethods: { google_oauth: true, magic_auth: false, password: false },
      },
    ],
    [
      {
        code: 'email_verification_required',
        message: 'Email ownership must be verified before authentication.',
        pending_authentication_token: 'pending_1',
        email: 'ada@example.com',
        email_verification_id: 'email_verification_1',
      },
      403,
      { reason: 'email_verification_required', pendingAuthenticationToken: 'pending_1', email: 'ada@example.com' },
    ],
    [
      {
        code: 'mfa_challenge',
        pending_authentication_token: 'pending_1',
        authentication_factors: [{ id: 'auth_factor_1', type: 'totp' }],
      },
      403,
      {
        reason: 'mfa_challenge',
        pendingAuthenticationToken: 'pending_1',
        authenticationFactors: [{ id: 'auth_factor_1', type: 'totp' }],
        authenticationChallengeId: null,
      },
    ],
    [
      {
        code: 'mfa_challenge',
        pending_authentication_token: 'pending_1',
        authentication_challenge: { object: 'authentication_challenge', id: 'auth_challenge_1' },
      },
      403,
      { reason: 'mfa_challenge', authenticationFactors: [], authenticationChallengeId: 'auth_challenge_1' },
    ],
    [
      { code: 'mfa_enrollment', pending_authentication_token: 'pending_1', user: { id: 'user_1' } },
      403,
      { reason: 'mfa_enrollment', pendingAuthenticationToken: 'pending_1', userId: 'user_1' },
    ],
    [
      { error: 'mfa_enrollment', pending_authentication_token: 'pending_1', user: null },
      401,
      { reason: 'mfa_enrollment', pendingAuthenticationToken: 'pending_1', userId: null },
    ],
    [
      { code: 'radar_email_challenge', pending_authentication_token: 'pending_1', radar_challenge_id: 'radar_1' },
      403,
      {
        reason: 'sign_in_step_required',
        type: 'other',
        pendingAuthenticationToken: 'pending_1',
        serviceCode: 'radar_email_challenge',
      },
    ],
    [
      { pending_authentication_token: 'pending_1' },
      422,
      { reason: 'sign_in_step_required', pendingAuthenticationToken: 'pending_1', serviceCode: null },
    ],
    // The next call is not possible without its token.
    [{ code: 'mfa_challenge' }, 403, { reason: 'rejected', error: 'mfa_challenge', errorDescription: null }],
    [
      { error: 'invalid_grant', error_description: 'The code has expired.' },
      400,
      { reason: 'rejected', error: 'invalid_grant', errorDescription: 'The code has expired.' },
    ],
  ])('returns the reason and the data from the response %o', async (body, status, expected) => {
    const { start, approve, finish, tamper, browser } = await application();
    const url = await approve(await start());
    tamper(answer(status, body));

    expect(await finish(url)).toMatchObject({ status: 'failed', ...expected });
    expect(browser.names).toEqual([]);
  });
});

describe('a token response', () => {
  test('is rejected if the user does not match the access token', async () => {
    const { start, approve, finish, tamper, browser } = await application();
    const url = await approve(await start());
    tamper(async (send) => {
      const body = await (await send()).json();
      return Response.json({ ...body, user: { ...body.user, id: 'user_somebody_else' } });
    });

    expect(await finish(url)).toMatchObject({ status: 'failed', reason: 'invalid_tokens', problem: 'wrong_user' });
    expect(browser.names).toEqual([]);
  });

  test('with an invalid signature is rejected', async () => {
    const { start, approve, finish, tamper } = await application();
    const url = await approve(await start());
    tamper(async (send) => {
      const body = await (await send()).json();
      const [header, payload] = body.access_token.split('.');
      return Response.json({ ...body, access_token: `${header}.${payload}.${'A'.repeat(342)}` });
    });

    expect(await finish(url)).toMatchObject({ status: 'failed', reason: 'invalid_tokens', problem: 'invalid_token' });
  });

  test('that is too large for cookies is rejected with an error that names the largest field', async () => {
    const { start, approve, finish, tamper, browser } = await application();
    const url = await approve(await start());
    tamper(async (send) => {
      const body = await (await send()).json();
      return Response.json({ ...body, user: { ...body.user, metadata: { notes: 'x'.repeat(15_000) } } });
    });

    const finished = await finish(url);

    expect(finished).toMatchObject({
      status: 'failed',
      reason: 'session_too_large',
      cause: { message: expect.stringContaining('user.metadata') },
    });
    expect(browser.names).toEqual([]);
  });
});

test('finishSignIn does not throw for a malformed URL or malformed cookies', async () => {
  const { sessions, start, approve, browser } = await application();
  const good = await approve(await start());
  const part = fc.oneof(anyText(), fc.constantFrom('code=x', 'state=', 'error=x', '%', '?', '#', '&', good));
  const cookie = fc.oneof(fc.string(), fc.constantFrom(browser.header, `${browser.header}x`, `${browser.flows[0]}=%`));

  await fc.assert(
    fc.asyncProperty(
      fc.option(
        fc.array(part, { maxLength: 4 }).map((parts) => parts.join('')),
        { nil: undefined },
      ),
      cookie,
      async (url, header) => {
        const finished = await sessions.finishSignIn({ url, headers: { cookie: header } });

        expect(['failed', 'signed_in']).toContain(finished.status);
      },
    ),
    { numRuns: 100 },
  );
});

test('a sign-in can finish with cookies that were sealed with the previous password', async () => {
  const before = await application();
  const url = await before.approve(await before.start({ returnTo: '/reports' }));
  const after = await application(
    {},
    {
      cookiePassword: [
        { id: '2', secret: 'another-cookie-password-of-2026-0001' },
        { id: '1', secret: password },
      ],
      fetch: before.emulator.fetch,
      keys: undefined,
    },
  );

  const finished = await after.sessions.finishSignIn({ url, headers: before.browser.headers });

  expect(finished).toMatchObject({ status: 'signed_in', returnTo: '/reports' });
});
