import { HOSTED_LOGIN, Sallyport } from 'sallyport';
import { company } from '../../stage.js';
import { ada, bruno, cookiePassword, type Provocations, redirectUri, rowsOf, type World } from './world.js';

const { email } = bruno;
const organizationId = 'org_northwind';
const newPassword = 'another lantern entirely';
const google = { provider: 'GoogleOAuth' };

/** The client of a service that answers every request with this body. */
const answered = ({ emulator }: World, body: object) =>
  new Sallyport({ ...emulator.credentials, fetch: async () => Response.json(body) });
/** Make Northwind require something of users who sign in to it. */
const demand = (world: World, demands: object) => world.emulator.setAuthenticationPolicy(organizationId, demands);
/** Make Bruno join a second organization. */
const joinAnother = (world: World) =>
  world.userManagement.createOrganizationMembership({ userId: 'user_bruno', organizationId: 'org_tailspin' });
/** Sign in with a code from an email. */
const byMagicAuth = async (world: World, address = email) => {
  await world.userManagement.sendMagicAuthCode({ email: address });
  return world.userManagement.authenticateWithMagicAuth({ email: address, code: world.mailed(address) });
};
/** Sign in with a code from the redirect. `between` runs before the code is exchanged. */
const byCode = async (world: World, between: () => unknown) => {
  const code = await world.hostedCode();
  await between();
  return world.userManagement.authenticateWithCode({ code });
};
/** Sign Bruno in to Tailspin, and switch to Northwind. `meanwhile` runs before the switch. */
const switching = async (world: World, meanwhile: () => unknown) => {
  await joinAnother(world);
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  const { refreshToken } = await world.userManagement.authenticateWithOrganizationSelection({
    pendingAuthenticationToken,
    organizationId: 'org_tailspin',
  });
  await meanwhile();
  return world.userManagement.authenticateWithRefreshToken({ refreshToken, organizationId });
};
/** Make Bruno choose an organization. `meanwhile` runs before the choice. */
const choosing = async (world: World, meanwhile: () => unknown, chosen = organizationId) => {
  await joinAnother(world);
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  await meanwhile();
  const choice = { pendingAuthenticationToken, organizationId: chosen };
  return world.userManagement.authenticateWithOrganizationSelection(choice);
};
/** Make Bruno verify his address. `meanwhile` runs before he enters the code. */
const verifying = async (world: World, meanwhile: () => unknown) => {
  await world.userManagement.updateUser({ userId: 'user_bruno', emailVerified: false });
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  const code = (await meanwhile()) === 'wrong' ? '000000' : world.mailed();
  return world.userManagement.authenticateWithEmailVerification({ pendingAuthenticationToken, code });
};
/** Answer the challenge of a sign-in that waits for a second factor. */
const factored = async (world: World) => {
  const app = await world.enroll();
  const pendingAuthenticationToken = await world.pendingOf(world.signIn());
  const { id: authenticationChallengeId } = await world.mfa.challengeFactor({ authenticationFactorId: app.factorId });
  return { pendingAuthenticationToken, authenticationChallengeId, code: app.code() };
};
const anonymous = ({ emulator }: World) => {
  const { clientId: _, ...credentials } = emulator.credentials;
  return new Sallyport({ ...credentials, fetch: emulator.fetch });
};
const shortPassword = ({ userManagement }: World) =>
  userManagement.loadSealedSession({ sessionData: 'x', cookiePassword: 'short' });

const urls: Provocations = {
  'getAuthorizationUrl InvalidArgumentError invalid_argument (two ways to sign in)': (world) =>
    // The types forbid it.
    world.userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, connectionId: 'conn_1', redirectUri } as never),
  'getAuthorizationUrl InvalidArgumentError invalid_argument (no way to sign in)': (world) =>
    world.userManagement.getAuthorizationUrl({ redirectUri } as never),
  'getAuthorizationUrl ConfigurationError missing_client_id': (world) =>
    anonymous(world).userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri }),
  'getAuthorizationUrlWithPKCE InvalidArgumentError invalid_argument': (world) =>
    world.userManagement.getAuthorizationUrlWithPKCE({ redirectUri } as never),
  'getAuthorizationUrlWithPKCE ConfigurationError missing_client_id': (world) =>
    anonymous(world).userManagement.getAuthorizationUrlWithPKCE({ provider: HOSTED_LOGIN, redirectUri }),
  'getLogoutUrl InvalidArgumentError invalid_argument': (world) => world.userManagement.getLogoutUrl({} as never),
  'getJwks InvalidArgumentError invalid_argument': (world) => anonymous(world).userManagement.getJwks(),
  'getJwks NotFoundError entity_not_found': (world) => world.userManagement.getJwks('client_none'),
  'getJwksUrl InvalidArgumentError invalid_argument': (world) => anonymous(world).userManagement.getJwksUrl(),
};

