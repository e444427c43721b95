import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { TOTP } from 'otpauth';
import {
  AuthenticationMethodsRequiredError,
  BadRequestError,
  EmailVerificationRequiredError,
  HOSTED_LOGIN,
  MfaChallengeError,
  MfaEnrollmentError,
  NotFoundError,
  OrganizationSelectionRequiredError,
  Sallyport,
  SsoRequiredError,
  UnauthorizedError,
} from 'sallyport';
import { createEmulator, type EmulatorOptions } from 'sallyport/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failureOf } from '../servers/server.js';

// The client against the emulator: every way to sign in, from the first call to the tokens.

const email = 'ada@acme.test';
const password = 'a lantern on the mole';
const redirectUri = 'http://localhost:3000/callback';

/** An emulator where the browser's part is done at once, a client of it, and what a user does. */
async function world(options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: '2026-05-04T08:00:00.000Z', autoApprove: true, ...options });
  onTestFinished(() => emulator.close());
  const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const { userManagement, organizations } = client;
  return {
    emulator,
    ...client,
    /** A user with a password and a verified address. */
    user: (more: object = {}) => userManagement.createUser({ email, password, emailVerified: true, ...more }),
    signIn: () => userManagement.authenticateWithPassword({ email, password }),
    /** An organization that owns acme.test, with one connection. */
    owner: async () => {
      const domainData = [{ domain: 'acme.test', state: 'verified' as const }];
      const organization = await organizations.createOrganization({ name: 'Acme', domainData });
      const connection = await emulator.createConnection({
        organizationId: organization.id,
        connectionType: 'OktaSAML',
        name: 'Acme Okta',
      });
      return { ...organization, connection };
    },
    /** Opens a page and returns the parameters of the redirect back to the application. */
    visit: async (url: string): Promise<URLSearchParams> => {
      const answer = await emulator.fetch(url, { redirect: 'manual' });
      const location = new URL(answer.headers.get('location') ?? 'http://nowhere.test');
      expect(location.origin + location.pathname).toBe(redirectUri);
      return location.searchParams;
    },
    mailed: (to = email) => emulator.inbox.latest(to)?.code ?? '',
  };
}

/** The error of a call, which has to be of this class. */
async function errorOf<T>(kind: new (...args: never[]) => T, call: PromiseLike<unknown>): Promise<T> {
  const error = await failureOf(call);
  expect(error).toBeInstanceOf(kind);
  return error as T;
}

describe('signing in with a code', () => {
  test('leads through the hosted page, with PKCE', async () => {
    const { userManagement, user, visit } = await world();
    const { id } = await user();
    const { url, state, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
      provider: HOSTED_LOGIN,
      redirectUri,
      loginHint: email,
    });

    const came = await visit(url);
    const answer = await userManagement.authenticateWithCode({ code: came.get('code') ?? '', codeVerifier });

    expect(came.get('state')).toBe(state);
    expect(answer).toMatchObject({
      user: { id, email, lastSignInAt: '2026-05-04T08:00:00.000Z' },
      organizationId: null,
    });
    expect(answer.accessToken.split('.')).toHaveLength(3);
    expect(answer.refreshToken).toMatch(/\w{20}/);
  });

  test('works once, and only with the verifier of its challenge', async () => {
    const { userManagement, user, visit } = await world();
    await user();
    const options = { provider: HOSTED_LOGIN, redirectUri, loginHint: email };
    const first = await userManagement.getAuthorizationUrlWithPKCE(options);
    const second = await userManagement.getAuthorizationUrlWithPKCE(options);
    const code = (await visit(first.url)).get('code') ?? '';
    const other = (await visit(second.url)).get('code') ?? '';
    await userManagement.authenticateWithCode({ code, codeVerifier: first.codeVerifier });

    const again = userManagement.authenticateWithCode({ code, codeVerifier: first.codeVerifier });
    const mixed = userManagement.authenticateWithCode({ code: other, codeVerifier: first.codeVerifier });

    expect(await errorOf(BadRequestError, again)).toMatchObject({ serviceCode: 'invalid_grant' });
    expect(await errorOf(BadRequestError, mixed)).toMatchObject({ serviceCode: 'invalid_grant' });
  });

  test('needs no key when a public client proves itself by the verifier', async () => {
    const { emulator, user, visit } = await world();
    await user();
    const { apiKey: _, ...identity } = emulator.credentials;
    const { userManagement } = new Sallyport({ ...identity, fetch: emulator.fetch });
    const { url, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
      provider: HOSTED_LOGIN,
      redirectUri,
      loginHint: email,
    });
    const code = (await visit(url)).get('code') ?? '';

    const { refreshToken } = await userManagement.authenticateWithCode({ code, codeVerifier });
    const refreshed = await userManagement.authenticateWithRefreshToken({ refreshToken });

    expect(refreshed.user.email).toBe(email);
    await expect(userManagement.authenticateWithCode({ code })).rejects.toMatchObject({ code: 'missing_api_key' });
  });
});

