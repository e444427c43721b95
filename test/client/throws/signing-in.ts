import { HOSTED_LOGIN, Sallyport } from 'sallyport';
import { cookiePassword, email, not, password, redirectUri, rowsOf, type World } from './world.js';

const users = rowsOf('userManagement');
const sso = rowsOf('sso');
const legacySso = rowsOf('legacy.sso');
const cookie = rowsOf('CookieSession');

/** Signs in by a code from an email. */
const byMagicAuth = async (world: World) => {
  await world.userManagement.sendMagicAuthCode({ email });
  return world.userManagement.authenticateWithMagicAuth({ email, code: world.mailed() });
};
/** Signs in by a code from the redirect; what `between` does happens before it is exchanged. */
const byCode = async (world: World, between: () => unknown = () => undefined) => {
  await world.user();
  const code = await world.hostedCode();
  await between();
  return world.userManagement.authenticateWithCode({ code });
};
/** Acme owns the domain of the user's address and demands something. */
const demand = async (world: World, demands: object): Promise<string> => {
  const { id } = await world.owner();
  await world.emulator.createConnection({ organizationId: id, connectionType: 'OktaSAML' });
  await world.emulator.setAuthenticationPolicy(id, demands);
  return id;
};
const join = (world: World, userId: string, organizationId: string) =>
  world.userManagement.createOrganizationMembership({ userId, organizationId });
const idOf = async ({ userManagement }: World): Promise<string> => {
  const [user] = (await userManagement.listUsers({ email })).data;
  return user?.id ?? 'user_none';
};
/** The user has signed in, and switches to Acme, which demands something; what `meanwhile` does happens before that. */
const switching = async (world: World, demands: object, meanwhile: (userId: string) => unknown = () => undefined) => {
  const { id } = await world.user();
  const { refreshToken } = await world.signIn();
  await meanwhile(id);
  const organizationId = await demand(world, demands);
  await join(world, id, organizationId);
  return world.userManagement.authenticateWithRefreshToken({ refreshToken, organizationId });
};
/** The user has to choose an organization; what `meanwhile` does happens before the choice. */
const choosing = async (world: World, meanwhile: (userId: string) => unknown = () => undefined) => {
  const { id } = await world.user();
  const [organizationId = ''] = await world.joinTwo(id);
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  await meanwhile(id);
  return world.userManagement.authenticateWithOrganizationSelection({ pendingAuthenticationToken, organizationId });
};
/** The user has to verify the address; what `meanwhile` does happens before the code is typed in. */
const verifying = async (world: World, meanwhile: (userId: string) => unknown = () => undefined, wrong = false) => {
  const { id } = await world.user({ emailVerified: false });
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  await meanwhile(id);
  const code = wrong ? not(world.mailed()) : world.mailed();
  return world.userManagement.authenticateWithEmailVerification({ pendingAuthenticationToken, code });
};
/** A sign-in that waits for a second factor, and the answer to the challenge. */
const factored = async (world: World) => {
  const { id } = await world.user();
  const app = await world.enroll(id);
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  const { id: authenticationChallengeId } = await world.mfa.challengeFactor({ authenticationFactorId: app.factorId });
  return { id, answer: { pendingAuthenticationToken, authenticationChallengeId, code: app.code() } };
};
const anonymous = ({ emulator }: World) => {
  const { clientId: _, ...credentials } = emulator.credentials;
  return new Sallyport({ ...credentials, fetch: emulator.fetch });
};
const sealedSession = async (world: World): Promise<string> => {
  await world.user();
  const session = { sealSession: true, cookiePassword } as const;
  return (await world.userManagement.authenticateWithPassword({ email, password, session })).sealedSession;
};

