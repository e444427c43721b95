import { describe, expect, test } from 'vitest';
import { claimsOf, signingIn, urn } from '../signing-in.js';

const startEmulator = () =>
  signingIn({
    seed: {
      organizations: [
        { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
        { id: 'org_bolt', name: 'Bolt' },
      ],
      users: [
        { id: 'user_ada', email: 'ada@acme.test', email_verified: true, password: 'correct horse' },
        { id: 'user_both', email: 'both@bolt.test', email_verified: true },
        { id: 'user_new', email: 'new@bolt.test', password: 'correct horse' },
        {
          id: 'user_careful',
          email: 'careful@bolt.test',
          email_verified: true,
          password: 'correct horse',
          auth_factors: [{ type: 'totp' }],
        },
      ],
      memberships: [
        { user_id: 'user_ada', organization_id: 'org_acme' },
        { user_id: 'user_both', organization_id: 'org_acme' },
        { user_id: 'user_both', organization_id: 'org_bolt' },
      ],
      connections: [
        { id: 'conn_okta', organization_id: 'org_acme', connection_type: 'OktaSAML', name: 'Okta', state: 'active' },
      ],
    },
  });

describe('signInAs', () => {
  test('returns a session that can be refreshed and revoked', async () => {
    const { emulator, send, refresh } = await startEmulator();

    const { accessToken, refreshToken, organizationId } = await emulator.signInAs('user_ada');

    const { sid, sub, org_id } = claimsOf(accessToken);
    expect([sub, org_id, organizationId]).toEqual(['user_ada', 'org_acme', 'org_acme']);
    const next = await refresh(refreshToken);
    expect([next.status, claimsOf(next.body.access_token).sid]).toEqual([200, sid]);
    await send('POST /user_management/sessions/revoke', { session_id: sid });
    expect((await refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('returns the session id', async () => {
    const { emulator } = await startEmulator();

    const { accessToken, sessionId } = await emulator.signInAs('user_ada');

    expect(sessionId).toMatch(/^session_/);
    expect(sessionId).toBe(claimsOf(accessToken).sid);
  });

  test('accepts an email address instead of a user id', async () => {
    const { emulator } = await startEmulator();

    const { user } = await emulator.signInAs('Ada@acme.test');

    expect(user.id).toBe('user_ada');
    await expect(emulator.signInAs('eve@acme.test')).rejects.toMatchObject({
      status: 404,
      message: 'No user has the id or email address "eve@acme.test".',
    });
  });

  test('emits the same events as a sign-in with the password', async () => {
    const { emulator, byPassword, events } = await startEmulator();
    await byPassword('ada@acme.test');
    const bySelf = [...events];

    await emulator.signInAs('user_ada');

    const seen = (all: typeof events) =>
      all.map((one) => ({ ...one, id: undefined, createdAt: undefined, data: { ...one.data, id: undefined } }));
    const bySignInAs = events.slice(bySelf.length);
    expect(seen(bySignInAs)).toEqual(seen(bySelf));
    expect(bySignInAs.map(({ event }) => event)).toEqual(['authentication.password_succeeded', 'session.created']);
  });

  test('verifies an unverified email address, and passes a required second factor', async () => {
    const { emulator, eventTypes, byPassword } = await startEmulator();
    expect((await byPassword('new@bolt.test')).body.code).toBe('email_verification_required');
    expect((await byPassword('careful@bolt.test')).body.code).toBe('mfa_challenge');
    const before = eventTypes().length;

    const { user } = await emulator.signInAs('user_new');
    await emulator.signInAs('user_careful');

    expect(user.emailVerified).toBe(true);
    expect(eventTypes().slice(before)).toEqual([
      'authentication.password_succeeded',
      'user.updated',
      'authentication.email_verification_succeeded',
      'session.created',
      'authentication.password_succeeded',
      'authentication.mfa_succeeded',
      'session.created',
    ]);
  });

  test.each([
    ['MagicAuth', 'authentication.magic_auth_succeeded', 'magic_code'],
    ['GoogleOAuth', 'authentication.oauth_succeeded', 'oauth'],
    ['Passkey', 'authentication.passkey_succeeded', 'passkey'],
    ['SSO', 'authentication.sso_succeeded', 'sso'],
  ] as const)('uses the requested authentication method %s', async (authenticationMethod, event, authMethod) => {
    const { emulator, eventTypes, send } = await startEmulator();

    await emulator.signInAs('user_ada', { authenticationMethod });

    expect(eventTypes()).toEqual([event, 'session.created']);
    const { body } = await send('GET /user_management/users/user_ada/sessions');
    expect(body.data[0].auth_method).toBe(authMethod);
  });

  test("uses a sign-in method that the organization's policy allows", async () => {
    const { emulator, send } = await startEmulator();
    const methods = async () =>
      (await send('GET /user_management/users/user_ada/sessions?order=asc')).body.data.map(
        (session: { readonly auth_method: string }) => session.auth_method,
      );

    await emulator.setAuthenticationPolicy('org_acme', { authMethods: { githubOauth: true } });
    await emulator.signInAs('user_ada');
    await emulator.setAuthenticationPolicy('org_acme', { ssoRequired: true });
    await emulator.signInAs('user_ada');

    expect((await methods()).sort()).toEqual(['oauth', 'sso']);
  });

  test('allows a staff member to act as the user', async () => {
    const { emulator, eventTypes } = await startEmulator();

    const { accessToken, impersonator } = await emulator.signInAs('user_ada', {
      impersonator: { email: 'staff@vendor.test', reason: 'Help' },
    });

    expect(impersonator).toEqual({ email: 'staff@vendor.test', reason: 'Help' });
    expect(claimsOf(accessToken).act).toEqual({ sub: 'staff@vendor.test' });
    expect(eventTypes()).toEqual(['session.created']);
  });

  test('signs in to the chosen organization', async () => {
    const { emulator } = await startEmulator();

    const { organizationId } = await emulator.signInAs('user_both', { organizationId: 'org_bolt' });

    expect(organizationId).toBe('org_bolt');
  });
});

describe('signInAs', () => {
  test.each([
    ['an unknown user', 'user_gone', {}, 404, 'entity_not_found', 'No user has the id or email address "user_gone"'],
    [
      'a user who is not a member of the organization',
      'user_ada',
      { organizationId: 'org_bolt' },
      403,
      'user_not_organization_member',
      'This user is not an active member of the organization "org_bolt"',
    ],
    [
      'a user of several organizations if no organization is chosen',
      'user_both',
      {},
      403,
      'organization_selection_required',
      'The user belongs to several organizations: org_acme (Acme), org_bolt (Bolt). Pass organizationId to choose one',
    ],
    [
      'SSO in an organization without a connection',
      'user_both',
      { organizationId: 'org_bolt', authenticationMethod: 'SSO' },
      400,
      'sso_connection_missing',
      'The organization "org_bolt" has no active connection. Create or activate one, or leave out authenticationMethod',
    ],
    [
      'an authentication method together with an impersonator',
      'user_ada',
      { authenticationMethod: 'Password', impersonator: { email: 'staff@vendor.test' } },
      422,
      'invalid_value',
      'The request is not valid: authentication_method must be left out if impersonator is set',
    ],
  ] as const)('creates no events and throws an error for %s', async (_, userId, options, status, code, message) => {
    const { emulator, eventTypes } = await startEmulator();

    const refusal = await emulator.signInAs(userId, options).catch((error) => error);

    expect(refusal).toMatchObject({ status, code, message: `${message}.` });
    expect(eventTypes()).toEqual([]);
  });

  test('throws the same error as a password sign-in if the policy does not allow passwords', async () => {
    const { emulator, byPassword } = await startEmulator();
    await emulator.setAuthenticationPolicy('org_acme', { authMethods: { magicAuth: true } });

    const refusal = await emulator.signInAs('user_ada', { authenticationMethod: 'Password' }).catch((error) => error);

    const { body } = await byPassword('ada@acme.test');
    expect(refusal.body).toEqual(body);
    expect(refusal.code).toBe('organization_authentication_methods_required');
  });

  test('does not affect the check of emailed codes in a later sign-in', async () => {
    const { emulator, grant } = await startEmulator();
    await emulator.signInAs('user_ada');

    const { body } = await grant(urn('magic-auth:code'), { email: 'ada@acme.test', code: '123456' });

    expect(body.code).toBe('invalid_one_time_code');
  });
});