describe('signing in with a password', () => {
  test('gives the user and tokens', async () => {
    const { user, signIn } = await world();
    const { id } = await user();

    expect(await signIn()).toMatchObject({ user: { id }, organizationId: null });
  });

  test('refuses a wrong one without saying what is wrong', async () => {
    const { user, userManagement } = await world();
    await user();

    const wrong = await errorOf(
      BadRequestError,
      userManagement.authenticateWithPassword({ email, password: 'a guess' }),
    );
    const nobody = await errorOf(
      BadRequestError,
      userManagement.authenticateWithPassword({ email: 'eve@acme.test', password }),
    );

    expect(wrong.serviceCode).toBe(nobody.serviceCode);
    expect(JSON.stringify(wrong) + wrong.message).not.toContain('a guess');
  });
});

describe('signing in by a mailed code', () => {
  test('takes the code that the service mailed, or a code that the application mails itself', async () => {
    const { userManagement, user, mailed } = await world();
    await user();
    await userManagement.sendMagicAuthCode({ email });
    const code = mailed();
    const wrong = code === '000000' ? '111111' : '000000';

    const refused = userManagement.authenticateWithMagicAuth({ email, code: wrong });
    await errorOf(BadRequestError, refused);
    const answer = await userManagement.authenticateWithMagicAuth({ email, code });
    const own = await userManagement.createMagicAuth({ email });
    const again = await userManagement.authenticateWithMagicAuth({ email, code: own.code });

    expect(answer.user.email).toBe(email);
    expect(again.user.id).toBe(own.userId);
    await errorOf(NotFoundError, userManagement.getMagicAuth(own.id));
  });

  test('refuses a code that is eleven minutes old', async () => {
    const { userManagement, user, mailed, emulator } = await world();
    await user();
    await userManagement.sendMagicAuthCode({ email });
    await emulator.clock.advance('11m');

    await errorOf(BadRequestError, userManagement.authenticateWithMagicAuth({ email, code: mailed() }));
  });
});

