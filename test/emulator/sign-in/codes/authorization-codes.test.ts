import { describe, expect, test } from 'vitest';
import { addUser } from '../../../../src/emulator/rooms/users/records.js';
import {
  issueAuthorizationCode,
  redeemAuthorizationCode,
} from '../../../../src/emulator/sign-in/codes/authorization-codes.js';
import { startSignIn } from '../../../../src/emulator/sign-in/proof/sign-in.js';
import { browse } from '../../browser.js';
import { emptyWorld } from '../../world/empty-world.js';
import { clientId, signingIn, urn } from '../signing-in.js';

// The example in RFC 7636, appendix B.
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const invalidGrant = { status: 400, code: 'invalid_grant', fields: { error: 'invalid_grant' } };

/** Creates a world with an authorization code for one user. */
async function issued(more: Partial<Parameters<typeof issueAuthorizationCode>[1]> = {}) {
  const memory = emptyWorld();
  const { id } = await addUser(memory, { email: 'ada@example.com', emailVerified: true });
  const signIn = startSignIn({ clientId, ipAddress: '192.0.2.7', userAgent: null }, id, 'Password');
  const code = issueAuthorizationCode(memory, { signIn, purpose: 'user_management', ...more });
  const redeem = (shown: Partial<Parameters<typeof redeemAuthorizationCode>[1]> = {}) =>
    redeemAuthorizationCode(memory, { code, clientId, purpose: 'user_management', ...shown });
  return { memory, code, redeem, signIn };
}

