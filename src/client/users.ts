import { InvalidArgumentError } from '../errors/index.js';
import type { AuthenticationFactor } from '../service/mfa.js';
import type {
  AuthorizedConnectApplication,
  EmailChange,
  EmailChangeConfirmation,
  EmailChangeSend,
  FactorEnrollment,
  Identity,
  OneTimeCode,
  User,
  UserCreate,
  UserFactorEnroll,
  UserFilter,
  UserResponse,
  UserUpdate,
} from '../service/users.js';
import { Call } from '../transport/call.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('users');

/** The user that a method is about. */
export interface OfUser {
  /** Id of the user. */
  readonly userId: string;
}

/** The methods of `userManagement` for users. */
export abstract class Users extends Namespace {
  /**
   * List users, newest first. Await the result for one page; iterate over it for all of them.
   *
   * @example
   * const { data } = await sallyport.userManagement.listUsers({ email: 'ada@acme.test' });
   */
  listUsers(params: UserFilter & ListParams = {}, options?: ListOptions): PagePromise<User> {
    return this.pages(api('list'), { query: params }, options);
  }

  /**
   * Get a user by id.
   *
   * @throws {NotFoundError} No user has this id.
   */
  getUser(userId: string, options?: RequestOptions): Call<User> {
    return this.send(api('get'), { params: { id: userId } }, options);
  }

  /**
   * Get a user by the id that you gave them yourself.
   *
   * @throws {NotFoundError} No user has this external id.
   */
  getUserByExternalId(externalId: string, options?: RequestOptions): Call<User> {
    return this.send(api('getByExternalId'), { params: { externalId } }, options);
  }

  /**
   * Create a user. No email is sent. Pass a `password`, a `passwordHash` from the system the user comes from, or
   * neither.
   *
   * @throws {InvalidArgumentError} Both a password and a hash are given.
   * @throws {BadRequestError} Another user has the address or the external id, or the password is too weak.
   * @throws {UnprocessableError} The address is not an email address, or `passwordHash` comes without
   * `passwordHashType`.
   * @example
   * const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test', firstName: 'Ada' });
   */
  createUser(payload: UserCreate, options?: RequestOptions): Call<User> {
    const refused = refusalOfTwoPasswords('createUser', payload);
    return refused ?? this.send(api('create'), { body: payload }, options);
  }

  /**
   * Change a user. Fields that you leave out stay as they are.
   *
   * @throws {InvalidArgumentError} Both a password and a hash are given.
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} Another user has the external id, or the password is too weak.
   * @throws {UnprocessableError} `passwordHash` comes without `passwordHashType`.
   * @example
   * await sallyport.userManagement.updateUser({ userId: ada.id, metadata: { theme: 'dark' } });
   */
  updateUser(payload: UserUpdate & OfUser, options?: RequestOptions): Call<User> {
    const { userId, ...body } = orEmpty(payload);
    const refused = refusalOfTwoPasswords('updateUser', body);
    return refused ?? this.send(api('update'), { params: { id: userId }, body }, options);
  }

  /**
   * Delete a user for good, together with their memberships, factors and sessions.
   *
   * @throws {NotFoundError} No user has this id.
   */
  deleteUser(userId: string, options?: RequestOptions): Call<void> {
    return this.send(api('delete'), { params: { id: userId } }, options);
  }

  /**
   * Get the accounts at other providers that are linked to a user, all at once. Check `type` before you rely on the
   * other fields: kinds other than `OAuth` may be added.
   *
   * @throws {NotFoundError} No user has this id.
   */
  getUserIdentities(userId: string, options?: ListOptions): Call<Identity[]> {
    const answer = this.send(api('listIdentities'), { params: { id: userId } }, options).withResponse();
    return new Call(answer.then(({ data, response }) => ({ data: data.map(withProviderAsRequested), response })));
  }

  /**
   * Email a user a one-time code that proves their address; pass it to `verifyEmail`. At most three emails a minute
   * for each user.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} The address is already verified.
   */
  sendVerificationEmail(payload: OfUser, options?: RequestOptions): Call<UserResponse> {
    const { userId } = orEmpty(payload);
    return this.send(api('sendVerificationEmail'), { params: { id: userId } }, options);
  }