describe('the steps of a sign-in', () => {
  test('lead through the choice of an organization', async () => {
    const { userManagement, organizations, user, signIn } = await world();
    const { id: userId } = await user();
    const [acme, bolt] = [
      await organizations.createOrganization({ name: 'Acme' }),
      await organizations.createOrganization({ name: 'Bolt' }),
    ];
    for (const { id: organizationId } of [acme, bolt])
      await userManagement.createOrganizationMembership({ userId, organizationId });

    const { pendingAuthenticationToken, organizations: choices } = await errorOf(
      OrganizationSelectionRequiredError,
      signIn(),
    );
    const answer = await userManagement.authenticateWithOrganizationSelection({
      pendingAuthenticationToken,
      organizationId: bolt.id,
    });

    expect(choices).toEqual([
      { id: acme.id, name: 'Acme' },
      { id: bolt.id, name: 'Bolt' },
    ]);
    expect(answer.organizationId).toBe(bolt.id);
    await errorOf(
      BadRequestError,
      userManagement.authenticateWithOrganizationSelection({ pendingAuthenticationToken, organizationId: acme.id }),
    );
  });

  test('lead through the verification of the address', async () => {
    const { userManagement, user, signIn, mailed } = await world();
    await user({ emailVerified: false });

    const error = await errorOf(EmailVerificationRequiredError, signIn());
    const answer = await userManagement.authenticateWithEmailVerification({
      pendingAuthenticationToken: error.pendingAuthenticationToken,
      code: mailed(),
    });

    expect(error).toMatchObject({ email, emailVerificationId: expect.stringMatching(/^email_verification_/) });
    expect(answer.user.emailVerified).toBe(true);
  });

  test('lead through the enrollment of a second factor, and its proof the next time', async () => {
    const { userManagement, mfa, user, signIn, emulator } = await world({ requireMfa: true });
    await user();

    const first = await errorOf(MfaEnrollmentError, signIn());
    const { authenticationFactor, authenticationChallenge } = await userManagement.enrollAuthFactor({
      userId: first.user?.id ?? '',
      type: 'totp',
    });
    const app = new TOTP({ secret: authenticationFactor.totp?.secret ?? '' });
    const shown = () => app.generate({ timestamp: emulator.clock.now() });
    const enrolled = await userManagement.authenticateWithTotp({
      pendingAuthenticationToken: first.pendingAuthenticationToken,
      authenticationChallengeId: authenticationChallenge.id,
      code: shown(),
    });
    await emulator.clock.advance('1m');
    const second = await errorOf(MfaChallengeError, signIn());
    const challenge = await mfa.challengeFactor({ authenticationFactorId: second.authenticationFactors[0]?.id ?? '' });
    const proven = await userManagement.authenticateWithTotp({
      pendingAuthenticationToken: second.pendingAuthenticationToken,
      authenticationChallengeId: challenge.id,
      code: shown(),
    });

    expect(second.authenticationFactors).toEqual([{ id: authenticationFactor.id, type: 'totp' }]);
    expect([enrolled.user.email, proven.user.email]).toEqual([email, email]);
  });

  test('lead to SSO where the organization wants it', async () => {
    const { userManagement, user, owner, signIn, visit, emulator } = await world();
    const { id: userId } = await user();
    const { id, connection } = await owner();
    await userManagement.createOrganizationMembership({ userId, organizationId: id });
    await emulator.setAuthenticationPolicy(id, { ssoRequired: true });

    const error = await errorOf(SsoRequiredError, signIn());
    const { url, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
      connectionId: error.connectionIds[0] ?? '',
      redirectUri,
      loginHint: email,
    });
    const code = (await visit(url)).get('code') ?? '';
    const answer = await userManagement.authenticateWithCode({
      code,
      codeVerifier,
      ...(error.pendingAuthenticationToken !== null && {
        pendingAuthenticationToken: error.pendingAuthenticationToken,
      }),
    });

    expect(error).toMatchObject({ email, connectionIds: [connection.id] });
    expect(answer).toMatchObject({ user: { email }, organizationId: id });
  });

  test('lead to another method where the organization does not allow this one', async () => {
    const { userManagement, user, owner, signIn, emulator, mailed } = await world();
    await user();
    const { id, connection } = await owner();
    await emulator.setAuthenticationPolicy(id, { authMethods: { magicAuth: true } });

    const error = await errorOf(AuthenticationMethodsRequiredError, signIn());
    await userManagement.sendMagicAuthCode({ email });
    const answer = await userManagement.authenticateWithMagicAuth({ email, code: mailed() });

    expect(error.authMethods).toEqual({
      password: false,
      magic_auth: true,
      google_oauth: false,
      microsoft_oauth: false,
      github_oauth: false,
    });
    expect(error.ssoConnectionIds).toEqual([connection.id]);
    expect(answer.user.email).toBe(email);
  });
});