/** Refusals by an emulator without users. */
const strangers: Provocations = {
  'authenticateWithCode BadRequestError invalid_grant': (world) =>
    world.userManagement.authenticateWithCode({ code: 'none' }),
  'authenticateWithPassword BadRequestError invalid_credentials': (world) => world.signIn(),
  'authenticateWithMagicAuth BadRequestError invalid_one_time_code': (world) =>
    world.userManagement.authenticateWithMagicAuth({ email, code: '000000' }),
  'authenticateWithEmailVerification BadRequestError invalid_pending_authentication_token': (world) =>
    world.userManagement.authenticateWithEmailVerification({ pendingAuthenticationToken: 'none', code: '123456' }),
  'authenticateWithOrganizationSelection BadRequestError invalid_pending_authentication_token': (world) =>
    world.userManagement.authenticateWithOrganizationSelection({ pendingAuthenticationToken: 'none', organizationId }),
  'getMagicAuth NotFoundError entity_not_found': async (world) => {
    const { id, code } = await world.userManagement.createMagicAuth({ email });
    await world.userManagement.authenticateWithMagicAuth({ email, code });
    return world.userManagement.getMagicAuth(id);
  },
  'sendPasswordResetEmail NotFoundError entity_not_found': (world) =>
    world.userManagement.sendPasswordResetEmail({ email, passwordResetUrl: 'https://app.harbour.test/reset' }),
  'createPasswordReset NotFoundError entity_not_found': (world) => world.userManagement.createPasswordReset({ email }),
  'resetPassword BadRequestError invalid_password_reset_token': (world) =>
    world.userManagement.resetPassword({ token: 'none', newPassword }),
};