  /**
   * Verify a user's address with the one-time code from `sendVerificationEmail`.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   */
  verifyEmail(payload: OneTimeCode & OfUser, options?: RequestOptions): Call<UserResponse> {
    const { userId, ...body } = orEmpty(payload);
    return this.send(api('verifyEmail'), { params: { id: userId }, body }, options);
  }

  /**
   * Begin to change a user's address: a one-time code is emailed to the new one; pass it to `confirmEmailChange`.
   * Until then the user keeps the present address.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {ConflictError} Another user has the new address.
   * @throws {UnprocessableError} The user already has this address.
   */
  sendEmailChange(payload: EmailChangeSend & OfUser, options?: RequestOptions): Call<EmailChange> {
    const { userId, ...body } = orEmpty(payload);
    return this.send(api('sendEmailChange'), { params: { id: userId }, body }, options);
  }

  /**
   * Give a user the new address, with the one-time code from `sendEmailChange`. The address then counts as verified.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   * @throws {ConflictError} Another user has taken the address in the meantime.
   */
  confirmEmailChange(payload: OneTimeCode & OfUser, options?: RequestOptions): Call<EmailChangeConfirmation> {
    const { userId, ...body } = orEmpty(payload);
    return this.send(api('confirmEmailChange'), { params: { id: userId }, body }, options);
  }

  /**
   * List the applications that a user has given access to. Await the result for one page; iterate over it for all of
   * them.
   *
   * @throws {NotFoundError} No user has this id.
   */
  listUserAuthorizedApplications(
    payload: OfUser & ListParams,
    options?: ListOptions,
  ): PagePromise<AuthorizedConnectApplication> {
    const { userId, ...query } = orEmpty(payload);
    return this.pages(api('listAuthorizedApplications'), { params: { userId }, query }, options);
  }

  /**
   * Take back the access that a user has given to an application.
   *
   * @throws {NotFoundError} No user has this id, or the user has not authorized the application.
   */
  deleteUserAuthorizedApplication(
    payload: OfUser & {
      /** Id of the application. */
      readonly applicationId: string;
    },
    options?: RequestOptions,
  ): Call<void> {
    const { userId, applicationId } = orEmpty(payload);
    return this.send(api('deleteAuthorizedApplication'), { params: { userId, applicationId } }, options);
  }

  /**
   * List the second factors of a user. Await the result for one page; iterate over it for all of them.
   *
   * @throws {NotFoundError} No user has this id.
   */
  listAuthFactors(payload: OfUser & ListParams, options?: ListOptions): PagePromise<AuthenticationFactor> {
    const { userId, ...query } = orEmpty(payload);
    return this.pages(api('listAuthFactors'), { params: { id: userId }, query }, options);
  }

  /**
   * Enroll an authenticator app for a user. Show the QR code, ask for the first code, and pass it to
   * `mfa.verifyChallenge` with the challenge. The secrets are returned only this once.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {UnprocessableError} `totpIssuer` or `totpUser` is blank, or too long for a QR code.
   * @example
   * const { authenticationFactor, authenticationChallenge } = await sallyport.userManagement.enrollAuthFactor({
   *   userId: ada.id,
   *   type: 'totp',
   * });
   * const image = authenticationFactor.totp?.qrCode;
   */
  enrollAuthFactor(payload: UserFactorEnroll & OfUser, options?: RequestOptions): Call<FactorEnrollment> {
    const { userId, ...body } = orEmpty(payload);
    return this.send(api('enrollAuthFactor'), { params: { id: userId }, body }, options);
  }
}

/** A call that is refused because it says the password twice, or `undefined`. */
function refusalOfTwoPasswords(method: string, payload: UserUpdate): Call<User> | undefined {
  const { password, passwordHash } = orEmpty(payload);
  if (password === undefined || passwordHash === undefined) return undefined;
  const refusal = new InvalidArgumentError({
    what: `userManagement.${method} takes password or passwordHash, not both`,
    next: 'Pass the password if you know it, otherwise its hash',
    argument: 'passwordHash',
  });
  return new Call(Promise.reject(refusal));
}

/** Identities of the public service spell this one provider differently from its requests. */
const withProviderAsRequested = (identity: Identity): Identity =>
  identity.provider === 'GithubOAuth' ? { ...identity, provider: 'GitHubOAuth' } : identity;
