import type { Password } from '../crypto/seal.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { allowedWithHosted } from '../oauth/selector.js';
import {
  type AuthorizationRequest,
  userManagementAddresses as addresses,
  HOSTED_LOGIN,
  type LogoutRequest,
} from '../service/addresses.js';
import type {
  AuthenticateWithCode,
  AuthenticateWithEmailVerification,
  AuthenticateWithMagicAuth,
  AuthenticateWithOrganizationSelection,
  AuthenticateWithPassword,
  AuthenticateWithRefreshToken,
  AuthenticateWithTotp,
  AuthenticationResponse,
  MagicAuthSend,
  PasswordResetConfirm,
  PasswordResetSend,
} from '../service/authentication.js';
import type { Dialect } from '../service/describe/dialect.js';
import type { MagicAuth, MagicAuthCreate } from '../service/magic-auth.js';
import type { PasswordReset, PasswordResetCreate } from '../service/password-reset.js';
import type { UserResponse } from '../service/users.js';
import { Call } from '../transport/answer/call.js';
import { orEmpty } from '../transport/namespace.js';
import type { ExtraQuery, RequestOptions } from '../transport/request/options.js';
import type { Loadable } from '../transport/types.js';
import {
  authorizationQuery,
  authorizeWithPkce,
  type OneOf,
  oneSelector,
  type PkceAuthorization,
} from './authorization.js';
import { Invitations } from './invitations.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('userManagement');
const magicAuths = userManagementRooms('magicAuths');
const passwordResets = userManagementRooms('passwordResets');

/** Ways to select how the user signs in. Callers pass one. */
interface SignInSelectors {
  /** Id of the connection to sign in with, prefix `conn_`. */
  connectionId: string;
  /** Id of the organization, prefix `org_`. The user signs in with its only connection. */
  organizationId: string;
  /** Social provider to sign in with, or `HOSTED_LOGIN` for the hosted page, where users choose how to sign in. */
  provider: NonNullable<AuthorizationRequest['provider']>;
}
/**
 * How the user signs in: with a connection, the connection of an organization, or a provider. In the `workos` dialect,
 * the hosted page also accepts an organization.
 */
export type SignInSelector =
  | OneOf<SignInSelectors>
  | {
      readonly provider: typeof HOSTED_LOGIN | 'authkit';
      readonly organizationId?: string | null | undefined;
      readonly connectionId?: null | undefined;
    };

/** Parameters of `getAuthorizationUrl`, without the sign-in selector. */
export interface AuthorizationOptions
  extends ExtraQuery,
    Omit<AuthorizationRequest, 'responseType' | 'clientId' | keyof SignInSelectors> {
  /** Client id; default: the one this client was created with. */
  readonly clientId?: string | null | undefined;
}

/** Parameters of `getAuthorizationUrlWithPKCE`, without the sign-in selector. The client creates the challenge. */
export interface PkceAuthorizationOptions extends Omit<AuthorizationOptions, 'codeChallenge' | 'codeChallengeMethod'> {}

/** Also returns the session sealed for a cookie. With `createSessions`, call `sessions.create(tokens)` instead. */
export interface SealSession {
  readonly sealSession: true;
  /**
   * Password that seals the session, at least 32 characters; the first one of a list is used. It is never sent to the
   * service. Default: `SALLYPORT_COOKIE_PASSWORD`.
   */
  readonly cookiePassword?: Password | undefined;
}

/** A signed-in user with the session's tokens and its cookie value. */
export interface SealedAuthenticationResponse extends AuthenticationResponse {
  /** Value of the session's cookie, for `loadSealedSession`. */
  readonly sealedSession: string;
}

interface Sealable<Seal> {
  /** Option to seal the session of the response. */
  readonly session?: Seal | undefined;
}
type Authenticated<Seal> = Seal extends SealSession ? SealedAuthenticationResponse : AuthenticationResponse;

/** The `userManagement` methods for signing in. */
export abstract class Authentication extends Invitations {
  /**
   * Build the URL that starts a sign-in, to redirect the user's browser to. The user returns to `redirectUri` with your
   * `state` and either a `code` for `authenticateWithCode`, or `error` and `error_description`. This sends no request.
   *
   * @throws {InvalidArgumentError} None or several of `connectionId`, `organizationId` and `provider` are passed.
   * @throws {ConfigurationError} The client has no client id.
   * @example
   * const url = sallyport.userManagement.getAuthorizationUrl({
   *   provider: HOSTED_LOGIN,
   *   redirectUri: 'https://app.acme.test/callback',
   *   state,
   * });
   */
  getAuthorizationUrl(options: AuthorizationOptions & SignInSelector): string {
    const method = 'userManagement.getAuthorizationUrl';
    const { connectionId, organizationId, provider, ...rest } = orEmpty(options);
    const wireProvider = provider === HOSTED_LOGIN ? this.transport.config.dialect.hostedProvider : provider;
    const companion = allowedWithHosted(this.transport.config.dialect, wireProvider);
    return this.address(addresses.authorize, {
      ...authorizationQuery(method, rest, this.transport.config.clientId),
      ...oneSelector(method, { connectionId, organizationId, provider: wireProvider }, companion),
      ...(companion && organizationId && { organizationId }),
    });
  }

