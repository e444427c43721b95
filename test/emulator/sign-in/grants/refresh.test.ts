import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { claimsOf, signingIn, urn } from '../signing-in.js';

/** Starts an emulator with one session. */
async function signedIn(options = {}) {
  const world = await signingIn(options);
  const ada = await world.user('ada@example.com');
  const { body } = await world.byPassword('ada@example.com');
  return { ...world, ada, tokens: body as { readonly access_token: string; readonly refresh_token: string } };
}

describe('a refresh token', () => {
  test('returns new tokens for the same session, and creates no event', async () => {
    const { emulator, refresh, tokens, events } = await signedIn();
    const before = events.length;
    await emulator.clock.advance('5m');

    const { status, headers, body } = await refresh(tokens.refresh_token);

    const [first, next] = [claimsOf(tokens.access_token), claimsOf(body.access_token)];
    expect([status, headers.get('cache-control'), events.length]).toEqual([200, 'no-store', before]);
    expect(Object.keys(body).sort()).toEqual(['access_token', 'organization_id', 'refresh_token', 'user']);
    expect([next.sid, next.sub, next.auth_time]).toEqual([first.sid, first.sub, 1767225600]);
    expect([next.iat, next.exp]).toEqual([1767225900, 1767226200]);
    expect([next.jti === first.jti, body.refresh_token === tokens.refresh_token]).toEqual([false, false]);
  });

  test('can be used only once', async () => {
    const { refresh, tokens } = await signedIn();
    const { body: next } = await refresh(tokens.refresh_token);

    const again = await refresh(tokens.refresh_token);
    const present = await refresh(next.refresh_token);

    expect([again.status, again.body]).toEqual([
      400,
      {
        code: 'invalid_grant',
        message: expect.stringContaining('already used'),
        error: 'invalid_grant',
        error_description: expect.stringContaining('already used'),
      },
    ]);
    expect(present.status).toBe(200);
  });

  test('can be used only once, even in ten simultaneous requests', async () => {
    const { refresh, tokens } = await signedIn();

    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(tokens.refresh_token)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
  });

  test.each([
    ['unknown', 'guessed'],
    ['an access token', undefined],
  ])('that is %s is rejected', async (_, guessed) => {
    const { refresh, tokens } = await signedIn();

    const { status, body } = await refresh(guessed ?? tokens.access_token);

    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('expires after 30 days without use, and each new token lasts another 30 days', async () => {
    const { emulator, refresh, tokens } = await signedIn();
    await emulator.clock.advance('29d');
    const { body: next } = await refresh(tokens.refresh_token);
    await emulator.clock.advance('29d');
    const { status, body: last } = await refresh(next.refresh_token);
    await emulator.clock.advance('30d');

    const late = await refresh(last.refresh_token);

    expect([status, late.status, late.body.error]).toEqual([200, 400, 'invalid_grant']);
  });

  test('expires after refreshTokenLifetimeMs milliseconds', async () => {
    const { emulator, refresh, tokens } = await signedIn({
      refreshTokenLifetimeMs: 60_000,
      accessTokenLifetimeMs: 10_000,
    });
    const { exp = 0, iat = 0 } = claimsOf(tokens.access_token);
    await emulator.clock.advance('60s');

    expect(exp - iat).toBe(10);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
  });

  test('stays the same if rotation is off', async () => {
    const { refresh, tokens } = await signedIn({ rotateRefreshTokens: false });

    const first = await refresh(tokens.refresh_token);
    const second = await refresh(tokens.refresh_token);

    expect([first.body.refresh_token, second.body.refresh_token]).toEqual([tokens.refresh_token, tokens.refresh_token]);
  });

  test('that is used again within refreshReuseMs milliseconds returns the current token', async () => {
    const { emulator, refresh, tokens } = await signedIn({ refreshReuseMs: 10_000 });
    const { body: second } = await refresh(tokens.refresh_token);
    const { body: third } = await refresh(second.refresh_token);

    const within = await refresh(tokens.refresh_token);
    await emulator.clock.advance('10s');
    const after = await refresh(tokens.refresh_token);

    expect([within.status, within.body.refresh_token]).toEqual([200, third.refresh_token]);
    expect([after.status, after.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(third.refresh_token)).status).toBe(200);
  });

  test.each([0, 60_000])(
    'that was already used is rejected even if the clock is set back (refreshReuseMs: %s)',
    async (window) => {
      const { emulator, refresh, tokens } = await signedIn({ refreshReuseMs: window });
      await refresh(tokens.refresh_token);
      await emulator.clock.set('2025-12-31T12:00:00.000Z');

      const { status, body } = await refresh(tokens.refresh_token);

      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    },
  );

  test('requires the client secret if the client signed in with the secret', async () => {
    const { refresh, tokens } = await signedIn();

    const refused = await refresh(tokens.refresh_token, { client_secret: undefined });
    const taken = await refresh(tokens.refresh_token);

    expect([refused.status, refused.body.error, taken.status]).toEqual([400, 'invalid_client', 200]);
  });

  test('returns the current user and role', async () => {
    const { send, refresh, byPassword, ada, organization } = await signedIn();
    await organization('Acme', ada);
    const { body: tokens } = await byPassword('ada@example.com');
    const { body: places } = await send(`GET /user_management/organization_memberships?user_id=${ada.id}`);
    await send(`PUT /user_management/organization_memberships/${places.data[0].id}`, { role_slug: 'admin' });
    await send(`PUT /user_management/users/${ada.id}`, { first_name: 'Augusta' });

    const { body } = await refresh(tokens.refresh_token);

    expect([claimsOf(tokens.access_token).role, claimsOf(body.access_token).role]).toEqual(['member', 'admin']);
    expect(body.user.first_name).toBe('Augusta');
  });
});

describe('in the workos dialect, a refresh token', () => {
  const publicService = (options = {}) => signedIn({ dialect: 'workos', ...options });
  const pairOf = ({ body }: { readonly body: { access_token: string; refresh_token: string } }) => [
    body.access_token,
    body.refresh_token,
  ];

  test('that is used again within 30 seconds returns the tokens from the first use', async () => {
    const { emulator, refresh, tokens } = await publicService();
    const first = await refresh(tokens.refresh_token);
    await emulator.clock.advance('29s');

    const again = await refresh(tokens.refresh_token);

    expect([again.status, ...pairOf(again)]).toEqual([200, ...pairOf(first)]);
  });

  test('returns the same tokens to ten simultaneous requests', async () => {
    const { refresh, tokens } = await publicService();

    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(tokens.refresh_token)));

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map((answer) => pairOf(answer).join())).size).toBe(1);
  });

  test('that is used again returns the current tokens if the session was refreshed in the meantime', async () => {
    const { refresh, tokens } = await publicService();
    const { body: second } = await refresh(tokens.refresh_token);
    const third = await refresh(second.refresh_token);

    expect(pairOf(await refresh(tokens.refresh_token))).toEqual(pairOf(third));
    expect(pairOf(await refresh(second.refresh_token))).toEqual(pairOf(third));
  });

  test('is rejected 31 seconds after the first use, and the session continues', async () => {
    const { emulator, refresh, tokens } = await publicService();
    const { body: next } = await refresh(tokens.refresh_token);
    await emulator.clock.advance('20s');
    // The window begins with the first use, not the last.
    await refresh(tokens.refresh_token);
    await emulator.clock.advance('11s');

    const late = await refresh(tokens.refresh_token);

    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(next.refresh_token)).status).toBe(200);
  });

  test('that is used again within 30 seconds is rejected if the session has ended', async () => {
    const { send, refresh, tokens } = await publicService();
    const { body: next } = await refresh(tokens.refresh_token);
    await send('POST /user_management/sessions/revoke', { session_id: claimsOf(next.access_token).sid });

    expect((await refresh(tokens.refresh_token)).status).toBe(400);
  });

  test('that is used again to switch organizations returns a token for the new organization', async () => {
    const { refresh, tokens, ada, organization } = await publicService();
    const acme = await organization('Acme', ada);
    const { body: next } = await refresh(tokens.refresh_token);

    const switched = await refresh(tokens.refresh_token, { organization_id: acme });
    const again = await refresh(tokens.refresh_token, { organization_id: acme });

    expect(claimsOf(switched.body.access_token).org_id).toBe(acme);
    expect(switched.body.refresh_token).toBe(next.refresh_token);
    expect(pairOf(again)).toEqual(pairOf(switched));
  });

  test('can be used only once if refreshReuseMs is 0', async () => {
    const { refresh, tokens } = await publicService({ refreshReuseMs: 0 });
    await refresh(tokens.refresh_token);

    expect((await refresh(tokens.refresh_token)).status).toBe(400);
  });

  test('still returns the tokens from the first use after a snapshot is restored', async () => {
    const { emulator, refresh, tokens } = await publicService();
    const first = await refresh(tokens.refresh_token);

    await emulator.restore(await emulator.snapshot());

    expect(pairOf(await refresh(tokens.refresh_token))).toEqual(pairOf(first));
  });
});

