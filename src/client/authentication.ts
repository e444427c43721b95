import type { Password } from '../crypto/passwords.js';
import {
  type AuthenticateWithCode,
  type AuthenticateWithEmailVerification,
  type AuthenticateWithMagicAuth,
  type AuthenticateWithOrganizationSelection,
  type AuthenticateWithPassword,
  type AuthenticateWithRefreshToken,
  type AuthenticateWithTotp,
  type AuthenticationResponse,
  type AuthorizationRequest,
  userManagement as api,
  HOSTED_LOGIN,
  type LogoutRequest,
  type MagicAuthSend,
  type PasswordResetConfirm,
  type PasswordResetSend,
} from '../service/authentication.js';
import type { Operation } from '../service/describe/operation.js';
import { type MagicAuth, type MagicAuthCreate, magicAuths } from '../service/magic-auth.js';
import { type PasswordReset, type PasswordResetCreate, passwordResets } from '../service/password-reset.js';
import type { UserResponse } from '../service/users.js';
import { Call } from '../transport/call.js';
import { given } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/options.js';
import { askingFor, authorizeWithPkce, type OneOf, oneSelector, type PkceAuthorization } from './authorization.js';
import { Invitations } from './invitations.js';

/** The ways to say how the user signs in. */
interface SignInSelectors {
  /** By this connection. */
  connectionId: string;
  /** By the one connection of this organization. */
  organizationId: string;
  /** By a social provider, or with `HOSTED_LOGIN` at the hosted page, where users choose themselves. */
  provider: NonNullable<AuthorizationRequest['provider']>;
}
/** How the user signs in: by one connection, by the connection of one organization, or by a provider. */
export type SignInSelector = OneOf<SignInSelectors>;

/** What an authorization URL may say besides how the user signs in. */
export interface AuthorizationOptions
  extends Omit<AuthorizationRequest, 'responseType' | 'clientId' | keyof SignInSelectors> {
  /** The client that asks; default: the one this client was made with. */
  readonly clientId?: string;
}

/** What `getAuthorizationUrlWithPKCE` takes: the challenge is made for you. */
export interface PkceAuthorizationOptions extends Omit<AuthorizationOptions, 'codeChallenge' | 'codeChallengeMethod'> {}

/** Asks for the session that is answered as a value for a cookie, too. */
export interface SealSession {
  readonly sealSession: true;
  /** Password to seal with, 32 characters or more; of a list the first. It stays here. */
  readonly cookiePassword: Password;
}

/** A user who has signed in, and the session's tokens, also as a value for a cookie. */
export interface SealedAuthenticationResponse extends AuthenticationResponse {
  /** Value for the session's cookie, for `loadSealedSession`. */
  readonly sealedSession: string;
}

interface Sealable<Seal> {
  /** Seal the session that is answered. */
  readonly session?: Seal;
}
type Authenticated<Seal> = Seal extends SealSession ? SealedAuthenticationResponse : AuthenticationResponse;

/** The methods of `userManagement` that are about signing in, and all above. */
export abstract class Authentication extends Invitations {
  /**
   * Address to send the user's browser to for signing in; nothing is sent by this call. The user comes back to
   * `redirectUri` with `code`, for `authenticateWithCode`, or with `error` and `error_description`; and with your `state`.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {InvalidArgumentError} None or several of connectionId, organizationId and provider are given, or a field is wrong.
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
    const { connectionId, organizationId, provider, ...rest } = given(options);
    const wireProvider = provider === HOSTED_LOGIN ? this.transport.dialect.hostedProvider : provider;
    return this.address(api.authorize, {
      ...askingFor(method, rest, this.transport.clientId),
      ...oneSelector(method, { connectionId, organizationId, provider: wireProvider }),
    });
  }

  /**
   * Address to send the user's browser to, with a PKCE challenge, and the `codeVerifier` and `state` to keep until the
   * user comes back. The way for public clients, which have no API key, and an additional safeguard for the others.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {InvalidArgumentError} None or several of connectionId, organizationId and provider are given, or a field is wrong.
   * @throws {ConfigurationError} The client has no client id.
   * @example
   * const { url, state, codeVerifier } = await sallyport.userManagement.getAuthorizationUrlWithPKCE({
   *   provider: 'GoogleOAuth',
   *   redirectUri: 'https://app.acme.test/callback',
   * });
   */
  async getAuthorizationUrlWithPKCE(options: PkceAuthorizationOptions & SignInSelector): Promise<PkceAuthorization> {
    return authorizeWithPkce((pkce) => this.getAuthorizationUrl({ ...given(options), ...pkce }), given(options).state);
  }

