import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { TOTP } from 'otpauth';
import { type FlowErrorCode, HOSTED_LOGIN, NotFoundError, Sallyport, SignInStepError } from 'sallyport';
import type { EmulatorOptions } from 'sallyport/emulator';
import { expect, test } from 'vitest';
import { browse } from '../emulator/browser.js';
import { failureOf } from '../servers/server.js';
import { stage } from '../stage.js';

// What the client adds to the grants: URLs, the class and fields of each sign-in step, and decoded responses. The rules of the
// grants are in test/emulator/sign-in, the requests and errors one by one in test/transport and test/client/throws.

const email = 'ada@acme.test';
const password = 'a lantern on the mole';
const redirectUri = 'http://localhost:3000/callback';

/** Ada, a member of Acme with its connection and of Bolt. The emulator signs in the user that an authorization URL names at once. */
async function signingIn(options: EmulatorOptions = {}) {
  const { emulator, sallyport } = await stage({
    seed: {
      organizations: [
        { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
        { id: 'org_bolt', name: 'Bolt' },
      ],
      users: [{ id: 'user_ada', email, password, email_verified: true }],
      memberships: [
        { user_id: 'user_ada', organization_id: 'org_acme' },
        { user_id: 'user_ada', organization_id: 'org_bolt' },
      ],
      connections: [{ id: 'conn_acme', organization_id: 'org_acme', connection_type: 'OktaSAML' }],
    },
    autoApprove: true,
    ...options,
  });
  return {
    emulator,
    ...sallyport,
    signIn: () => sallyport.userManagement.authenticateWithPassword({ email, password }),
    /** Open a page. Returns the parameters of the redirect back to the application. */
    visit: async (url: string) => (await browse(emulator)(url.slice(emulator.url.length))).params,
  };
}

/** The error of a call, which must be of this class. */
async function errorOf<Code extends FlowErrorCode>(
  code: Code,
  call: PromiseLike<unknown>,
): Promise<SignInStepError<Code>> {
  const error = await failureOf(call);
  expect(error).toBeInstanceOf(SignInStepError);
  expect(error).toMatchObject({ code });
  return error as SignInStepError<Code>;
}

test('a public client without an API key signs a user in with PKCE and refreshes the session', async () => {
  const { emulator, visit } = await signingIn();
  const { apiKey: _, ...identity } = emulator.credentials;
  const { userManagement } = new Sallyport({ ...identity, fetch: emulator.fetch });
  const { url, state, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
    provider: HOSTED_LOGIN,
    redirectUri,
    loginHint: 'grace@example.com',
  });

  const back = await visit(url);
  const { refreshToken, ...answer } = await userManagement.authenticateWithCode({ code: back.code!, codeVerifier });
  const refreshed = await userManagement.authenticateWithRefreshToken({ refreshToken });

  expect(back.state).toBe(state);
  expect(answer).toMatchObject({
    user: { email: 'grace@example.com', lastSignInAt: '2026-01-01T00:00:00.000Z' },
    organizationId: null,
  });
  expect(refreshed.user).toEqual(answer.user);
});

test('each additional sign-in step is reported as an error with the data for the next call', async () => {
  const { emulator, userManagement, mfa, signIn } = await signingIn({ requireMfa: true });
  await userManagement.updateUser({ userId: 'user_ada', emailVerified: false });

  const unverified = await errorOf('email_verification_required', signIn());
  const unenrolled = await errorOf(
    'mfa_enrollment',
    userManagement.authenticateWithEmailVerification({
      pendingAuthenticationToken: unverified.pendingAuthenticationToken,
      code: emulator.inbox.latest(email)!.code!,
    }),
  );
  const { authenticationFactor, authenticationChallenge } = await userManagement.enrollAuthFactor({
    userId: unenrolled.step.userId!,
    type: 'totp',
  });
  const app = new TOTP({ secret: authenticationFactor.totp!.secret! });
  const undecided = await errorOf(
    'organization_selection_required',
    userManagement.authenticateWithTotp({
      pendingAuthenticationToken: unenrolled.pendingAuthenticationToken,
      authenticationChallengeId: authenticationChallenge.id,
      code: app.generate({ timestamp: emulator.clock.now() }),
    }),
  );
  const answer = await userManagement.authenticateWithOrganizationSelection({
    pendingAuthenticationToken: undecided.pendingAuthenticationToken,
    organizationId: undecided.step.organizations[1]!.id,
  });
  const enrolled = await errorOf('mfa_challenge', signIn());
  const challenge = await mfa.challengeFactor({ authenticationFactorId: enrolled.step.authenticationFactors[0]!.id });

  expect(unverified.step).toMatchObject({ email });
  expect(undecided.step.organizations).toEqual([
    { id: 'org_acme', name: 'Acme' },
    { id: 'org_bolt', name: 'Bolt' },
  ]);
  expect(answer).toMatchObject({ user: { id: 'user_ada', emailVerified: true }, organizationId: 'org_bolt' });
  expect(enrolled.step.authenticationFactors).toEqual([{ id: authenticationFactor.id, type: 'totp' }]);
  expect(challenge.authenticationFactorId).toBe(authenticationFactor.id);
});