describe('a refresh that switches to another organization', () => {
  /** Starts an emulator whose user is in two organizations and signed in to the first. */
  async function inAcme(options = {}) {
    const world = await signedIn(options);
    const acme = await world.organization('Acme', world.ada);
    const { body: tokens } = await world.byPassword('ada@example.com');
    const globex = await world.organization('Globex', world.ada);
    return { ...world, acme, globex, tokens };
  }

  test('keeps the session id, and returns tokens for the new organization', async () => {
    const { refresh, tokens, acme, globex } = await inAcme();

    const { body } = await refresh(tokens.refresh_token, { organization_id: globex });
    const { body: next } = await refresh(body.refresh_token);

    expect([tokens.organization_id, body.organization_id, next.organization_id]).toEqual([acme, globex, globex]);
    expect(claimsOf(body.access_token)).toMatchObject({
      sid: claimsOf(tokens.access_token).sid,
      org_id: globex,
      role: 'member',
    });
  });

  test('is denied if the user is not a member of the new organization, and the session continues', async () => {
    const { refresh, organization, tokens } = await inAcme();
    const other = await organization('Initech');

    const refused = await refresh(tokens.refresh_token, { organization_id: other });
    const stayed = await refresh(tokens.refresh_token);

    expect([refused.status, refused.body.error]).toEqual([403, 'user_not_organization_member']);
    expect(stayed.status).toBe(200);
  });

  test('is denied if the new organization requires SSO, and the session continues', async () => {
    const { emulator, send, refresh, tokens, globex } = await inAcme();
    await send(`PUT /organizations/${globex}`, { domain_data: [{ domain: 'example.com', state: 'verified' }] });
    const { id } = await emulator.createConnection({ organizationId: globex, connectionType: 'OktaSAML' });
    await emulator.setAuthenticationPolicy(globex, { ssoRequired: true });

    const refused = await refresh(tokens.refresh_token, { organization_id: globex });
    const stayed = await refresh(tokens.refresh_token);

    expect([refused.status, refused.body.error, refused.body.connection_ids]).toEqual([400, 'sso_required', [id]]);
    expect(stayed.status).toBe(200);
  });

  test('that requires a second factor asks the user to enroll and use a factor', async () => {
    const { emulator, send, grant, refresh, tokens, ada, acme, globex } = await inAcme();
    await emulator.setAuthenticationPolicy(globex, { mfaRequired: true });

    const refused = await refresh(tokens.refresh_token, { organization_id: globex });
    const { body: enrolled } = await send(`POST /user_management/users/${ada.id}/auth_factors`, { type: 'totp' });
    const again = await refresh(tokens.refresh_token, { organization_id: globex });
    const { body: challenge } = await send(`POST /auth/factors/${enrolled.authentication_factor.id}/challenge`, {});
    const { secret } = enrolled.authentication_factor.totp;
    const proven = await grant(urn('mfa-totp'), {
      pending_authentication_token: again.body.pending_authentication_token,
      authenticationChallengeId: challenge.id,
      code: new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: emulator.clock.now() }),
    });
    const stayed = await refresh(tokens.refresh_token);

    expect([refused.status, refused.body.code, refused.body.user.id]).toEqual([403, 'mfa_enrollment', ada.id]);
    expect([again.status, again.body.code, again.body.authentication_factors]).toEqual([
      403,
      'mfa_challenge',
      [{ id: enrolled.authentication_factor.id, type: 'totp' }],
    ]);
    expect([proven.status, proven.body.organization_id, stayed.status]).toEqual([200, globex, 200]);
    // A session with a proven second factor is not asked again in any organization.
    const away = await refresh(proven.body.refresh_token, { organization_id: acme });
    expect((await refresh(away.body.refresh_token, { organization_id: globex })).status).toBe(200);
  });

  test("does not ask for the user's second factor if the new organization does not require one", async () => {
    const { send, refresh, tokens, ada, globex } = await inAcme();
    await send(`POST /user_management/users/${ada.id}/auth_factors`, { type: 'totp' });

    const { status, body } = await refresh(tokens.refresh_token, { organization_id: globex });

    expect([status, body.organization_id]).toEqual([200, globex]);
  });
});

