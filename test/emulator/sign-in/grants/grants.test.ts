import { describe, expect, test } from 'vitest';
import { apiKey, claimsOf, clientId, signingIn, urn } from '../signing-in.js';

const path = 'POST /user_management/authenticate';

describe('the password grant', () => {
  test('returns the user, the tokens and no organization if the user has no organization', async () => {
    const { byPassword, user } = await signingIn();
    const ada = await user('ada@example.com', { first_name: 'Ada' });

    const { status, headers, body } = await byPassword('ADA@example.com');

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      user: {
        object: 'user',
        id: ada.id,
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: null,
        email_verified: true,
        external_id: null,
        metadata: {},
        last_sign_in_at: '2026-01-01T00:00:00.000Z',
        locale: null,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
      organization_id: null,
      access_token: expect.stringMatching(/^eyJ/),
      refresh_token: expect.stringMatching(/^[A-Za-z0-9]{25}$/),
    });
  });

  test.each([
    ['a wrong password', { email: 'ada@example.com', password: 'wrong horse' }],
    ['an unknown email address', { email: 'grace@example.com', password: 'correct horse' }],
    ['a user without a password', { email: 'nobody@example.com', password: 'correct horse' }],
  ])('returns the error invalid_credentials for %s', async (_, fields) => {
    const { grant, user, send } = await signingIn();
    await user('ada@example.com');
    await send('POST /user_management/users', { email: 'nobody@example.com' });

    const { status, body } = await grant('password', fields);

    expect([status, body]).toEqual([
      400,
      {
        code: 'invalid_credentials',
        message: 'The email address or the password is wrong.',
        error: 'invalid_grant',
        error_description: 'The email address or the password is wrong',
      },
    ]);
  });

  test('returns the error invalid_request for an incomplete request', async () => {
    const { grant } = await signingIn();

    const { status, body } = await grant('password', { email: 'ada@example.com' });

    expect([status, body]).toMatchObject([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining('password'), code: 'invalid_request' },
    ]);
  });

  test('returns the sign-in method in the workos dialect', async () => {
    const { byPassword, user } = await signingIn({ dialect: 'workos' });
    await user('ada@example.com');

    const { body } = await byPassword('ada@example.com');

    expect(body.authentication_method).toBe('Password');
  });
});