  /**
   * Build the URL that starts a sign-in with PKCE, and the `codeVerifier` and `state` to keep until the user returns.
   * Public clients, which have no API key, need this; for others it adds security. This sends no request.
   *
   * @throws {InvalidArgumentError} None or several of `connectionId`, `organizationId` and `provider` are passed.
   * @throws {ConfigurationError} The client has no client id.
   * @example
   * const { url, state, codeVerifier } = await sallyport.userManagement.getAuthorizationUrlWithPKCE({
   *   provider: 'GoogleOAuth',
   *   redirectUri: 'https://app.acme.test/callback',
   * });
   */
  async getAuthorizationUrlWithPKCE(options: PkceAuthorizationOptions & SignInSelector): Promise<PkceAuthorization> {
    return authorizeWithPkce(
      (pkce) => this.getAuthorizationUrl({ ...orEmpty(options), ...pkce }),
      orEmpty(options).state,
    );
  }

  /**
   * Sign in the user who returned with this code. A code works once.
   *
   * @throws {BadRequestError} The code is unknown, was used or has expired, or belongs to another code verifier.
   * @throws {ForbiddenError} The user is not an active member of the organization they are signing in to.
   * @throws {SignInStepError} Another step is required: `organization_selection_required`, `sso_required`,
   * `organization_authentication_methods_required`, `email_verification_required`, `mfa_challenge` or
   * `mfa_enrollment`.
   * @example
   * const { user, sealedSession } = await sallyport.userManagement.authenticateWithCode({
   *   code,
   *   session: { sealSession: true, cookiePassword },
   * });
   */
  authenticateWithCode<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithCode & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithCode'), payload, options);
  }

  /**
   * Sign a user in with their email address and password. Limit: 10 attempts per minute and address.
   *
   * @throws {BadRequestError} The email address or the password is wrong; the error does not reveal which.
   * @throws {SignInStepError} Another step is required: `organization_selection_required`, `sso_required`,
   * `organization_authentication_methods_required`, `email_verification_required`, `mfa_challenge` or
   * `mfa_enrollment`.
   * @example
   * const { user } = await sallyport.userManagement.authenticateWithPassword({ email: 'ada@acme.test', password });
   */
  authenticateWithPassword<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithPassword & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithPassword'), payload, options);
  }

  /**
   * Sign a user in with the code from `createMagicAuth` or `sendMagicAuthCode`. The code works once, for ten minutes.
   *
   * @throws {UnexpectedResponseError} The service responds in the older form, without tokens. Call
   * `legacy.authenticateWithMagicAuth`.
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   * @throws {SignInStepError} Another step is required: `organization_selection_required`, `sso_required`,
   * `organization_authentication_methods_required`, `mfa_challenge` or `mfa_enrollment`.
   */
  authenticateWithMagicAuth<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithMagicAuth & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithMagicAuth'), payload, options);
  }

  /**
   * Get the next tokens of a session. Each refresh token works once: keep the new one from the response, and never use
   * one in two requests. Pass `organizationId` to switch the session to another organization of the user.
   *
   * @throws {BadRequestError} The refresh token is unknown, was used or has expired, or the session has ended: let the
   * user sign in again.
   * @throws {ForbiddenError} The user is not an active member of `organizationId`.
   * @throws {SignInStepError} The session cannot switch without another step: `sso_required`,
   * `organization_authentication_methods_required`, `mfa_challenge` or `mfa_enrollment`.
   */
  authenticateWithRefreshToken<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithRefreshToken & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithRefreshToken'), payload, options);
  }

  /**
   * Verify the user's email address and continue a sign-in that needs `email_verification_required`.
   *
   * @throws {BadRequestError} The code or the pending token is wrong, was used or has expired.
   * @throws {SignInStepError} Another step is required: `organization_selection_required`, `mfa_challenge` or
   * `mfa_enrollment`.
   */
  authenticateWithEmailVerification<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithEmailVerification & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithEmailVerification'), payload, options);
  }

  /**
   * Continue a sign-in that needs `mfa_challenge` or `mfa_enrollment`, with a code from an authenticator app.
   *
   * @throws {BadRequestError} The code or the pending token is wrong, was used or has expired.
   * @throws {NotFoundError} The user has no such challenge.
   * @throws {UnprocessableError} The challenge was already answered or has expired, or the code is not six digits.
   * @throws {SignInStepError} Another step is required: `organization_selection_required`.
   * @example
   * const [factor] = error.step.authenticationFactors;
   * const challenge = await sallyport.mfa.challengeFactor({ authenticationFactorId: factor.id });
   * await sallyport.userManagement.authenticateWithTotp({
   *   code,
   *   pendingAuthenticationToken: error.pendingAuthenticationToken,
   *   authenticationChallengeId: challenge.id,
   * });
   */
  authenticateWithTotp<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithTotp & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithTotp'), payload, options);
  }

  /**
   * Continue a sign-in that needs `organization_selection_required`, in the organization that the user chose.
   *
   * @throws {BadRequestError} The pending token is unknown, was used or has expired.
   * @throws {ForbiddenError} The user is not an active member of the organization.
   * @throws {SignInStepError} Another step is required: `sso_required`,
   * `organization_authentication_methods_required`, `mfa_challenge` or `mfa_enrollment`.
   */
  authenticateWithOrganizationSelection<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithOrganizationSelection & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithOrganizationSelection'), payload, options);
  }

  /**
   * Email a one-time code for `authenticateWithMagicAuth`. It works for ten minutes. Limit: 3 emails per minute and
   * address.
   *
   * @throws {BadRequestError} No user has this email address, and sign-up is disabled.
   * @example
   * await sallyport.userManagement.sendMagicAuthCode({ email: 'ada@acme.test' });
   */
  sendMagicAuthCode(payload: MagicAuthSend, options?: RequestOptions): Call<void> {
    return this.send(api('sendMagicAuth'), { body: payload }, options);
  }

  /**
   * Create a one-time code for `authenticateWithMagicAuth` that you email yourself. It works for ten minutes.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {BadRequestError} No user has this email address, and sign-up is disabled.
   */
  createMagicAuth(payload: MagicAuthCreate, options?: RequestOptions): Call<MagicAuth> {
    return this.send(magicAuths('create'), { body: payload }, options);
  }

  /**
   * Get a one-time code by id.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No code has this id, or it was used.
   */
  getMagicAuth(id: string, options?: RequestOptions): Call<MagicAuth> {
    return this.send(magicAuths('get'), { params: { id } }, options);
  }

  /**
   * Email a link to your page that asks for a new password. The link has a `token` for `resetPassword` in its query.
   * Limit: 3 emails per minute and address.
   *
   * @throws {NotFoundError} No user has this email address.
   */
  sendPasswordResetEmail(payload: PasswordResetSend, options?: RequestOptions): Call<void> {
    return this.send(api('sendPasswordReset'), { body: payload }, options);
  }

  /**
   * Create a token for `resetPassword` that you email yourself.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No user has this email address.
   */
  createPasswordReset(payload: PasswordResetCreate, options?: RequestOptions): Call<PasswordReset> {
    return this.send(passwordResets('create'), { body: payload }, options);
  }

  /**
   * Get a password reset by id.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No password reset has this id, or it was used.
   */
  getPasswordReset(id: string, options?: RequestOptions): Call<PasswordReset> {
    return this.send(passwordResets('get'), { params: { id } }, options);
  }

  /**
   * Set a new password with the token from the email. A token works once.
   *
   * @throws {BadRequestError} The token is unknown, was used or has expired, or the password is too weak.
   */
  resetPassword(payload: PasswordResetConfirm, options?: RequestOptions): Call<UserResponse> {
    return this.send(api('confirmPasswordReset'), { body: payload }, options);
  }

  /**
   * Build the URL that ends a session, to redirect the user's browser to. The session id is the `sid` claim of the
   * access token. This sends no request.
   *
   * @throws {InvalidArgumentError} The session id is missing.
   * @example
   * const url = sallyport.userManagement.getLogoutUrl({ sessionId, returnTo: 'https://app.acme.test' });
   */
  getLogoutUrl(payload: LogoutRequest & ExtraQuery): string {
    return this.address(addresses.logout, orEmpty(payload));
  }

  #authenticate<Seal>(
    operation: Loadable,
    payload: Sealable<SealSession | undefined>,
    options: RequestOptions | undefined,
  ): Call<Authenticated<Seal>> {
    const { session, ...body } = orEmpty(payload);
    // All seven grants return the same response.
    const send = () => this.transport.send(operation, { body }, options) as Call<AuthenticationResponse>;
    // `Seal` is set if and only if there is a `session`.
    return (session ? sealed(session, this.transport.config.dialect, send) : send()) as Call<Authenticated<Seal>>;
  }
}

function sealed(
  session: SealSession,
  dialect: Dialect,
  send: () => Call<AuthenticationResponse>,
): Call<SealedAuthenticationResponse> {
  const run = async () => {
    checkArgumentNames('session', session, { sealSession: 1, cookiePassword: 1 });
    // Loaded on demand: most programs that sign users in seal no session here.
    const { sessionSealerFor } = await import('./seals.js');
    // Check the password first: a code works only once.
    const seal = sessionSealerFor(session.cookiePassword, dialect);
    const { data, response } = await send().withResponse();
    return { data: { ...data, sealedSession: await seal(data) }, response };
  };
  const answer = run();
  return new Call(() => answer);
}