test('a user who must use SSO continues at the identity provider with the token from the sso_required error', async () => {
  const { emulator, userManagement, signIn, visit } = await signingIn();
  await emulator.setAuthenticationPolicy('org_acme', { ssoRequired: true });

  const error = await errorOf('sso_required', signIn());
  const { url, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
    connectionId: error.step.connectionIds[0]!,
    redirectUri,
    loginHint: email,
  });
  const { code } = await visit(url);
  const answer = await userManagement.authenticateWithCode({
    code: code!,
    codeVerifier,
    pendingAuthenticationToken: error.pendingAuthenticationToken!,
  });

  expect(error.step).toMatchObject({ connectionIds: ['conn_acme'] });
  expect(answer).toMatchObject({ user: { email }, organizationId: 'org_acme' });
});

test('an application that sends its own emails can read sign-in codes and password reset tokens', async () => {
  const { userManagement } = await signingIn();
  const magicAuth = await userManagement.createMagicAuth({ email: 'grace@example.com' });
  expect(await userManagement.getMagicAuth(magicAuth.id)).toEqual(magicAuth);
  const { user } = await userManagement.authenticateWithMagicAuth({ email: 'grace@example.com', code: magicAuth.code });
  const reset = await userManagement.createPasswordReset({ email: 'grace@example.com' });
  expect(await userManagement.getPasswordReset(reset.id)).toEqual(reset);

  await userManagement.resetPassword({ token: reset.passwordResetToken, newPassword: 'another lantern entirely' });

  const answer = await userManagement.authenticateWithPassword({
    email: 'grace@example.com',
    password: 'another lantern entirely',
  });
  expect([user.id, reset.userId, answer.user.id]).toEqual([magicAuth.userId, magicAuth.userId, magicAuth.userId]);
  expect(reset.passwordResetUrl).toContain(reset.passwordResetToken);
  expect(await failureOf(userManagement.getMagicAuth(magicAuth.id))).toBeInstanceOf(NotFoundError);
  expect(await failureOf(userManagement.getPasswordReset(reset.id))).toBeInstanceOf(NotFoundError);
});

test('an access token is verified with the key set that the client fetches', async () => {
  const { emulator, userManagement } = await signingIn();
  const { accessToken } = await emulator.signInAs('user_ada', { organizationId: 'org_acme' });

  const keys = await userManagement.getJwks();

  const { payload, protectedHeader } = await jwtVerify(accessToken, createLocalJWKSet(keys as JSONWebKeySet), {
    algorithms: ['RS256'],
    currentDate: new Date(emulator.clock.now()),
  });
  expect(payload).toMatchObject({ sub: 'user_ada', sid: expect.stringMatching(/^session_/) });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: keys.keys[0]?.kid });
  expect(await (await emulator.fetch(userManagement.getJwksUrl())).json()).toEqual(keys);
});

test('a session can be ended with the session id or with the sign-out URL', async () => {
  const { emulator, userManagement, visit } = await signingIn();
  const revoked = await emulator.signInAs('user_ada', { organizationId: 'org_acme' });
  const signedOut = await emulator.signInAs('user_ada', { organizationId: 'org_acme' });

  await userManagement.revokeSession({ sessionId: revoked.sessionId });
  await visit(userManagement.getLogoutUrl({ sessionId: signedOut.sessionId }));

  const sessions = await userManagement.listSessions('user_ada').toArray({ max: 10 });
  expect(sessions.map(({ id, status }) => [id, status])).toEqual([
    [signedOut.sessionId, 'revoked'],
    [revoked.sessionId, 'revoked'],
  ]);
  expect(sessions[0]).toMatchObject({ userId: 'user_ada', authMethod: 'password' });
});

test('single sign-on returns a profile and an access token that can read the profile again', async () => {
  const { sso, visit } = await signingIn();
  const { url, codeVerifier } = await sso.getAuthorizationUrlWithPKCE({
    organization: 'org_acme',
    redirectUri,
    loginHint: email,
  });
  const { code } = await visit(url);

  const { profile, accessToken } = await sso.getProfileAndToken({ code: code!, codeVerifier });

  expect(profile).toMatchObject({
    connectionId: 'conn_acme',
    connectionType: 'OktaSAML',
    organizationId: 'org_acme',
    email,
  });
  expect(await sso.getProfile({ accessToken })).toEqual(profile);
});