describe('a client', () => {
  test.each([
    ['no client ID', { client_id: undefined }],
    ['an unknown client ID', { client_id: 'client_other' }],
    ['no client secret', { client_secret: undefined }],
    ['an unknown client secret', { client_secret: 'sk_test_other' }],
  ])('that sends %s is rejected', async (_, credentials) => {
    const { byPassword, user, eventTypes } = await signingIn();
    await user('ada@example.com');

    const { status, body } = await byPassword('ada@example.com', credentials);

    expect([status, body]).toEqual([
      400,
      {
        code: 'invalid_client',
        message: expect.any(String),
        error: 'invalid_client',
        error_description: expect.any(String),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('sk_test_other');
    expect(eventTypes()).toEqual(['user.created']);
  });

  test('cannot sign users in with an API key that is not allowed to call the operation', async () => {
    const apiKeys = [{ value: 'sk_test_reporting', deny: ['POST *'] }];
    const { byPassword, user } = await signingIn({ apiKeys });
    await user('ada@example.com');

    const { status, body } = await byPassword('ada@example.com', { client_secret: 'sk_test_reporting' });

    expect([status, body.code]).toEqual([403, 'forbidden']);
  });

  test('can send the credentials in a form instead of the Authorization header', async () => {
    const { send, user } = await signingIn();
    await user('ada@example.com');
    const form = new URLSearchParams({
      client_id: clientId,
      client_secret: apiKey,
      grant_type: 'password',
      email: 'ada@example.com',
      password: 'correct horse',
    });

    const { status } = await send(path, String(form), {
      authorization: undefined,
      'content-type': 'application/x-www-form-urlencoded',
    });

    expect(status).toBe(200);
  });
});

describe('the magic auth grant', () => {
  const type = urn('magic-auth:code');

  /** Starts an emulator that has just mailed a code. */
  async function mailed(email: string, options = {}) {
    const world = await signingIn(options);
    const { body } = await world.send('POST /user_management/magic_auth/send', { email });
    return { ...world, sent: body, code: world.emulator.inbox.latest(email)!.code! };
  }

  test('creates a user with a verified address and the reserved user id', async () => {
    const { grant, sent, code, eventTypes } = await mailed('grace@example.com');

    const { status, body } = await grant(type, { email: 'Grace@example.com', code });

    expect([status, body.user.id, body.user.email, body.user.email_verified]).toEqual([
      200,
      sent.user_id,
      'grace@example.com',
      true,
    ]);
    expect(eventTypes()).toEqual([
      'magic_auth.created',
      'user.created',
      'authentication.magic_auth_succeeded',
      'session.created',
    ]);
  });

  test('verifies the email address of an existing user', async () => {
    const { grant, send, emulator, user } = await signingIn();
    const { id } = await user('ada@example.com', { email_verified: false });
    await send('POST /user_management/magic_auth/send', { email: 'ada@example.com' });

    const { body } = await grant(type, { email: 'ada@example.com', code: emulator.inbox.latest()!.code });

    expect([body.user.id, body.user.email_verified]).toEqual([id, true]);
  });

  test('accepts a code only once', async () => {
    const { grant, code } = await mailed('grace@example.com');
    await grant(type, { email: 'grace@example.com', code });

    const { status, body } = await grant(type, { email: 'grace@example.com', code });

    expect([status, body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('rejects a code that was sent to another address', async () => {
    const { grant, send, code } = await mailed('grace@example.com');
    await send('POST /user_management/magic_auth/send', { email: 'ada@example.com' });

    const { status, body } = await grant(type, { email: 'ada@example.com', code });

    expect([status, body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('rejects a code after ten minutes', async () => {
    const { grant, emulator, code } = await mailed('grace@example.com');
    await emulator.clock.advance('10m');

    const { status, body } = await grant(type, { email: 'grace@example.com', code });

    expect([status, body.code]).toEqual([400, 'one_time_code_expired']);
  });

  test('rejects the right code after five wrong codes', async () => {
    const { grant, code } = await mailed('grace@example.com');
    for (let i = 0; i < 5; i++) await grant(type, { email: 'grace@example.com', code: '000000' });

    const { status, body } = await grant(type, { email: 'grace@example.com', code });

    expect([status, body.code]).toEqual([400, 'one_time_code_too_many_attempts']);
  });

  test('creates no user if sign-up is off', async () => {
    const { grant, send } = await signingIn({ allowSignUp: false });

    const sent = await send('POST /user_management/magic_auth/send', { email: 'grace@example.com' });
    const redeemed = await grant(type, { email: 'grace@example.com', code: '123456' });

    expect([sent.status, sent.body.code]).toEqual([400, 'sign_up_not_allowed']);
    expect([redeemed.status, redeemed.body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('creates an invited user even if sign-up is off', async () => {
    const { grant, send, emulator } = await signingIn({ allowSignUp: false });
    await send('POST /user_management/invitations', { email: 'grace@example.com' });
    await send('POST /user_management/magic_auth/send', { email: 'grace@example.com' });

    const { status } = await grant(type, { email: 'grace@example.com', code: emulator.inbox.latest()!.code });

    expect(status).toBe(200);
  });
});

describe('an invitation', () => {
  /** Starts an emulator with an invitation of Ada to Acme. */
  async function invited() {
    const world = await signingIn();
    const ada = await world.user('ada@example.com', { email_verified: false });
    const acme = await world.organization('Acme');
    const { body } = await world.send('POST /user_management/invitations', {
      email: 'ada@example.com',
      organization_id: acme,
      role_slug: 'admin',
    });
    return { ...world, ada, acme, invitation: body };
  }

  test('is accepted at sign-in, and gives the user the organization and role of the invitation', async () => {
    const { byPassword, send, acme, invitation } = await invited();

    const { status, body } = await byPassword('ada@example.com', { invitation_token: invitation.token });

    const { body: after } = await send(`GET /user_management/invitations/${invitation.id}`);
    expect([status, body.organization_id, body.user.email_verified]).toEqual([200, acme, true]);
    expect(claimsOf(body.access_token)).toMatchObject({ org_id: acme, role: 'admin' });
    expect(after.state).toBe('accepted');
  });

  test('is accepted if the user signs in with a code that was created with the invitation token', async () => {
    const { grant, send, acme, invitation, events } = await invited();
    const { body: magicAuth } = await send('POST /user_management/magic_auth', {
      email: 'ada@example.com',
      invitation_token: invitation.token,
    });

    const { status, body } = await grant(urn('magic-auth:code'), { email: 'ada@example.com', code: magicAuth.code });

    expect([status, body.organization_id]).toEqual([200, acme]);
    expect((await send(`GET /user_management/invitations/${invitation.id}`)).body.state).toBe('accepted');
    expect(JSON.stringify([magicAuth, ...events])).not.toContain(invitation.token);
  });

  test('must be valid when a sign-in code is created with the invitation token', async () => {
    const { send, invitation } = await invited();
    await send(`POST /user_management/invitations/${invitation.id}/revoke`);

    const { status, body } = await send('POST /user_management/magic_auth', {
      email: 'ada@example.com',
      invitation_token: invitation.token,
    });

    expect([status, body.code]).toEqual([400, 'invalid_invitation_token']);
  });

  test('can be used again by the user who has accepted the invitation', async () => {
    const { byPassword, acme, invitation } = await invited();
    await byPassword('ada@example.com', { invitation_token: invitation.token });

    const { status, body } = await byPassword('ada@example.com', { invitation_token: invitation.token });

    expect([status, body.organization_id]).toEqual([200, acme]);
  });

  test('is accepted only once by simultaneous sign-ins of the invited user', async () => {
    const { byPassword, acme, invitation, eventTypes } = await invited();
    const signIn = () => byPassword('ada@example.com', { invitation_token: invitation.token });

    const answers = await Promise.all([signIn(), signIn(), signIn()]);

    expect(answers.map(({ status, body }) => [status, body.organization_id])).toEqual([
      [200, acme],
      [200, acme],
      [200, acme],
    ]);
    expect(eventTypes().filter((name) => name === 'invitation.accepted')).toHaveLength(1);
  });

  test('that is revoked during the password check cannot be accepted', async () => {
    const { byPassword, send, invitation } = await invited();

    const [{ status, body }] = await Promise.all([
      byPassword('ada@example.com', { invitation_token: invitation.token }),
      send(`POST /user_management/invitations/${invitation.id}/revoke`),
    ]);

    expect([status, body.code]).toEqual([400, 'invalid_invitation_token']);
  });

  test('cannot be accepted by another user', async () => {
    const { byPassword, user, send, invitation } = await invited();
    await user('grace@example.com');

    const { status, body } = await byPassword('grace@example.com', { invitation_token: invitation.token });

    const { body: after } = await send(`GET /user_management/invitations/${invitation.id}`);
    expect([status, body.code, after.state]).toEqual([400, 'invitation_email_mismatch', 'pending']);
  });

  test('that is revoked cannot be accepted', async () => {
    const { byPassword, send, invitation } = await invited();
    await send(`POST /user_management/invitations/${invitation.id}/revoke`);

    const { status, body } = await byPassword('ada@example.com', { invitation_token: invitation.token });

    expect([status, body.code]).toEqual([400, 'invalid_invitation_token']);
  });

  test('is not accepted with a wrong password', async () => {
    const { grant, send, invitation } = await invited();

    await grant('password', {
      email: 'ada@example.com',
      password: 'wrong horse',
      invitation_token: invitation.token,
    });

    expect((await send(`GET /user_management/invitations/${invitation.id}`)).body.state).toBe('pending');
  });
});

describe('impersonation', () => {
  test('returns a code for a session that names the impersonator and the reason', async () => {
    const { emulator, grant, user, send, eventTypes } = await signingIn();
    const ada = await user('ada@example.com', { email_verified: false });

    const { code } = await emulator.impersonate({ userId: ada.id, email: 'staff@acme.test', reason: 'Ticket 12' });
    const { status, body } = await grant('authorization_code', { code });

    const { body: sessions } = await send(`GET /user_management/users/${ada.id}/sessions`);
    expect([status, body.impersonator]).toEqual([200, { email: 'staff@acme.test', reason: 'Ticket 12' }]);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: ada.id, act: { sub: 'staff@acme.test' } });
    expect(sessions.data).toMatchObject([
      { auth_method: 'impersonation', impersonator: { email: 'staff@acme.test', reason: 'Ticket 12' } },
    ]);
    expect(eventTypes()).toEqual(['user.created', 'session.created']);
  });

  test('is allowed only in an organization that the user belongs to', async () => {
    const { emulator, grant, user, organization } = await signingIn();
    const ada = await user('ada@example.com');
    const [acme, globex] = [await organization('Acme', ada), await organization('Globex')];
    const staff = { userId: ada.id, email: 'staff@acme.test' };

    const { code } = await emulator.impersonate({ ...staff, organizationId: acme });
    const { body } = await grant('authorization_code', { code });

    expect(body.organization_id).toBe(acme);
    await expect(emulator.impersonate({ ...staff, organizationId: globex })).rejects.toMatchObject({
      code: 'user_not_organization_member',
    });
    await expect(emulator.impersonate({ ...staff, userId: 'user_nobody' })).rejects.toMatchObject({
      code: 'entity_not_found',
    });
  });
});
