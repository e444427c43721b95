import { describe, expect, test } from 'vitest';
import { sessionsRoom } from '../../src/emulator/routes/sessions.js';
import { proceed } from '../../src/emulator/sign-in/flow.js';
import { begin } from '../../src/emulator/sign-in/sign-in.js';
import { issueAuthorizationCode, redeemAuthorizationCode } from '../../src/emulator/state/authorization-codes.js';
import { sessions } from '../../src/emulator/state/sessions.js';
import { addUser } from '../../src/emulator/state/users.js';
import { emptyWorld } from './empty-world.js';
import { clientId, signingIn } from './signing-in.js';

// The example of RFC 7636, appendix B.
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const invalidGrant = { status: 400, code: 'invalid_grant', fields: { error: 'invalid_grant' } };

/** A world with a code for one user. */
async function issued(more: Partial<Parameters<typeof issueAuthorizationCode>[1]> = {}) {
  const world = emptyWorld();
  sessionsRoom.start?.(world);
  const { id } = await addUser(world, { email: 'ada@example.com', emailVerified: true });
  const signIn = begin({ clientId, ipAddress: '192.0.2.7', userAgent: null }, id, 'Password');
  const code = issueAuthorizationCode(world, { signIn, purpose: 'user_management', ...more });
  const redeem = (shown: Partial<Parameters<typeof redeemAuthorizationCode>[1]> = {}) =>
    redeemAuthorizationCode(world, { code, clientId, purpose: 'user_management', ...shown });
  return { world, code, redeem, signIn };
}

describe('an authorization code', () => {
  test('gives back what was proven', async () => {
    const { redeem, signIn } = await issued();

    expect((await redeem()).signIn).toEqual(signIn);
  });

  test('is good once, also for two who come at the same time', async () => {
    const { redeem } = await issued();

    const outcomes = await Promise.allSettled([redeem(), redeem()]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(redeem()).rejects.toMatchObject(invalidGrant);
  });

  test.each([
    ['of another client', { clientId: 'client_other' }],
    ['for another endpoint', { purpose: 'sso' }],
    ['that nobody issued', { code: 'guessed' }],
  ] as const)('%s is refused', async (_, shown) => {
    const { redeem } = await issued();

    await expect(redeem(shown)).rejects.toMatchObject(invalidGrant);
  });

  test('is good for ten minutes', async () => {
    const early = await issued();
    const late = await issued();
    await early.world.clock.advance('9m');
    await late.world.clock.advance('10m');

    await expect(early.redeem()).resolves.toMatchObject({ purpose: 'user_management' });
    await expect(late.redeem()).rejects.toMatchObject(invalidGrant);
  });

  test('that is used again ends the session it made', async () => {
    const { world, redeem } = await issued();
    const { id: codeId, signIn } = await redeem();
    await proceed(world, { ...signIn, codeId });
    const before = world.of(sessions).first?.status;

    await redeem().catch(() => undefined);

    expect([before, world.of(sessions).first?.status]).toEqual(['active', 'revoked']);
  });
});

describe('a code challenge', () => {
  test('is met by the verifier it was made from', async () => {
    const { redeem } = await issued({ codeChallenge });

    await expect(redeem({ codeVerifier })).resolves.toMatchObject({ codeChallenge });
  });

  test.each([
    ['another verifier', { codeVerifier: 'eBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }],
    ['the challenge itself, as the method plain would have it', { codeVerifier: codeChallenge }],
    ['no verifier', {}],
  ])('is not met by %s, and the code stays good', async (_, shown) => {
    const { redeem } = await issued({ codeChallenge });

    await expect(redeem(shown)).rejects.toMatchObject(invalidGrant);
    await expect(redeem({ codeVerifier })).resolves.toMatchObject({ codeChallenge });
  });

  test('that was not in the authorization URL is not made up for by a verifier', async () => {
    const { redeem } = await issued();

    await expect(redeem({ codeVerifier })).rejects.toMatchObject(invalidGrant);
  });
});

describe('the authorization code grant', () => {
  test('takes a code of an impersonation with the secret, once', async () => {
    const { emulator, grant, user, refresh, names } = await signingIn();
    const { id: userId } = await user('ada@example.com');
    const { code } = await emulator.impersonate({ userId, email: 'staff@acme.test' });

    const first = await grant('authorization_code', { code });
    const again = await grant('authorization_code', { code });
    const refreshed = await refresh(first.body.refresh_token);

    expect([first.status, again.status, again.body.error]).toEqual([200, 400, 'invalid_grant']);
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
    expect(names()).toEqual(['user.created', 'session.created', 'session.revoked']);
  });

  test('wants a secret or a verifier', async () => {
    const { emulator, grant, user } = await signingIn();
    const { id: userId } = await user('ada@example.com');
    const { code } = await emulator.impersonate({ userId, email: 'staff@acme.test' });

    const neither = await grant('authorization_code', { code, client_secret: undefined });
    const both = await grant('authorization_code', { code });

    expect([neither.status, neither.body.error, both.status]).toEqual([400, 'invalid_client', 200]);
  });

  test('does not take the place of a secret by any verifier', async () => {
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
