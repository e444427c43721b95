import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { signingIn, urn } from '../signing-in.js';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const pendingToken = expect.stringMatching(/^[A-Za-z0-9]{32}$/);

/** Returns the code that an authenticator app shows. */
const codeOf = (secret: string, atMs = start): string =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
    timestamp: atMs,
  });

describe('the error email_verification_required', () => {
  /** Starts an emulator whose user has an unverified address and has just sent the password. */
  async function unverified() {
    const world = await signingIn();
    const ada = await world.user('ada@example.com', { email_verified: false });
    const refused = await world.byPassword('ada@example.com', { ip_address: '192.0.2.7' });
    const { code } = world.emulator.inbox.latest('ada@example.com')!;
    const verify = (fields = {}) =>
      world.grant(urn('email-verification:code'), {
        code,
        pending_authentication_token: refused.body.pending_authentication_token,
        ...fields,
      });
    return { ...world, ada, refused, verify };
  }

  test('contains a token and the verification id of an emailed code', async () => {
    const { emulator, refused, events } = await unverified();

    expect([refused.status, refused.body]).toEqual([
      403,
      {
        code: 'email_verification_required',
        message: 'The user must verify the email address; a code was sent to it.',
        pending_authentication_token: pendingToken,
        email: 'ada@example.com',
        email_verification_id: expect.stringMatching(/^email_verification_[0-9A-Z]{26}$/),
      },
    ]);
    expect(emulator.inbox.to('ada@example.com')).toMatchObject([{ kind: 'email_verification' }]);
    expect(events.find(({ event }) => event === 'email_verification.created')?.data.id).toBe(
      refused.body.email_verification_id,
    );
  });

  test('can be resolved with the right code, which starts a session', async () => {
    const { verify, eventTypes, events } = await unverified();

    const { status, body } = await verify();

    expect([status, body.user.email_verified, body.refresh_token.length]).toEqual([200, true, 25]);
    expect(eventTypes()).toEqual([
      'user.created',
      'authentication.password_succeeded',
      'email_verification.created',
      'user.updated',
      'authentication.email_verification_succeeded',
      'session.created',
    ]);
    expect(events.at(-1)?.data).toMatchObject({ authMethod: 'password', ipAddress: '192.0.2.7' });
  });

  test('contains a token that stays valid after a wrong code, but not after the right code', async () => {
    const { verify } = await unverified();

    const wrong = await verify({ code: '000000' });
    const right = await verify();
    const again = await verify();

    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_one_time_code']);
    expect(right.status).toBe(200);
    expect([again.status, again.body.code]).toEqual([400, 'invalid_pending_authentication_token']);
  });

  test('cannot be resolved after five wrong codes', async () => {
    const { verify } = await unverified();
    for (let i = 0; i < 5; i++) await verify({ code: '000000' });

    const { status, body } = await verify();

    expect([status, body.code]).toEqual([400, 'one_time_code_too_many_attempts']);
  });

  test('contains a token that expires after ten minutes', async () => {
    const { emulator, verify } = await unverified();
    await emulator.clock.advance('10m');

    const { status, body } = await verify();

    expect([status, body.code]).toEqual([400, 'invalid_pending_authentication_token']);
  });

  test('is not returned if email verification is off', async () => {
    const { byPassword, user } = await signingIn({ requireEmailVerification: false });
    await user('ada@example.com', { email_verified: false });

    expect((await byPassword('ada@example.com')).status).toBe(200);
  });
});