const users: Provocations = {
  'authenticateWithCode ForbiddenError user_not_organization_member': async (world) => {
    const code = await world.code({ connectionId: 'conn_northwind' });
    const [membership] = (await world.userManagement.listOrganizationMemberships({ userId: 'user_bruno' })).data;
    await world.userManagement.deleteOrganizationMembership(membership?.id ?? '');
    return world.userManagement.authenticateWithCode({ code });
  },
  'authenticateWithCode SignInStepError organization_selection_required': (world) =>
    byCode(world, () => joinAnother(world)),
  'authenticateWithCode SignInStepError sso_required': (world) =>
    byCode(world, () => demand(world, { ssoRequired: true })),
  'authenticateWithCode SignInStepError organization_authentication_methods_required': (world) =>
    byCode(world, () => demand(world, { authMethods: { magicAuth: true } })),
  'authenticateWithCode SignInStepError email_verification_required': (world) =>
    byCode(world, () => world.userManagement.updateUser({ userId: 'user_bruno', emailVerified: false })),
  'authenticateWithCode SignInStepError mfa_challenge': async (world) => {
    await world.enroll();
    return world.userManagement.authenticateWithCode({ code: await world.code(google) });
  },

  'authenticateWithPassword SignInStepError organization_selection_required': (world) => world.signIn(ada),
  'authenticateWithPassword SignInStepError sso_required': async (world) => {
    await demand(world, { ssoRequired: true });
    return world.signIn();
  },
  'authenticateWithPassword SignInStepError organization_authentication_methods_required': async (world) => {
    await demand(world, { authMethods: { magicAuth: true } });
    return world.signIn();
  },
  'authenticateWithPassword SignInStepError email_verification_required': async (world) => {
    await world.userManagement.updateUser({ userId: 'user_bruno', emailVerified: false });
    return world.signIn();
  },
  'authenticateWithPassword SignInStepError mfa_challenge': async (world) => {
    await world.enroll();
    return world.signIn();
  },
  'authenticateWithPassword SignInStepError mfa_enrollment': async (world) => {
    await demand(world, { mfaRequired: true });
    return world.signIn();
  },

  'authenticateWithMagicAuth SignInStepError organization_selection_required': (world) => byMagicAuth(world, ada.email),
  'authenticateWithMagicAuth SignInStepError sso_required': async (world) => {
    await demand(world, { ssoRequired: true });
    return byMagicAuth(world);
  },
  'authenticateWithMagicAuth SignInStepError organization_authentication_methods_required': async (world) => {
    await demand(world, { authMethods: { password: true } });
    return byMagicAuth(world);
  },
  'authenticateWithMagicAuth SignInStepError mfa_challenge': async (world) => {
    await world.enroll();
    return byMagicAuth(world);
  },
  'authenticateWithMagicAuth SignInStepError mfa_enrollment': async (world) => {
    await demand(world, { mfaRequired: true });
    return byMagicAuth(world);
  },

  'authenticateWithRefreshToken BadRequestError invalid_grant': async (world) => {
    const { refreshToken } = await world.signIn();
    await world.userManagement.authenticateWithRefreshToken({ refreshToken });
    return world.userManagement.authenticateWithRefreshToken({ refreshToken });
  },
  'authenticateWithRefreshToken ForbiddenError user_not_organization_member': async (world) => {
    const { refreshToken } = await world.signIn();
    return world.userManagement.authenticateWithRefreshToken({ refreshToken, organizationId: 'org_tailspin' });
  },
  'authenticateWithRefreshToken SignInStepError sso_required': (world) =>
    switching(world, () => demand(world, { ssoRequired: true })),
  'authenticateWithRefreshToken SignInStepError organization_authentication_methods_required': (world) =>
    switching(world, () => demand(world, { authMethods: { magicAuth: true } })),
  'authenticateWithRefreshToken SignInStepError mfa_challenge': (world) =>
    switching(world, async () => {
      await world.enroll();
      await demand(world, { mfaRequired: true });
    }),
  'authenticateWithRefreshToken SignInStepError mfa_enrollment': (world) =>
    switching(world, () => demand(world, { mfaRequired: true })),

  'authenticateWithEmailVerification BadRequestError invalid_one_time_code': (world) => verifying(world, () => 'wrong'),
  'authenticateWithEmailVerification SignInStepError organization_selection_required': (world) =>
    verifying(world, () => joinAnother(world)),
  'authenticateWithEmailVerification SignInStepError mfa_challenge': (world) => verifying(world, world.enroll),
  'authenticateWithEmailVerification SignInStepError mfa_enrollment': (world) =>
    verifying(world, () => demand(world, { mfaRequired: true })),

  'authenticateWithTotp BadRequestError invalid_one_time_code': async (world) =>
    world.userManagement.authenticateWithTotp({ ...(await factored(world)), code: '000000' }),
  'authenticateWithTotp BadRequestError invalid_pending_authentication_token': async (world) =>
    world.userManagement.authenticateWithTotp({ ...(await factored(world)), pendingAuthenticationToken: 'none' }),
  'authenticateWithTotp NotFoundError entity_not_found': async (world) => {
    const answer = { ...(await factored(world)), authenticationChallengeId: 'auth_challenge_none' };
    return world.userManagement.authenticateWithTotp(answer);
  },
  'authenticateWithTotp UnprocessableError authentication_challenge_previously_verified': async (world) => {
    const answer = await factored(world);
    const { authenticationChallengeId, code } = answer;
    await world.mfa.verifyChallenge({ authenticationChallengeId, code });
    return world.userManagement.authenticateWithTotp(answer);
  },
  'authenticateWithTotp SignInStepError organization_selection_required': async (world) => {
    const answer = await factored(world);
    await joinAnother(world);
    return world.userManagement.authenticateWithTotp(answer);
  },

  'authenticateWithOrganizationSelection ForbiddenError user_not_organization_member': (world) =>
    choosing(world, () => undefined, 'org_litware'),
  'authenticateWithOrganizationSelection SignInStepError sso_required': (world) =>
    choosing(world, () => demand(world, { ssoRequired: true })),
  'authenticateWithOrganizationSelection SignInStepError organization_authentication_methods_required': (world) =>
    choosing(world, () => demand(world, { authMethods: { magicAuth: true } })),
  'authenticateWithOrganizationSelection SignInStepError mfa_challenge': (world) => choosing(world, world.enroll),
  'authenticateWithOrganizationSelection SignInStepError mfa_enrollment': (world) =>
    choosing(world, () => demand(world, { mfaRequired: true })),

  'getPasswordReset NotFoundError entity_not_found': async (world) => {
    const { id, passwordResetToken: token } = await world.userManagement.createPasswordReset({ email });
    await world.userManagement.resetPassword({ token, newPassword });
    return world.userManagement.getPasswordReset(id);
  },
};

