import type { Password } from '../crypto/passwords.js';
import { besideHosted } from '../oauth/selector.js';
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
import type { MagicAuth, MagicAuthCreate } from '../service/magic-auth.js';
import type { PasswordReset, PasswordResetCreate } from '../service/password-reset.js';
import type { UserResponse } from '../service/users.js';
import type { Loadable } from '../transport/at-first-call.js';
import { Call } from '../transport/call.js';
import { orEmpty } from '../transport/namespace.js';
import type { ExtraQuery, RequestOptions } from '../transport/options.js';
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

/** The ways to say how the user signs in. */
interface SignInSelectors {
  /** By this connection. */
  connectionId: string;
  /** By the one connection of this organization. */
  organizationId: string;
  /** By a social provider, or with `HOSTED_LOGIN` at the hosted page, where users choose themselves. */
  provider: NonNullable<AuthorizationRequest['provider']>;
}
/**
 * How the user signs in: by one connection, by the connection of one organization, or by a provider. In dialect `workos` the
 * hosted page may be told the organization too.
 */
export type SignInSelector =
  | OneOf<SignInSelectors>
  | {
      readonly provider: typeof HOSTED_LOGIN | 'authkit';
      readonly organizationId?: string | null | undefined;
      readonly connectionId?: null | undefined;
    };

/** What `getAuthorizationUrl` takes besides how the user signs in. */
export interface AuthorizationOptions
  extends ExtraQuery,
    Omit<AuthorizationRequest, 'responseType' | 'clientId' | keyof SignInSelectors> {
  /** The client that asks; default: the one this client was made with. */
  readonly clientId?: string | null | undefined;
}

/** What `getAuthorizationUrlWithPKCE` takes besides how the user signs in; the challenge is made for you. */
export interface PkceAuthorizationOptions extends Omit<AuthorizationOptions, 'codeChallenge' | 'codeChallengeMethod'> {}

/** Asks for the session as a value for a cookie too. */
export interface SealSession {
  readonly sealSession: true;
  /** Password to seal with, 32 characters or more; of a list the first. It stays here. Else `SALLYPORT_COOKIE_PASSWORD`. */
  readonly cookiePassword?: Password | undefined;
}

/** A user who has signed in, with the session's tokens and the value for its cookie. */
export interface SealedAuthenticationResponse extends AuthenticationResponse {
  /** Value for the session's cookie, for `loadSealedSession`. */
  readonly sealedSession: string;
}

interface Sealable<Seal> {
  /** Seal the session that is answered. */
  readonly session?: Seal | undefined;
}
type Authenticated<Seal> = Seal extends SealSession ? SealedAuthenticationResponse : AuthenticationResponse;

