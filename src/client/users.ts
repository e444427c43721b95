import { InvalidArgumentError } from '../errors/index.js';
import type { AuthenticationFactor } from '../service/mfa.js';
import {
  type AuthorizedConnectApplication,
  users as api,
  type EmailChange,
  type EmailChangeConfirmation,
  type EmailChangeSend,
  type FactorEnrollment,
  type Identity,
  type OneTimeCode,
  type User,
  type UserCreate,
  type UserFactorEnroll,
  type UserFilter,
  type UserResponse,
  type UserUpdate,
} from '../service/users.js';
import { Call } from '../transport/call.js';
import { given, Namespace } from '../transport/namespace.js';
import type { ListParams, RequestOptions } from '../transport/options.js';
import type { Pages } from '../transport/pages.js';

/** Names the user that a method is about. */
export interface OfUser {
  /** Id of the user. */
  readonly userId: string;
}

/** The methods of `userManagement` that are about users. */
export abstract class Users extends Namespace {
  /**
   * Users, newest first. Await it for one page; iterate it for all of them.
   *
   * Specification: Endpoints > Users.
   *
   * @example
   * const { data } = await sallyport.userManagement.listUsers({ email: 'ada@acme.test' });
   */
  listUsers(params: UserFilter & ListParams = {}, options?: RequestOptions): Pages<User> {
    return this.pages(api.list, { query: params }, options);
  }

  /**
   * One user.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   */
  getUser(userId: string, options?: RequestOptions): Call<User> {
    return this.send(api.get, { params: { id: userId } }, options);
  }

  /**
   * The user with an id of your own.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this external id.
   */
  getUserByExternalId(externalId: string, options?: RequestOptions): Call<User> {
    return this.send(api.getByExternalId, { params: { externalId } }, options);
  }

  /**
   * A new user. Nothing is mailed. Give a `password`, a `passwordHash` from where the user comes from, or neither.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {InvalidArgumentError} Both a password and a hash are given.
   * @throws {BadRequestError} Another user has the address or external id, or the password is too weak.
   * @throws {UnprocessableError} A field is malformed.
   * @example
   * const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test', firstName: 'Ada' });
   */
  createUser(payload: UserCreate, options?: RequestOptions): Call<User> {
    const refused = refusalOfTwoPasswords('createUser', payload);
    return refused ?? this.send(api.create, { body: payload }, options);
  }

  /**
   * The user after the change. What is left out stays as it is.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {InvalidArgumentError} Both a password and a hash are given.
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} Another user has the external id, or the password is too weak.
   * @throws {UnprocessableError} A field is malformed.
   * @example
   * await sallyport.userManagement.updateUser({ userId: ada.id, metadata: { theme: 'dark' } });
   */
  updateUser(payload: UserUpdate & OfUser, options?: RequestOptions): Call<User> {
    const { userId, ...body } = given(payload);
    const refused = refusalOfTwoPasswords('updateUser', body);
    return refused ?? this.send(api.update, { params: { id: userId }, body }, options);
  }

  /**
   * Nothing; the user is gone for good, with memberships, factors and sessions.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   */
  deleteUser(userId: string, options?: RequestOptions): Call<void> {
    return this.send(api.delete, { params: { id: userId } }, options);
  }

  /**
   * The accounts at other providers that are linked to the user, all at once. Check `type` before relying on the other
   * fields: kinds other than `OAuth` may be added.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   */
  getUserIdentities(userId: string, options?: RequestOptions): Call<Identity[]> {
    const answer = this.send(api.listIdentities, { params: { id: userId } }, options).withResponse();
    return new Call(answer.then(({ data, response }) => ({ data: data.map(withProviderAsRequested), response })));
  }

  /**
   * The user, to whom a one-time code was just mailed that proves the address. At most three in a minute.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {RateLimitError} Too many codes were asked for.
   */
  sendVerificationEmail(payload: OfUser, options?: RequestOptions): Call<UserResponse> {
    const { userId } = given(payload);
    return this.send(api.sendVerificationEmail, { params: { id: userId } }, options);
  }