describe('an authorization code', () => {
  test('identifies the sign-in that the code was issued for', async () => {
    const { redeem, signIn } = await issued();

    expect((await redeem()).signIn).toEqual(signIn);
  });

  test('can be redeemed only once, even by two simultaneous requests', async () => {
    const { redeem } = await issued();

    const outcomes = await Promise.allSettled([redeem(), redeem()]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(redeem()).rejects.toMatchObject(invalidGrant);
  });

  test.each([
    ['presented by another client', { clientId: 'client_other' }],
    ['presented at another endpoint', { purpose: 'sso' }],
    ['that was never issued', { code: 'guessed' }],
  ] as const)('%s is rejected', async (_, shown) => {
    const { redeem } = await issued();

    await expect(redeem(shown)).rejects.toMatchObject(invalidGrant);
  });

  test('expires after ten minutes', async () => {
    const early = await issued();
    const late = await issued();
    await early.memory.clock.advance('9m');
    await late.memory.clock.advance('10m');

    await expect(early.redeem()).resolves.toMatchObject({ purpose: 'user_management' });
    await expect(late.redeem()).rejects.toMatchObject(invalidGrant);
  });
});

describe('a code challenge', () => {
  test.each([
    ['a wrong code verifier', { codeVerifier: 'eBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }],
    ['the challenge itself (method plain)', { codeVerifier: codeChallenge }],
    ['a missing code verifier', {}],
  ])('is not satisfied by %s, and the authorization code remains valid', async (_, shown) => {
    const { redeem } = await issued({ codeChallenge });

    await expect(redeem(shown)).rejects.toMatchObject(invalidGrant);
    await expect(redeem({ codeVerifier })).resolves.toMatchObject({ codeChallenge });
  });
});

describe('the authorization code grant', () => {
  test('with a client secret redeems an impersonation code only once', async () => {
    const { emulator, grant, user, refresh, eventTypes } = await signingIn();
    const { id: userId } = await user('ada@example.com');
    const { code } = await emulator.impersonate({ userId, email: 'staff@acme.test' });

    const first = await grant('authorization_code', { code });
    const again = await grant('authorization_code', { code });
    const refreshed = await refresh(first.body.refresh_token);

    expect([first.status, again.status, again.body.error]).toEqual([200, 400, 'invalid_grant']);
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
    expect(eventTypes()).toEqual(['user.created', 'session.created', 'session.revoked']);
  });

  test('requires a client secret or a code verifier', async () => {
    const { emulator, grant, user } = await signingIn();
    const { id: userId } = await user('ada@example.com');
    const { code } = await emulator.impersonate({ userId, email: 'staff@acme.test' });

    const neither = await grant('authorization_code', { code, client_secret: undefined });
    const both = await grant('authorization_code', { code });

    expect([neither.status, neither.body.error, both.status]).toEqual([400, 'invalid_client', 200]);
  });

  test('without a client secret rejects a code verifier if the code has no challenge', async () => {
    const { emulator, grant, user } = await signingIn();
    const { id: userId } = await user('ada@example.com');
    const { code } = await emulator.impersonate({ userId, email: 'staff@acme.test' });

    const { status, body } = await grant('authorization_code', {
      code,
      client_secret: undefined,
      code_verifier: codeVerifier,
    });

    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });
});

describe('a public client', () => {
  /** Starts an emulator whose authorization URL has just redirected Ada back with a code. */
  async function sentBack(query: Readonly<Record<string, string>>) {
    const world = await signingIn({ autoApprove: true });
    const ada = await world.user('ada@example.com');
    const authorize = async () => {
      const asked = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: 'http://localhost:3000/callback',
        provider: 'hosted-login',
        login_hint: 'ada@example.com',
        ...query,
      };
      return (await browse(world.emulator)('/user_management/authorize', asked)).params.code!;
    };
    const redeem = (code: string, fields = {}) =>
      world.grant('authorization_code', { code, client_secret: undefined, code_verifier: codeVerifier, ...fields });
    return { ...world, ada, authorize, redeem, code: await authorize() };
  }

  const challenge = { code_challenge: codeChallenge, code_challenge_method: 'S256' };

  test('gets tokens with a code verifier, and refreshes the tokens without a client secret', async () => {
    const { redeem, refresh, code } = await sentBack(challenge);

    const first = await redeem(code);
    const second = await refresh(first.body.refresh_token, { client_secret: undefined });
    const third = await refresh(second.body.refresh_token, { client_secret: undefined });

    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    expect(first.body.user.email).toBe('ada@example.com');
  });

  test('gets no tokens for a code without a challenge', async () => {
    const { redeem, code } = await sentBack({});

    const { status, body } = await redeem(code);

    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('loses the session if the authorization code is used again', async () => {
    const { redeem, refresh, code } = await sentBack(challenge);
    const { body } = await redeem(code);

    const again = await redeem(code);
    const refreshed = await refresh(body.refresh_token, { client_secret: undefined });

    expect([again.body.error, refreshed.body.error]).toEqual(['invalid_grant', 'invalid_grant']);
  });

  test('loses completed and pending sign-ins if the authorization codes are used again', async () => {
    const { ada, organization, authorize, redeem, grant, refresh } = await sentBack(challenge);
    const acme = await organization('Acme', ada);
    await organization('Globex', ada);
    const [finished, onItsWay] = [await authorize(), await authorize()];
    const choose = async (code: string) => {
      const { body } = await redeem(code);
      const { pending_authentication_token } = body;
      return () => grant(urn('organization-selection'), { organization_id: acme, pending_authentication_token });
    };
    const { body: tokens } = await (await choose(finished))();
    const choice = await choose(onItsWay);

    await redeem(finished);
    await redeem(onItsWay);

    const { status, body } = await choice();
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect([status, body.code]).toEqual([400, 'invalid_pending_authentication_token']);
  });

  test('gets no tokens for a deleted user', async () => {
    const { ada, send, redeem, code } = await sentBack(challenge);
    await send(`DELETE /user_management/users/${ada.id}`);

    const { status, body } = await redeem(code);

    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  test('that sends the client secret with the code must also send the secret with every refresh', async () => {
    const { redeem, refresh, code } = await sentBack(challenge);

    const { body } = await redeem(code, { client_secret: 'sk_test_sallyport_emulator' });

    expect((await refresh(body.refresh_token, { client_secret: undefined })).body.error).toBe('invalid_client');
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });
});