export const signingInRows = [
  ...rowsOf('userManagement', { ...urls, ...strangers }),
  ...rowsOf('userManagement', users, { seed: company }),
  ...rowsOf(
    'userManagement',
    {
      'authenticateWithCode SignInStepError mfa_enrollment': async (world) =>
        world.userManagement.authenticateWithCode({ code: await world.code(google) }),
    },
    { seed: company, requireMfa: true },
  ),
  ...rowsOf(
    'userManagement',
    {
      'sendMagicAuthCode BadRequestError sign_up_not_allowed': (world) =>
        world.userManagement.sendMagicAuthCode({ email }),
      'createMagicAuth BadRequestError sign_up_not_allowed': (world) => world.userManagement.createMagicAuth({ email }),
    },
    { allowSignUp: false },
  ),
  ...rowsOf('userManagement', {
    'sealData ConfigurationError invalid_option': (world) => world.userManagement.sealData({}, { password: 'short' }),
    'sealData InvalidArgumentError invalid_argument': (world) =>
      world.userManagement.sealData({ count: 1n }, { password: cookiePassword }),
    'unsealData ConfigurationError invalid_option': (world) =>
      world.userManagement.unsealData('', { password: 'short' }),
  }),

  ...rowsOf('CookieSession', {
    'authenticate ConfigurationError invalid_option': (world) => shortPassword(world).authenticate(),
    'refresh ConfigurationError invalid_option': (world) => shortPassword(world).refresh(),
    'getLogoutUrl ConfigurationError invalid_option': (world) => shortPassword(world).getLogoutUrl(),
    'getLogoutUrl InvalidArgumentError invalid_argument': (world) =>
      world.userManagement.loadSealedSession({ sessionData: '', cookiePassword }).getLogoutUrl(),
  }),
  ...rowsOf(
    'CookieSession',
    {
      'refresh BadRequestError invalid_client': async ({ emulator, userManagement }) => {
        const { fetch, credentials } = emulator;
        const session = { sealSession: true, cookiePassword } as const;
        const { sealedSession: sessionData } = await userManagement.authenticateWithPassword({ ...bruno, session });
        const stranger = new Sallyport({ ...credentials, apiKey: 'sk_test_of_somebody_else', fetch });
        const now = () => emulator.clock.now();
        return stranger.userManagement.loadSealedSession({ sessionData, cookiePassword, now }).refresh();
      },
    },
    { seed: company },
  ),

  ...rowsOf('sso', {
    'getAuthorizationUrl InvalidArgumentError invalid_argument': (world) =>
      world.sso.getAuthorizationUrl({ redirectUri } as never),
    'getAuthorizationUrl ConfigurationError missing_client_id': (world) =>
      anonymous(world).sso.getAuthorizationUrl({ connection: 'conn_1', redirectUri }),
    'getAuthorizationUrlWithPKCE InvalidArgumentError invalid_argument': (world) =>
      world.sso.getAuthorizationUrlWithPKCE({ connection: 'conn_1', organization: 'org_1', redirectUri } as never),
    'getAuthorizationUrlWithPKCE ConfigurationError missing_client_id': (world) =>
      anonymous(world).sso.getAuthorizationUrlWithPKCE({ connection: 'conn_1', redirectUri }),
    'getProfileAndToken BadRequestError invalid_grant': (world) => world.sso.getProfileAndToken({ code: 'none' }),
    'getProfileAndToken UnexpectedResponseError unexpected_response': (world) =>
      answered(world, {}).sso.getProfileAndToken({ code: 'none' }),
    'getProfile UnauthorizedError invalid_token': (world) => world.sso.getProfile({ accessToken: 'none' }),
    'getConnection NotFoundError entity_not_found': (world) => world.sso.getConnection('conn_none'),
    'deleteConnection NotFoundError entity_not_found': (world) => world.sso.deleteConnection('conn_none'),
  }),
  ...rowsOf('userManagement', {
    'authenticateWithMagicAuth UnexpectedResponseError unexpected_response': (world) =>
      answered(world, {}).userManagement.authenticateWithMagicAuth({ email, code: '000000' }),
  }),
  ...rowsOf('legacy', {
    'authenticateWithMagicAuth BadRequestError invalid_one_time_code': (world) =>
      world.legacy.authenticateWithMagicAuth({ email, code: '000000' }),
    'getProfileAndToken UnexpectedResponseError unexpected_response': (world) =>
      answered(world, {}).legacy.getProfileAndToken({ code: 'none' }),
    'getProfileAndToken BadRequestError invalid_grant': (world) => world.legacy.getProfileAndToken({ code: 'none' }),
  }),
  ...rowsOf('legacy.sso', {
    'getAuthorizationUrl InvalidArgumentError invalid_argument': (world) =>
      world.legacy.sso.getAuthorizationUrl({ redirectUri } as never),
    'getAuthorizationUrl ConfigurationError missing_client_id': (world) =>
      anonymous(world).legacy.sso.getAuthorizationUrl({ domain: 'acme.test', redirectUri }),
  }),
];