  /**
   * The user who came back with this code, and the session's tokens. A code works once.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The code is wrong, used or too old, or the code verifier is another's.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {SsoRequiredError} The organization lets its users sign in by SSO only.
   * @throws {AuthenticationMethodsRequiredError} The organization does not allow this way of signing in.
   * @throws {EmailVerificationRequiredError} The address has to be verified; a code was mailed.
   * @throws {MfaChallengeError} A second factor is asked for.
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
    return this.#authenticate(api.authenticateWithCode, payload, options);
  }

  /**
   * The user with this address and password, and the session's tokens. At most ten tries in a minute for an address.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The address or the password is wrong; which of them is not said.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {SsoRequiredError} The organization lets its users sign in by SSO only.
   * @throws {AuthenticationMethodsRequiredError} The organization does not allow this way of signing in.
   * @throws {EmailVerificationRequiredError} The address has to be verified; a code was mailed.
   * @throws {MfaChallengeError} A second factor is asked for.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   * @throws {RateLimitError} Too many tries.
   * @example
   * const { user } = await sallyport.userManagement.authenticateWithPassword({ email: 'ada@acme.test', password });
   */
  authenticateWithPassword<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithPassword & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api.authenticateWithPassword, payload, options);
  }

  /**
   * The user who read the code from `sendMagicAuthCode`, and the session's tokens. The code works once, for ten minutes.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The code is wrong, used or too old, or was tried too often.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {SsoRequiredError} The organization lets its users sign in by SSO only.
   * @throws {AuthenticationMethodsRequiredError} The organization does not allow this way of signing in.
   * @throws {MfaChallengeError} A second factor is asked for.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   * @throws {RateLimitError} Too many tries.
   */
  authenticateWithMagicAuth<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithMagicAuth & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api.authenticateWithMagicAuth, payload, options);
  }

  /**
   * The session's next tokens. The refresh token is replaced: keep the one that is answered, and let two requests never
   * use the same one. With `organizationId` the session moves to another organization of the user.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The refresh token is wrong, used or too old, or the session was ended: sign in again.
   * @throws {SsoRequiredError} The organization lets its users sign in by SSO only.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   */
  authenticateWithRefreshToken<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithRefreshToken & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api.authenticateWithRefreshToken, payload, options);
  }

  /**
   * The user, whose address is now verified, and the session's tokens: the sign-in that `EmailVerificationRequiredError`
   * interrupted goes on.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The code or the pending token is wrong, used or too old.
   * @throws {OrganizationSelectionRequiredError} The user has to choose an organization.
   * @throws {MfaChallengeError} A second factor is asked for.
   * @throws {MfaEnrollmentError} The user has to enroll a second factor first.
   */
  authenticateWithEmailVerification<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithEmailVerification & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api.authenticateWithEmailVerification, payload, options);
  }

  /**
   * The user and the session's tokens: the sign-in that `MfaChallengeError` interrupted goes on with the code of an
   * authenticator app.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The code or the pending token is wrong, used or too old.
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
    return this.#authenticate(api.authenticateWithTotp, payload, options);
  }

  /**
   * The user and the session's tokens, in the organization that was chosen: the sign-in that
   * `OrganizationSelectionRequiredError` interrupted goes on.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The pending token is wrong, used or too old, or the user does not belong to the organization.
   * @throws {SsoRequiredError} The organization lets its users sign in by SSO only.
   * @throws {AuthenticationMethodsRequiredError} The organization does not allow the way that was used.
   * @throws {MfaChallengeError} A second factor is asked for.
   */
  authenticateWithOrganizationSelection<Seal extends SealSession | undefined = undefined>(
    payload: AuthenticateWithOrganizationSelection & Sealable<Seal>,
    options?: RequestOptions,
  ): Call<Authenticated<Seal>> {
    return this.#authenticate(api.authenticateWithOrganizationSelection, payload, options);
  }

  /**
   * Nothing; a one-time code was mailed that works for ten minutes, with `authenticateWithMagicAuth`. At most three in a
   * minute for an address.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {RateLimitError} Too many codes were asked for.
   * @example
   * await sallyport.userManagement.sendMagicAuthCode({ email: 'ada@acme.test' });
   */
  sendMagicAuthCode(payload: MagicAuthSend, options?: RequestOptions): Call<void> {
    return this.send(api.sendMagicAuth, { body: payload }, options);
  }

  /**
   * A one-time code that works for ten minutes, with `authenticateWithMagicAuth`, for sending it in a mail of your own.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {RateLimitError} Too many codes were asked for.
   */
  createMagicAuth(payload: MagicAuthCreate, options?: RequestOptions): Call<MagicAuth> {
    return this.send(magicAuths.create, { body: payload }, options);
  }

  /**
   * A one-time code to sign in with.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {NotFoundError} No code has this id, or it was used.
   */
  getMagicAuth(id: string, options?: RequestOptions): Call<MagicAuth> {
    return this.send(magicAuths.get, { params: { id } }, options);
  }

  /**
   * Nothing; a link to your page was mailed, with `token` in its query, for `resetPassword`. At most three in a minute for
   * an address.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {RateLimitError} Too many links were asked for.
   */
  sendPasswordResetEmail(payload: PasswordResetSend, options?: RequestOptions): Call<void> {
    return this.send(api.sendPasswordReset, { body: payload }, options);
  }

  /**
   * A token to set a new password with, for sending it in a mail of your own; see `resetPassword`.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {NotFoundError} No user has this address.
   * @throws {RateLimitError} Too many tokens were asked for.
   */
  createPasswordReset(payload: PasswordResetCreate, options?: RequestOptions): Call<PasswordReset> {
    return this.send(passwordResets.create, { body: payload }, options);
  }

  /**
   * A token to set a new password with.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {NotFoundError} No password reset has this id, or it was used.
   */
  getPasswordReset(id: string, options?: RequestOptions): Call<PasswordReset> {
    return this.send(passwordResets.get, { params: { id } }, options);
  }

  /**
   * The user, who has the new password from now on. The token from the mail works once.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {BadRequestError} The token is wrong, used or too old, or the password is too weak.
   * @throws {NotFoundError} No password reset has this token.
   */
  resetPassword(payload: PasswordResetConfirm, options?: RequestOptions): Call<UserResponse> {
    return this.send(api.confirmPasswordReset, { body: payload }, options);
  }

  /**
   * Address to send the user's browser to for ending a session; nothing is sent by this call. The session's id is the
   * `sid` claim of its access token.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {InvalidArgumentError} The session's id is missing.
   * @example
   * const url = sallyport.userManagement.getLogoutUrl({ sessionId, returnTo: 'https://app.acme.test' });
   */
  getLogoutUrl(payload: LogoutRequest): string {
    return this.address(api.logout, given(payload));
  }
  #authenticate<Seal>(
    operation: Operation,
    payload: Sealable<SealSession | undefined>,
    options: RequestOptions | undefined,
  ): Call<Authenticated<Seal>> {
    const { session, ...body } = given(payload);
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