/** The methods of `userManagement` for signing in, and all above. */
export abstract class Authentication extends Invitations {
  /**
   * Build the address that starts a sign-in; send the user's browser there. The user comes back to `redirectUri` with
   * your `state` and either `code`, for `authenticateWithCode`, or `error` and `error_description`. This sends no
   * request.
   *
   * @throws {InvalidArgumentError} None or several of `connectionId`, `organizationId` and `provider` are given.
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
    const wireProvider = provider === HOSTED_LOGIN ? this.transport.dialect.hostedProvider : provider;
    const beside = besideHosted(this.transport.dialect, wireProvider);
    return this.address(addresses.authorize, {
      ...authorizationQuery(method, rest, this.transport.clientId),
      ...oneSelector(method, { connectionId, organizationId, provider: wireProvider }, beside),
      ...(beside && organizationId && { organizationId }),
    });
  }

  /**
   * Build the address that starts a sign-in with PKCE, together with the `codeVerifier` and `state` to keep until the
   * user comes back. Public clients, which have no API key, need this; for others it is an additional safeguard. This
   * sends no request.
   *
   * @throws {InvalidArgumentError} None or several of `connectionId`, `organizationId` and `provider` are given.
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
   * Sign in the user who came back with this code. A code works once.
   *
   * @throws {BadRequestError} The code is unknown, was used or has expired, or belongs to another code verifier.
   * @throws {ForbiddenError} The user is not an active member of the organization that the sign-in is for.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {SsoRequiredError} The organization that owns the address's domain requires SSO.
   * @throws {AuthenticationMethodsRequiredError} The organization that owns the address's domain does not allow this
   * way to sign in.
   * @throws {EmailVerificationRequiredError} The user has to verify the address; a code was emailed.
   * @throws {MfaChallengeError} The user has to prove a second factor.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
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
   * Sign a user in with their address and password. At most ten attempts a minute for each address.
   *
   * @throws {BadRequestError} The address or the password is wrong; the error does not say which.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {SsoRequiredError} The organization that owns the address's domain requires SSO.
   * @throws {AuthenticationMethodsRequiredError} The organization that owns the address's domain does not allow this
   * way to sign in.
   * @throws {EmailVerificationRequiredError} The user has to verify the address; a code was emailed.
   * @throws {MfaChallengeError} The user has to prove a second factor.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
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
   * Sign a user in with the code from `sendMagicAuthCode`. The code works once, for ten minutes.
   *
   * A service that answers in the earlier form gives an `EarlierMagicAuthResponse`: the user and the organization, and no
   * tokens.
   *
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {SsoRequiredError} The organization that owns the address's domain requires SSO.
   * @throws {AuthenticationMethodsRequiredError} The organization that owns the address's domain does not allow this
   * way to sign in.
   * @throws {MfaChallengeError} The user has to prove a second factor.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   */
  authenticateWithMagicAuth<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithMagicAuth & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithMagicAuth'), payload, options);
  }

  /**
   * Get a session's next tokens. The refresh token is replaced each time: keep the one that is returned, and never
   * use the same one in two requests. With `organizationId` the session moves to another organization of the user.
   *
   * @throws {BadRequestError} The refresh token is unknown, was used or has expired, or the session has ended: let the
   * user sign in again.
   * @throws {ForbiddenError} The user is not an active member of `organizationId`.
   * @throws {SsoRequiredError} The session cannot switch, because the organization that owns the address's domain
   * requires SSO.
   * @throws {AuthenticationMethodsRequiredError} The session cannot switch, because the organization that owns the
   * address's domain does not allow the way the user signed in.
   * @throws {MfaChallengeError} The session cannot switch before the user has proven a second factor.
   * @throws {MfaEnrollmentError} The session cannot switch before the user has enrolled a second factor.
   */
  authenticateWithRefreshToken<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithRefreshToken & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithRefreshToken'), payload, options);
  }

  /**
   * Verify the user's address and continue the sign-in that `EmailVerificationRequiredError` interrupted.
   *
   * @throws {BadRequestError} The code or the pending token is wrong, was used or has expired.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {MfaChallengeError} The user has to prove a second factor.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   */
  authenticateWithEmailVerification<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithEmailVerification & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithEmailVerification'), payload, options);
  }

  /**
   * Continue the sign-in that `MfaChallengeError` interrupted, with the code of an authenticator app.
   *
   * @throws {BadRequestError} The code or the pending token is wrong, was used or has expired.
   * @throws {NotFoundError} The user has no such challenge.
   * @throws {UnprocessableError} The challenge was already answered or has expired, or the code is not six digits.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @example
   * const [factor] = error.authenticationFactors;
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
   * Continue the sign-in that `OrganizationSelectionRequiredError` interrupted, in the organization that the user
   * chose.
   *
   * @throws {BadRequestError} The pending token is unknown, was used or has expired.
   * @throws {ForbiddenError} The user is not an active member of the organization.
   * @throws {SsoRequiredError} The organization that owns the address's domain requires SSO.
   * @throws {AuthenticationMethodsRequiredError} The organization that owns the address's domain does not allow this
   * way to sign in.
   * @throws {MfaChallengeError} The user has to prove a second factor.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   */
  authenticateWithOrganizationSelection<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithOrganizationSelection & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api('authenticateWithOrganizationSelection'), payload, options);
  }

  /**
   * Email a one-time code for `authenticateWithMagicAuth`. It works for ten minutes. At most three emails a minute
   * for each address.
   *
   * @throws {BadRequestError} Nobody has this address, and people cannot sign up by themselves.
   * @example
   * await sallyport.userManagement.sendMagicAuthCode({ email: 'ada@acme.test' });
   */
  sendMagicAuthCode(payload: MagicAuthSend, options?: RequestOptions): Call<void> {
    return this.send(api('sendMagicAuth'), { body: payload }, options);
  }

  /**
   * Create a one-time code for `authenticateWithMagicAuth`, to send in an email of your own. It works for ten
   * minutes.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {BadRequestError} Nobody has this address, and people cannot sign up by themselves.
   */
  createMagicAuth(payload: MagicAuthCreate, options?: RequestOptions): Call<MagicAuth> {
    return this.send(magicAuths('create'), { body: payload }, options);
  }

  /**
   * Get a one-time code by id.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {NotFoundError} No code has this id, or it was used.
   */
  getMagicAuth(id: string, options?: RequestOptions): Call<MagicAuth> {
    return this.send(magicAuths('get'), { params: { id } }, options);
  }

  /**
   * Email a link to your page for a new password. The link carries `token` in its query, for `resetPassword`. At most
   * three emails a minute for each address.
   *
   * @throws {NotFoundError} No user has this address.
   */
  sendPasswordResetEmail(payload: PasswordResetSend, options?: RequestOptions): Call<void> {
    return this.send(api('sendPasswordReset'), { body: payload }, options);
  }

  /**
   * Create a token for `resetPassword`, to send in an email of your own.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {NotFoundError} No user has this address.
   */
  createPasswordReset(payload: PasswordResetCreate, options?: RequestOptions): Call<PasswordReset> {
    return this.send(passwordResets('create'), { body: payload }, options);
  }

  /**
   * Get a password reset by id.
   *
   * Not every deployment of the service offers this.
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
   * Build the address that ends a session; send the user's browser there. The session's id is the `sid` claim of its
   * access token. This sends no request.
   *
   * @throws {InvalidArgumentError} The session's id is missing.
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
    // The seven have one answer between them.
    const send = () => this.transport.send(operation, { body }, options) as Call<AuthenticationResponse>;
    // Whether there is a `session` is what `Seal` says.
    return (session ? sealed(session, send) : send()) as Call<Authenticated<Seal>>;
  }
}

function sealed(
  { cookiePassword }: SealSession,
  send: () => Call<AuthenticationResponse>,
): Call<SealedAuthenticationResponse> {
  const run = async () => {
    const { sessionSealerFor } = await import('./seals.js');
    // A password that cannot seal has to be found out before a code is spent.
    const seal = sessionSealerFor(cookiePassword);
    const { data, response } = await send().withResponse();
    return { data: { ...data, sealedSession: await seal(data) }, response };
  };
  return new Call(run());
}