const key = { 'idempotency-key': 'e3b0c442' };

describe('the idempotency key of a refresh', () => {
  test('makes a second request return the first response again', async () => {
    const { refresh, tokens } = await signedIn();

    const first = await refresh(tokens.refresh_token, {}, key);
    const second = await refresh(tokens.refresh_token, {}, key);
    const other = await refresh(tokens.refresh_token);

    expect(second.body).toEqual(first.body);
    expect([first.status, second.headers.get('idempotency-replayed'), other.status]).toEqual([200, 'true', 400]);
    expect((await refresh(first.body.refresh_token)).status).toBe(200);
  });

  test('makes simultaneous requests return the same tokens', async () => {
    const { refresh, tokens } = await signedIn();

    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(tokens.refresh_token, {}, key)));

    expect(
      new Set(answers.map(({ status, body }) => `${status} ${body.access_token} ${body.refresh_token}`)).size,
    ).toBe(1);
    expect(answers.map(({ headers }) => headers.get('idempotency-replayed')).sort()).toEqual([
      null,
      ...Array(9).fill('true'),
    ]);
  });

  test('does not reveal the response to a caller without the refresh token', async () => {
    const { refresh, tokens } = await signedIn();
    await refresh(tokens.refresh_token, { client_secret: undefined }, key);

    const stranger = await refresh('unknown', { client_secret: undefined }, key);

    expect([stranger.headers.get('idempotency-replayed'), stranger.body.error]).toEqual([null, 'invalid_grant']);
  });

  test.each([
    [false, 200, 'mismatch'],
    [true, 422, null],
  ])(
    'does not replay the first response for another organization (strictIdempotency: %s)',
    async (strict, status, replayed) => {
      const { refresh, organization, ada, tokens } = await signedIn({ strictIdempotency: strict });
      const acme = await organization('Acme', ada);

      const first = await refresh(tokens.refresh_token, {}, key);
      const other = await refresh(tokens.refresh_token, { organization_id: acme }, key);

      expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([status, replayed]);
      expect((await refresh(first.body.refresh_token)).body.organization_id).toBeNull();
    },
  );

  test('is ignored with the ignoreIdempotencyKeys option, so the refresh token can be used only once', async () => {
    const { refresh, tokens } = await signedIn({ ignoreIdempotencyKeys: true });
    await refresh(tokens.refresh_token, {}, key);

    const again = await refresh(tokens.refresh_token, {}, key);

    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('does not reveal the response to a caller with a wrong client secret', async () => {
    const { refresh, tokens } = await signedIn();
    await refresh(tokens.refresh_token, {}, key);

    const stranger = await refresh(tokens.refresh_token, { client_secret: 'sk_test_other' }, key);

    expect([stranger.status, stranger.body.error]).toEqual([400, 'invalid_client']);
  });
});

test.each([
  ['an object', '{"grant_type":"refresh_token","client_secret":{"toString":1,"valueOf":1}}', 'application/json'],
  ['a nested form field', 'grant_type=refresh_token&client_secret[a]=1', 'application/x-www-form-urlencoded'],
])('a refresh with an idempotency key is rejected if the client secret is %s', async (_what, body, type) => {
  const { send } = await signedIn();

  const answer = await send('POST /user_management/authenticate', body, { ...key, 'content-type': type });

  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
});