describe('the error mfa_challenge', () => {
  /** Starts an emulator whose user has an authenticator app and has just sent the password. */
  async function enrolled(options = {}) {
    const world = await signingIn(options);
    const ada = await world.user('ada@example.com');
    const { body } = await world.send(`POST /user_management/users/${ada.id}/auth_factors`, { type: 'totp' });
    const factor = body.authentication_factor as { readonly id: string; readonly totp: { readonly secret: string } };
    const refused = await world.byPassword('ada@example.com');
    const challenge = async (id = factor.id) => (await world.send(`POST /auth/factors/${id}/challenge`, {})).body;
    const answer = (code: string, challengeId: string, fields = {}) =>
      world.grant(urn('mfa-totp'), {
        code,
        authenticationChallengeId: challengeId,
        pending_authentication_token: refused.body.pending_authentication_token,
        ...fields,
      });
    return { ...world, ada, factor, refused, challenge, answer, code: () => codeOf(factor.totp.secret) };
  }

  test('contains a token, the factors and the user', async () => {
    const { ada, factor, refused } = await enrolled();

    expect([refused.status, refused.body]).toEqual([
      403,
      {
        code: 'mfa_challenge',
        message: 'The user must verify a second factor.',
        pending_authentication_token: pendingToken,
        authentication_factors: [{ id: factor.id, type: 'totp' }],
        user: expect.objectContaining({ object: 'user', id: ada.id, email: 'ada@example.com' }),
      },
    ]);
  });

  test('contains a challenge in the workos dialect', async () => {
    const { factor, refused, answer, code } = await enrolled({ dialect: 'workos' });
    const { authentication_challenge: challenge } = refused.body;

    const { status } = await answer(code(), challenge.id);

    expect(challenge).toMatchObject({ object: 'authentication_challenge', authentication_factor_id: factor.id });
    expect(status).toBe(200);
  });

  test('can be resolved with the right code, which starts a session', async () => {
    const { answer, challenge, code, eventTypes } = await enrolled();

    const { status, body } = await answer(code(), (await challenge()).id);

    expect([status, body.user.email]).toEqual([200, 'ada@example.com']);
    expect(eventTypes()).toEqual([
      'user.created',
      'authentication.password_succeeded',
      'authentication.mfa_succeeded',
      'session.created',
    ]);
  });

  test("can be resolved with the authenticator app's previous code, but not twice with the same code", async () => {
    const { emulator, byPassword, answer, challenge, factor } = await enrolled();
    await emulator.clock.advance('30s');
    const code = codeOf(factor.totp.secret, start);

    const first = await answer(code, (await challenge()).id);
    const { body: again } = await byPassword('ada@example.com');
    const replayed = await answer(code, (await challenge()).id, {
      pending_authentication_token: again.pending_authentication_token,
    });

    expect(first.status).toBe(200);
    expect([replayed.status, replayed.body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('contains a token that stays valid after a wrong code', async () => {
    const { answer, challenge, code, eventTypes } = await enrolled();
    const { id } = await challenge();

    const wrong = await answer('000000', id);
    const right = await answer(code(), id);

    expect([wrong.status, wrong.body.code, right.status]).toEqual([400, 'invalid_one_time_code', 200]);
    expect(eventTypes()).toContain('authentication.mfa_failed');
  });

  test("cannot be resolved with another user's factor", async () => {
    const { answer, challenge, user, send } = await enrolled();
    const grace = await user('grace@example.com');
    const { body } = await send(`POST /user_management/users/${grace.id}/auth_factors`, { type: 'totp' });
    const { id, totp } = body.authentication_factor;

    const { status, body: refused } = await answer(codeOf(totp.secret), (await challenge(id)).id);

    expect([status, refused.code]).toEqual([404, 'entity_not_found']);
  });

  test('can be resolved with a code from a text message', async () => {
    const { emulator, send, grant, user, byPassword } = await signingIn();
    const ada = await user('ada@example.com');
    const { body: factor } = await send('POST /auth/factors/enroll', {
      type: 'sms',
      phone_number: '+1 500 555 0006',
      user_id: ada.id,
    });

    const { body: refused } = await byPassword('ada@example.com');
    const { body: challenge } = await send(`POST /auth/factors/${factor.id}/challenge`, {});
    const { status } = await grant(urn('mfa-totp'), {
      code: emulator.inbox.latest('+15005550006')!.code,
      authentication_challenge_id: challenge.id,
      pending_authentication_token: refused.pending_authentication_token,
    });

    expect(refused.authentication_factors).toEqual([{ id: factor.id, type: 'sms' }]);
    expect(status).toBe(200);
  });
});

describe('the error mfa_enrollment', () => {
  test('contains the user, and a token that completes the sign-in after the user enrolls a factor', async () => {
    const { send, grant, user, byPassword } = await signingIn({ requireMfa: true });
    const ada = await user('ada@example.com');

    const refused = await byPassword('ada@example.com');
    const { body } = await send(`POST /user_management/users/${ada.id}/auth_factors`, { type: 'totp' });
    const { status } = await grant(urn('mfa-totp'), {
      code: codeOf(body.authentication_factor.totp.secret),
      authenticationChallengeId: body.authentication_challenge.id,
      pending_authentication_token: refused.body.pending_authentication_token,
    });

    expect([refused.status, refused.body]).toEqual([
      403,
      {
        code: 'mfa_enrollment',
        message: 'The user must enroll a second factor.',
        pending_authentication_token: pendingToken,
        user: expect.objectContaining({ id: ada.id }),
      },
    ]);
    expect(status).toBe(200);
  });
});

describe('the error organization_selection_required', () => {
  /** Starts an emulator whose user is in two organizations and has just sent the password. */
  async function torn() {
    const world = await signingIn();
    const ada = await world.user('ada@example.com');
    const organizations = [await world.organization('Acme', ada), await world.organization('Globex', ada)];
    const refused = await world.byPassword('ada@example.com');
    const choose = (organizationId: string) =>
      world.grant(urn('organization-selection'), {
        organization_id: organizationId,
        pending_authentication_token: refused.body.pending_authentication_token,
      });
    return { ...world, ada, organizations: organizations as [string, string], refused, choose };
  }

  test('contains a token, the organizations and the user', async () => {
    const { ada, organizations, refused } = await torn();

    expect([refused.status, refused.body]).toEqual([
      403,
      {
        code: 'organization_selection_required',
        message: 'The user belongs to several organizations and must choose one.',
        pending_authentication_token: pendingToken,
        organizations: [
          { id: organizations[0], name: 'Acme' },
          { id: organizations[1], name: 'Globex' },
        ],
        user: expect.objectContaining({ object: 'user', id: ada.id }),
      },
    ]);
  });

  test('can be resolved with the choice of an organization, which starts a session', async () => {
    const { choose, organizations, send, ada } = await torn();

    const { status, body } = await choose(organizations[1]);

    const { body: sessions } = await send(`GET /user_management/users/${ada.id}/sessions`);
    expect([status, body.organization_id]).toEqual([200, organizations[1]]);
    expect(sessions.data).toMatchObject([{ organization_id: organizations[1] }]);
  });

  test('can be resolved only once, even by two simultaneous requests', async () => {
    const { choose, organizations, send, ada } = await torn();

    const answers = await Promise.all(organizations.map((id) => choose(id)));

    const { body: sessions } = await send(`GET /user_management/users/${ada.id}/sessions`);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(sessions.data).toHaveLength(1);
  });

  test('contains a token that stays valid if the user is not in the chosen organization', async () => {
    const { choose, organization, organizations } = await torn();
    const other = await organization('Initech');

    const wrong = await choose(other);
    const right = await choose(organizations[0]);

    expect([wrong.status, wrong.body.code, right.status]).toEqual([403, 'user_not_organization_member', 200]);
  });

  test('is not returned for a user with only one organization, even if an invitation is pending', async () => {
    const { byPassword, user, organization, send } = await signingIn();
    const ada = await user('ada@example.com');
    const acme = await organization('Acme', ada);
    const globex = await organization('Globex');
    await send('POST /user_management/invitations', { email: 'ada@example.com', organization_id: globex });

    const { status, body } = await byPassword('ada@example.com');

    expect([status, body.organization_id]).toEqual([200, acme]);
  });
});

test('a sign-in can take several steps, each with the token of the previous step', async () => {
  const { emulator, user, organization, send, byPassword, grant } = await signingIn();
  const ada = await user('ada@example.com', { email_verified: false });
  const acme = await organization('Acme', ada);
  await organization('Globex', ada);
  const { body: enrolled } = await send(`POST /user_management/users/${ada.id}/auth_factors`, { type: 'totp' });

  const { body: first } = await byPassword('ada@example.com');
  const { body: second } = await grant(urn('email-verification:code'), {
    code: emulator.inbox.latest('ada@example.com')!.code,
    pending_authentication_token: first.pending_authentication_token,
  });
  const { body: third } = await grant(urn('mfa-totp'), {
    code: codeOf(enrolled.authentication_factor.totp.secret),
    authenticationChallengeId: enrolled.authentication_challenge.id,
    pending_authentication_token: second.pending_authentication_token,
  });
  const { body } = await grant(urn('organization-selection'), {
    organization_id: acme,
    pending_authentication_token: third.pending_authentication_token,
  });

  expect([first.code, second.code, third.code]).toEqual([
    'email_verification_required',
    'mfa_challenge',
    'organization_selection_required',
  ]);
  expect([body.organization_id, body.user.email_verified]).toEqual([acme, true]);
});