  /**
   * The user, whose address is now verified.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {BadRequestError} The code is wrong, used or too old, or was tried too often.
   * @throws {NotFoundError} No user has this id.
   */
  verifyEmail(payload: OneTimeCode & OfUser, options?: RequestOptions): Call<UserResponse> {
    const { userId, ...body } = given(payload);
    return this.send(api.verifyEmail, { params: { id: userId }, body }, options);
  }

  /**
   * A change of address that waits for its code. The code was just mailed to the new address; until it is confirmed the
   * user keeps the old one.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {ConflictError} Another user has the new address.
   * @throws {NotFoundError} No user has this id.
   */
  sendEmailChange(payload: EmailChangeSend & OfUser, options?: RequestOptions): Call<EmailChange> {
    const { userId, ...body } = given(payload);
    return this.send(api.sendEmailChange, { params: { id: userId }, body }, options);
  }

  /**
   * The user with the new address, which counts as verified.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {BadRequestError} The code is wrong, used or too old, or was tried too often.
   * @throws {ConflictError} Another user has taken the address meanwhile.
   * @throws {NotFoundError} No user has this id.
   */
  confirmEmailChange(payload: OneTimeCode & OfUser, options?: RequestOptions): Call<EmailChangeConfirmation> {
    const { userId, ...body } = given(payload);
    return this.send(api.confirmEmailChange, { params: { id: userId }, body }, options);
  }

  /**
   * The applications that the user has given access to. Await it for one page; iterate it for all of them.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   */
  listUserAuthorizedApplications(
    payload: OfUser & ListParams,
    options?: RequestOptions,
  ): Pages<AuthorizedConnectApplication> {
    const { userId, ...query } = given(payload);
    return this.pages(api.listAuthorizedApplications, { params: { userId }, query }, options);
  }

  /**
   * Nothing; the application no longer has access to the user.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id, or has not authorized the application.
   */
  deleteUserAuthorizedApplication(
    payload: OfUser & {
      /** Id of the application. */
      readonly applicationId: string;
    },
    options?: RequestOptions,
  ): Call<void> {
    const { userId, applicationId } = given(payload);
    return this.send(api.deleteAuthorizedApplication, { params: { userId, applicationId } }, options);
  }

  /**
   * The second factors of the user. Await it for one page; iterate it for all of them.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   */
  listAuthFactors(payload: OfUser & ListParams, options?: RequestOptions): Pages<AuthenticationFactor> {
    const { userId, ...query } = given(payload);
    return this.pages(api.listAuthFactors, { params: { id: userId }, query }, options);
  }

  /**
   * A new authenticator app for the user: show the QR code, ask for the first code, and verify it against the challenge
   * with `mfa.verifyChallenge`. The secrets are answered this once.
   *
   * Specification: Endpoints > Users.
   *
   * @throws {NotFoundError} No user has this id.
   * @example
   * const { authenticationFactor, authenticationChallenge } = await sallyport.userManagement.enrollAuthFactor({
   *   userId: ada.id,
   *   type: 'totp',
   * });
   * const image = authenticationFactor.totp?.qrCode;
   */
  enrollAuthFactor(payload: UserFactorEnroll & OfUser, options?: RequestOptions): Call<FactorEnrollment> {
    const { userId, ...body } = given(payload);
    return this.send(api.enrollAuthFactor, { params: { id: userId }, body }, options);
  }
}

/** A call that is refused because it says the password twice, or `undefined`. */
function refusalOfTwoPasswords(method: string, payload: UserUpdate): Call<User> | undefined {
  const { password, passwordHash } = given(payload);
  if (password === undefined || passwordHash === undefined) return undefined;
  const refusal = new InvalidArgumentError({
    what: `userManagement.${method} was given both password and passwordHash`,
    why: 'They exclude each other',
    next: 'Pass the password if you know it, else its hash',
    argument: 'passwordHash',
  });
  return new Call(Promise.reject(refusal));
}

/** Identities of the public service spell this one provider differently from its requests. */
const withProviderAsRequested = (identity: Identity): Identity =>
  identity.provider === 'GithubOAuth' ? { ...identity, provider: 'GitHubOAuth' } : identity;