describe('a session', () => {
  test('goes on with the next refresh token, and not with the used one', async () => {
    const { userManagement, user, signIn } = await world();
    await user();
    const { refreshToken } = await signIn();

    const next = await userManagement.authenticateWithRefreshToken({ refreshToken });

    expect(next.refreshToken).not.toBe(refreshToken);
    expect(await errorOf(BadRequestError, userManagement.authenticateWithRefreshToken({ refreshToken }))).toMatchObject(
      {
        serviceCode: 'invalid_grant',
      },
    );
  });

  test('has a token that the published keys verify', async () => {
    const { userManagement, user, signIn, emulator } = await world();
    const { id } = await user();
    const { accessToken } = await signIn();

    const keys = await userManagement.getJwks();
    const { payload, protectedHeader } = await jwtVerify(accessToken, createLocalJWKSet(keys as JSONWebKeySet), {
      algorithms: ['RS256'],
      currentDate: new Date(emulator.clock.now()),
    });
    const byUrl = await (await emulator.fetch(userManagement.getJwksUrl())).json();

    expect(payload).toMatchObject({ sub: id, sid: expect.stringMatching(/^session_/) });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: keys.keys[0]?.kid });
    expect(byUrl).toEqual(keys);
    await errorOf(NotFoundError, userManagement.getJwks('client_of_nobody'));
  });

  test('is listed, and ended by its id', async () => {
    const { userManagement, user, signIn } = await world();
    const { id } = await user();
    const { refreshToken } = await signIn();
    const [session] = await userManagement.listSessions(id).toArray({ max: 10 });

    await userManagement.revokeSession({ sessionId: session?.id ?? '' });

    expect(session).toMatchObject({ userId: id, authMethod: 'password', status: 'active', endedAt: null });
    expect((await userManagement.listSessions(id)).data[0]).toMatchObject({ id: session?.id, status: 'revoked' });
    await errorOf(BadRequestError, userManagement.authenticateWithRefreshToken({ refreshToken }));
    await errorOf(NotFoundError, userManagement.revokeSession({ sessionId: 'session_of_nobody' }));
  });

  test('is ended by the user’s browser', async () => {
    const { userManagement, user, signIn, emulator } = await world();
    const { id } = await user();
    const { refreshToken } = await signIn();
    const [session] = (await userManagement.listSessions(id)).data;

    const answer = await emulator.fetch(userManagement.getLogoutUrl({ sessionId: session?.id ?? '' }), {
      redirect: 'manual',
    });

    expect(answer.status).toBeLessThan(400);
    await errorOf(BadRequestError, userManagement.authenticateWithRefreshToken({ refreshToken }));
  });
});

describe('single sign-on', () => {
  test('ends in a profile, and a token for it', async () => {
    const { sso, owner, visit } = await world();
    const { id, connection } = await owner();
    const { url, codeVerifier } = await sso.getAuthorizationUrlWithPKCE({
      organization: id,
      redirectUri,
      loginHint: email,
    });
    const code = (await visit(url)).get('code') ?? '';

    const { profile, accessToken } = await sso.getProfileAndToken({ code, codeVerifier });
    const again = await sso.getProfile({ accessToken });

    expect(profile).toMatchObject({
      connectionId: connection.id,
      connectionType: 'OktaSAML',
      organizationId: id,
      email,
    });
    expect(again).toEqual(profile);
    await errorOf(UnauthorizedError, sso.getProfile({ accessToken: 'another' }));
    expect(await errorOf(BadRequestError, sso.getProfileAndToken({ code, codeVerifier }))).toMatchObject({
      serviceCode: 'invalid_grant',
    });
  });

  test('says at the redirect URI what went wrong', async () => {
    const { sso, visit } = await world();

    const came = await visit(sso.getAuthorizationUrl({ connection: 'conn_of_nobody', redirectUri, state: 's' }));

    expect(came.get('error')).toBe('connection_invalid');
    expect(came.get('error_description')).toBeTruthy();
    expect(came.get('state')).toBe('s');
  });
});

test('a password is reset by a token that the application mails itself', async () => {
  const { userManagement, user } = await world();
  await user();
  const { passwordResetToken, passwordResetUrl, id } = await userManagement.createPasswordReset({ email });

  const read = await userManagement.getPasswordReset(id);
  await userManagement.resetPassword({ token: passwordResetToken, newPassword: 'another lantern entirely' });

  expect(passwordResetUrl).toContain(passwordResetToken);
  expect(read.userId).toMatch(/^user_/);
  const answer = await userManagement.authenticateWithPassword({ email, password: 'another lantern entirely' });
  expect(answer.user.email).toBe(email);
  await errorOf(NotFoundError, userManagement.createPasswordReset({ email: 'eve@acme.test' }));
});