export const signingInRows = [
  users('getAuthorizationUrl', 'InvalidArgumentError', 'two ways to sign in', 'invalid_argument', (world) =>
    // The types refuse it.
    world.userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, connectionId: 'conn_1', redirectUri } as never),
  ),
  users('getAuthorizationUrl', 'InvalidArgumentError', 'no way to sign in', 'invalid_argument', (world) =>
    world.userManagement.getAuthorizationUrl({ redirectUri } as never),
  ),
  users('getAuthorizationUrl', 'ConfigurationError', 'a client without a client id', 'missing_client_id', (world) =>
    anonymous(world).userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri }),
  ),
  users('getAuthorizationUrlWithPKCE', 'InvalidArgumentError', 'no way to sign in', 'invalid_argument', (world) =>
    world.userManagement.getAuthorizationUrlWithPKCE({ redirectUri } as never),
  ),
  users('getAuthorizationUrlWithPKCE', 'ConfigurationError', 'no client id', 'missing_client_id', (world) =>
    anonymous(world).userManagement.getAuthorizationUrlWithPKCE({ provider: HOSTED_LOGIN, redirectUri }),
  ),

  users('authenticateWithCode', 'BadRequestError', 'an unknown code', 'invalid_grant', (world) =>
    world.userManagement.authenticateWithCode({ code: 'none' }),
  ),
  users('authenticateWithCode', 'BadRequestError', 'a code that was used', 'invalid_grant', async (world) => {
    await world.user();
    const code = await world.hostedCode();
    await world.userManagement.authenticateWithCode({ code });
    return world.userManagement.authenticateWithCode({ code });
  }),
  users(
    'authenticateWithCode',
    'ForbiddenError',
    'who has left meanwhile',
    'user_not_organization_member',
    async (world) => {
      const { id: userId } = await world.user();
      const { id: organizationId, connection } = await world.owner();
      const { id } = await join(world, userId, organizationId);
      const url = world.userManagement.getAuthorizationUrl({
        connectionId: connection.id,
        redirectUri,
        loginHint: email,
      });
      const code = await world.codeAt(url);
      await world.userManagement.deleteOrganizationMembership(id);
      return world.userManagement.authenticateWithCode({ code });
    },
  ),
  users(
    'authenticateWithCode',
    'OrganizationSelectionRequiredError',
    'two organizations',
    'organization_selection_required',
    (world) => byCode(world, async () => world.joinTwo(await idOf(world))),
  ),
  users('authenticateWithCode', 'SsoRequiredError', 'a policy', 'sso_required', (world) =>
    byCode(world, () => demand(world, { ssoRequired: true })),
  ),
  users(
    'authenticateWithCode',
    'AuthenticationMethodsRequiredError',
    'a policy',
    'organization_authentication_methods_required',
    (world) => byCode(world, () => demand(world, { authMethods: { magicAuth: true } })),
  ),
  users(
    'authenticateWithCode',
    'EmailVerificationRequiredError',
    'an address that is not verified',
    'email_verification_required',
    (world) =>
      byCode(world, async () => world.userManagement.updateUser({ userId: await idOf(world), emailVerified: false })),
  ),
  users('authenticateWithCode', 'MfaChallengeError', 'a second factor', 'mfa_challenge', async (world) => {
    const { id } = await world.user();
    await world.enroll(id);
    const url = world.userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', redirectUri, loginHint: email });
    return world.userManagement.authenticateWithCode({ code: await world.codeAt(url) });
  }),
  users(
    'authenticateWithCode',
    'MfaEnrollmentError',
    'a service that wants second factors',
    'mfa_enrollment',
    async (world) => {
      await world.user();
      const url = world.userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', redirectUri, loginHint: email });
      return world.userManagement.authenticateWithCode({ code: await world.codeAt(url) });
    },
    { requireMfa: true },
  ),

  users('authenticateWithPassword', 'BadRequestError', 'a wrong password', 'invalid_credentials', async (world) => {
    await world.user();
    return world.userManagement.authenticateWithPassword({ email, password: 'a guess' });
  }),
  users('authenticateWithPassword', 'BadRequestError', 'an unknown address', 'invalid_credentials', (world) =>
    world.userManagement.authenticateWithPassword({ email, password }),
  ),
  users(
    'authenticateWithPassword',
    'OrganizationSelectionRequiredError',
    'two organizations',
    'organization_selection_required',
    async (world) => {
      const { id } = await world.user();
      await world.joinTwo(id);
      return world.signIn();
    },
  ),
  users('authenticateWithPassword', 'SsoRequiredError', 'a policy', 'sso_required', async (world) => {
    await world.user();
    await demand(world, { ssoRequired: true });
    return world.signIn();
  }),
  users(
    'authenticateWithPassword',
    'AuthenticationMethodsRequiredError',
    'a policy',
    'organization_authentication_methods_required',
    async (world) => {
      await world.user();
      await demand(world, { authMethods: { magicAuth: true } });
      return world.signIn();
    },
  ),
  users(
    'authenticateWithPassword',
    'EmailVerificationRequiredError',
    'an address that is not verified',
    'email_verification_required',
    async (world) => {
      await world.user({ emailVerified: false });
      return world.signIn();
    },
  ),
  users('authenticateWithPassword', 'MfaChallengeError', 'a second factor', 'mfa_challenge', async (world) => {
    const { id } = await world.user();
    await world.enroll(id);
    return world.signIn();
  }),
  users('authenticateWithPassword', 'MfaEnrollmentError', 'a policy', 'mfa_enrollment', async (world) => {
    await world.user();
    await demand(world, { mfaRequired: true });
    return world.signIn();
  }),

  users('authenticateWithMagicAuth', 'BadRequestError', 'a wrong code', 'invalid_one_time_code', async (world) => {
    await world.userManagement.sendMagicAuthCode({ email });
    return world.userManagement.authenticateWithMagicAuth({ email, code: not(world.mailed()) });
  }),
  users('authenticateWithMagicAuth', 'BadRequestError', 'a code too old', 'one_time_code_expired', async (world) => {
    await world.userManagement.sendMagicAuthCode({ email });
    await world.emulator.clock.advance('11m');
    return world.userManagement.authenticateWithMagicAuth({ email, code: world.mailed() });
  }),
  users(
    'authenticateWithMagicAuth',
    'OrganizationSelectionRequiredError',
    'two organizations',
    'organization_selection_required',
    async (world) => {
      const { id } = await world.user();
      await world.joinTwo(id);
      return byMagicAuth(world);
    },
  ),
  users('authenticateWithMagicAuth', 'SsoRequiredError', 'a policy', 'sso_required', async (world) => {
    await world.user();
    await demand(world, { ssoRequired: true });
    return byMagicAuth(world);
  }),
  users(
    'authenticateWithMagicAuth',
    'AuthenticationMethodsRequiredError',
    'a policy',
    'organization_authentication_methods_required',
    async (world) => {
      await world.user();
      await demand(world, { authMethods: { password: true } });
      return byMagicAuth(world);
    },
  ),
  users('authenticateWithMagicAuth', 'MfaChallengeError', 'a second factor', 'mfa_challenge', async (world) => {
    const { id } = await world.user();
    await world.enroll(id);
    return byMagicAuth(world);
  }),
  users('authenticateWithMagicAuth', 'MfaEnrollmentError', 'a policy', 'mfa_enrollment', async (world) => {
    await demand(world, { mfaRequired: true });
    return byMagicAuth(world);
  }),

  users('authenticateWithRefreshToken', 'BadRequestError', 'a token that was used', 'invalid_grant', async (world) => {
    await world.user();
    const { refreshToken } = await world.signIn();
    await world.userManagement.authenticateWithRefreshToken({ refreshToken });
    return world.userManagement.authenticateWithRefreshToken({ refreshToken });
  }),
  users(
    'authenticateWithRefreshToken',
    'ForbiddenError',
    'an organization of others',
    'user_not_organization_member',
    async (world) => {
      await world.user();
      const [{ refreshToken }, { id: organizationId }] = [await world.signIn(), await world.owner()];
      return world.userManagement.authenticateWithRefreshToken({ refreshToken, organizationId });
    },
  ),
  users('authenticateWithRefreshToken', 'SsoRequiredError', 'a policy', 'sso_required', (world) =>
    switching(world, { ssoRequired: true }),
  ),
  users(
    'authenticateWithRefreshToken',
    'AuthenticationMethodsRequiredError',
    'a policy',
    'organization_authentication_methods_required',
    (world) => switching(world, { authMethods: { magicAuth: true } }),
  ),
  users('authenticateWithRefreshToken', 'MfaChallengeError', 'a policy', 'mfa_challenge', (world) =>
    switching(world, { mfaRequired: true }, world.enroll),
  ),
  users('authenticateWithRefreshToken', 'MfaEnrollmentError', 'a policy', 'mfa_enrollment', (world) =>
    switching(world, { mfaRequired: true }),
  ),

  users('authenticateWithEmailVerification', 'BadRequestError', 'a wrong code', 'invalid_one_time_code', (world) =>
    verifying(world, () => undefined, true),
  ),
  users(
    'authenticateWithEmailVerification',
    'BadRequestError',
    'an unknown pending token',
    'invalid_pending_authentication_token',
    (world) =>
      world.userManagement.authenticateWithEmailVerification({ pendingAuthenticationToken: 'none', code: '123456' }),
  ),
  users(
    'authenticateWithEmailVerification',
    'OrganizationSelectionRequiredError',
    'two organizations',
    'organization_selection_required',
    (world) => verifying(world, world.joinTwo),
  ),
  users('authenticateWithEmailVerification', 'MfaChallengeError', 'a second factor', 'mfa_challenge', (world) =>
    verifying(world, world.enroll),
  ),
  users('authenticateWithEmailVerification', 'MfaEnrollmentError', 'a policy', 'mfa_enrollment', (world) =>
    verifying(world, () => demand(world, { mfaRequired: true })),
  ),

  users('authenticateWithTotp', 'BadRequestError', 'a wrong code', 'invalid_one_time_code', async (world) => {
    const { answer } = await factored(world);
    return world.userManagement.authenticateWithTotp({ ...answer, code: not(answer.code) });
  }),
  users(
    'authenticateWithTotp',
    'BadRequestError',
    'an unknown pending token',
    'invalid_pending_authentication_token',
    async (world) => {
      const { answer } = await factored(world);
      return world.userManagement.authenticateWithTotp({ ...answer, pendingAuthenticationToken: 'none' });
    },
  ),
  users('authenticateWithTotp', 'NotFoundError', 'an unknown challenge', 'entity_not_found', async (world) => {
    const { answer } = await factored(world);
    return world.userManagement.authenticateWithTotp({ ...answer, authenticationChallengeId: 'auth_challenge_none' });
  }),
  users(
    'authenticateWithTotp',
    'UnprocessableError',
    'a challenge that was answered',
    'authentication_challenge_previously_verified',
    async (world) => {
      const { answer } = await factored(world);
      const { authenticationChallengeId, code } = answer;
      await world.mfa.verifyChallenge({ authenticationChallengeId, code });
      return world.userManagement.authenticateWithTotp(answer);
    },
  ),
  users(
    'authenticateWithTotp',
    'OrganizationSelectionRequiredError',
    'two organizations',
    'organization_selection_required',
    async (world) => {
      const { id, answer } = await factored(world);
      await world.joinTwo(id);
      return world.userManagement.authenticateWithTotp(answer);
    },
  ),

  users(
    'authenticateWithOrganizationSelection',
    'BadRequestError',
    'an unknown pending token',
    'invalid_pending_authentication_token',
    (world) =>
      world.userManagement.authenticateWithOrganizationSelection({
        pendingAuthenticationToken: 'none',
        organizationId: 'org_none',
      }),
  ),
  users(
    'authenticateWithOrganizationSelection',
    'ForbiddenError',
    'an organization of others',
    'user_not_organization_member',
    async (world) => {
      const { id } = await world.user();
      await world.joinTwo(id);
      const pendingAuthenticationToken = await world.pendingOf(world.signIn());
      const { id: organizationId } = await world.owner();
      return world.userManagement.authenticateWithOrganizationSelection({ pendingAuthenticationToken, organizationId });
    },
  ),
  users('authenticateWithOrganizationSelection', 'SsoRequiredError', 'a policy', 'sso_required', (world) =>
    choosing(world, () => demand(world, { ssoRequired: true })),
  ),
  users(
    'authenticateWithOrganizationSelection',
    'AuthenticationMethodsRequiredError',
    'a policy',
    'organization_authentication_methods_required',
    (world) => choosing(world, () => demand(world, { authMethods: { magicAuth: true } })),
  ),
  users('authenticateWithOrganizationSelection', 'MfaChallengeError', 'a second factor', 'mfa_challenge', (world) =>
    choosing(world, world.enroll),
  ),
  users('authenticateWithOrganizationSelection', 'MfaEnrollmentError', 'a policy', 'mfa_enrollment', (world) =>
    choosing(world, () => demand(world, { mfaRequired: true })),
  ),

  users(
    'sendMagicAuthCode',
    'BadRequestError',
    'an unknown address without sign-up',
    'sign_up_not_allowed',
    (world) => world.userManagement.sendMagicAuthCode({ email }),
    { allowSignUp: false },
  ),
  users(
    'createMagicAuth',
    'BadRequestError',
    'an unknown address without sign-up',
    'sign_up_not_allowed',
    (world) => world.userManagement.createMagicAuth({ email }),
    { allowSignUp: false },
  ),
  users('getMagicAuth', 'NotFoundError', 'a code that was used', 'entity_not_found', async (world) => {
    const { id, code } = await world.userManagement.createMagicAuth({ email });
    await world.userManagement.authenticateWithMagicAuth({ email, code });
    return world.userManagement.getMagicAuth(id);
  }),
  users('sendPasswordResetEmail', 'NotFoundError', 'an unknown address', 'entity_not_found', (world) =>
    world.userManagement.sendPasswordResetEmail({ email, passwordResetUrl: 'https://app.acme.test/reset' }),
  ),
  users('createPasswordReset', 'NotFoundError', 'an unknown address', 'entity_not_found', (world) =>
    world.userManagement.createPasswordReset({ email }),
  ),
  users('getPasswordReset', 'NotFoundError', 'a used password reset', 'entity_not_found', async (world) => {
    await world.user();
    const { id, passwordResetToken: token } = await world.userManagement.createPasswordReset({ email });
    await world.userManagement.resetPassword({ token, newPassword: 'another lantern entirely' });
    return world.userManagement.getPasswordReset(id);
  }),
  users('resetPassword', 'BadRequestError', 'an unknown token', 'invalid_password_reset_token', (world) =>
    world.userManagement.resetPassword({ token: 'none', newPassword: 'another lantern entirely' }),
  ),
  users('resetPassword', 'BadRequestError', 'a token too old', 'password_reset_token_expired', async (world) => {
    await world.user();
    const { passwordResetToken: token } = await world.userManagement.createPasswordReset({ email });
    await world.emulator.clock.advance('61m');
    return world.userManagement.resetPassword({ token, newPassword: 'another lantern entirely' });
  }),
  users('resetPassword', 'BadRequestError', 'a weak password', 'password_strength_error', async (world) => {
    await world.user();
    const { passwordResetToken: token } = await world.userManagement.createPasswordReset({ email });
    return world.userManagement.resetPassword({ token, newPassword: '123' });
  }),
  users('getLogoutUrl', 'InvalidArgumentError', 'no session', 'invalid_argument', (world) =>
    world.userManagement.getLogoutUrl({} as never),
  ),
  users('getJwks', 'InvalidArgumentError', 'no client id', 'invalid_argument', (world) =>
    anonymous(world).userManagement.getJwks(),
  ),
  users('getJwks', 'NotFoundError', 'an unknown client', 'entity_not_found', (world) =>
    world.userManagement.getJwks('client_none'),
  ),
  users('getJwksUrl', 'InvalidArgumentError', 'no client id', 'invalid_argument', (world) =>
    anonymous(world).userManagement.getJwksUrl(),
  ),
  users('sealData', 'ConfigurationError', 'a short password', 'invalid_option', (world) =>
    world.userManagement.sealData({}, { password: 'short' }),
  ),
  users('sealData', 'InvalidArgumentError', 'a value that JSON cannot hold', 'invalid_argument', (world) =>
    world.userManagement.sealData({ count: 1n }, { password: cookiePassword }),
  ),
  users('unsealData', 'ConfigurationError', 'a short password', 'invalid_option', (world) =>
    world.userManagement.unsealData('', { password: 'short' }),
  ),

  cookie('authenticate', 'ConfigurationError', 'a short password', 'invalid_option', (world) =>
    world.userManagement.loadSealedSession({ sessionData: 'x', cookiePassword: 'short' }).authenticate(),
  ),
  cookie('refresh', 'ConfigurationError', 'a short password', 'invalid_option', (world) =>
    world.userManagement.loadSealedSession({ sessionData: 'x', cookiePassword: 'short' }).refresh(),
  ),
  cookie('refresh', 'BadRequestError', 'an API key of others', 'invalid_client', async (world) => {
    const { emulator } = world;
    const stranger = new Sallyport({
      ...emulator.credentials,
      apiKey: 'sk_test_of_somebody_else',
      fetch: emulator.fetch,
    });
    const sessionData = await sealedSession(world);
    const now = () => emulator.clock.now();
    return stranger.userManagement.loadSealedSession({ sessionData, cookiePassword, now }).refresh();
  }),
  cookie('getLogoutUrl', 'ConfigurationError', 'a short password', 'invalid_option', (world) =>
    world.userManagement.loadSealedSession({ sessionData: 'x', cookiePassword: 'short' }).getLogoutUrl(),
  ),
  cookie('getLogoutUrl', 'InvalidArgumentError', 'no cookie', 'invalid_argument', (world) =>
    world.userManagement.loadSealedSession({ sessionData: '', cookiePassword }).getLogoutUrl(),
  ),

  sso('getAuthorizationUrl', 'InvalidArgumentError', 'no way to sign in', 'invalid_argument', (world) =>
    world.sso.getAuthorizationUrl({ redirectUri } as never),
  ),
  sso('getAuthorizationUrl', 'ConfigurationError', 'no client id', 'missing_client_id', (world) =>
    anonymous(world).sso.getAuthorizationUrl({ connection: 'conn_1', redirectUri }),
  ),
  sso('getAuthorizationUrlWithPKCE', 'InvalidArgumentError', 'two ways to sign in', 'invalid_argument', (world) =>
    world.sso.getAuthorizationUrlWithPKCE({ connection: 'conn_1', organization: 'org_1', redirectUri } as never),
  ),
  sso('getAuthorizationUrlWithPKCE', 'ConfigurationError', 'no client id', 'missing_client_id', (world) =>
    anonymous(world).sso.getAuthorizationUrlWithPKCE({ connection: 'conn_1', redirectUri }),
  ),
  sso('getProfileAndToken', 'BadRequestError', 'an unknown code', 'invalid_grant', (world) =>
    world.sso.getProfileAndToken({ code: 'none' }),
  ),
  sso('getProfile', 'UnauthorizedError', 'an unknown token', 'invalid_token', (world) =>
    world.sso.getProfile({ accessToken: 'none' }),
  ),
  sso('getConnection', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.sso.getConnection('conn_none'),
  ),
  sso('deleteConnection', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.sso.deleteConnection('conn_none'),
  ),
  legacySso('getAuthorizationUrl', 'InvalidArgumentError', 'no way to sign in', 'invalid_argument', (world) =>
    world.legacy.sso.getAuthorizationUrl({ redirectUri } as never),
  ),
  legacySso('getAuthorizationUrl', 'ConfigurationError', 'no client id', 'missing_client_id', (world) =>
    anonymous(world).legacy.sso.getAuthorizationUrl({ domain: 'acme.test', redirectUri }),
  ),
];
