import { InvalidArgumentError } from '../errors/index.js';
import type { AuthenticationFactor } from '../service/mfa.js';
import type {
  AuthorizedConnectApplication,
  CreatedUser,
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
import { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('users');

/** The user of a method call. */
export interface OfUser {
  /** Id of the user, prefix `user_`. */
  readonly userId: string;
}

/** The `userManagement` methods for users. */
export abstract class Users extends Namespace {
  /**
   * List users, newest first. Await the result for one page, or iterate over it to get all items.
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
   * Get a user by your own id for them.
   *
   * @throws {NotFoundError} No user has this external id.
   */
  getUserByExternalId(externalId: string, options?: RequestOptions): Call<User> {
    return this.send(api('getByExternalId'), { params: { externalId } }, options);
  }

  /**
   * Create a user. This sends no email. Pass a `password`, a `passwordHash` from another system, or neither.
   *
   * @throws {InvalidArgumentError} Both a password and a hash are passed.
   * @throws {BadRequestError} Another user has the email address (`serviceCode` `email_not_available`) or the external id
   * (`external_id_already_used`), or the password is too weak (`password_strength_error`).
   * @throws {UnprocessableError} The email address is malformed, or `passwordHash` is passed without
   * `passwordHashType`.
   * @example
   * const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test', firstName: 'Ada' });
   */
  createUser(payload: UserCreate, options?: RequestOptions): Call<CreatedUser> {
    const rejected = rejectionOfTwoPasswords('createUser', payload);
    return rejected ?? this.send(api('create'), { body: payload }, options);
  }

  /**
   * Update a user. Omitted fields keep their values.
   *
   * @throws {InvalidArgumentError} Both a password and a hash are passed.
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} Another user has the external id, or the password is too weak.
   * @throws {UnprocessableError} `passwordHash` is passed without `passwordHashType`.
   * @example
   * await sallyport.userManagement.updateUser({ userId: ada.id, metadata: { theme: 'dark' } });
   */
  updateUser(payload: UserUpdate & OfUser, options?: RequestOptions): Call<User> {
    const rejected = rejectionOfTwoPasswords('updateUser', payload);
    return rejected ?? this.sendObject(api('update'), payload, options);
  }

  /**
   * Delete a user permanently, with their memberships, factors and sessions.
   *
   * @throws {NotFoundError} No user has this id.
   */
  deleteUser(userId: string, options?: RequestOptions): Call<void> {
    return this.send(api('delete'), { params: { id: userId } }, options);
  }

  /**
   * Get all accounts at other providers that are linked to a user. Check `type` before you rely on the other fields:
   * types other than `OAuth` may be added.
   *
   * @throws {NotFoundError} No user has this id.
   */
  getUserIdentities(userId: string, options?: ListOptions): Call<Identity[]> {
    const sent = this.send(api('listIdentities'), { params: { id: userId } }, options).withResponse();
    const answer = sent.then(({ data, response }) => ({ data: data.map(withRequestProviderName), response }));
    return new Call(() => answer);
  }

  /**
   * Email a one-time code to a user, to verify their email address with `verifyEmail`. Limit: 3 emails per minute and
   * user.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} The email address is already verified.
   */
  sendVerificationEmail(payload: OfUser, options?: RequestOptions): Call<UserResponse> {
    return this.sendObject(api('sendVerificationEmail'), payload, options);
  }

  /**
   * Verify a user's email address with the one-time code from `sendVerificationEmail`.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   */
  verifyEmail(payload: OneTimeCode & OfUser, options?: RequestOptions): Call<UserResponse> {
    return this.sendObject(api('verifyEmail'), payload, options);
  }

  /**
   * Start to change a user's email address. A one-time code is emailed to the new address; pass it to
   * `confirmEmailChange`. Until then the user keeps the current address.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {ConflictError} Another user has the new address.
   * @throws {UnprocessableError} The user already has this address.
   */
  sendEmailChange(payload: EmailChangeSend & OfUser, options?: RequestOptions): Call<EmailChange> {
    return this.sendObject(api('sendEmailChange'), payload, options);
  }

  /**
   * Change a user's email address with the one-time code from `sendEmailChange`. The new address is verified.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   * @throws {ConflictError} Another user has taken the new address in the meantime.
   */
  confirmEmailChange(payload: OneTimeCode & OfUser, options?: RequestOptions): Call<EmailChangeConfirmation> {
    return this.sendObject(api('confirmEmailChange'), payload, options);
  }

  /**
   * List the applications that a user has authorized. Await the result for one page, or iterate over it to get all
   * items.
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
   * Revoke the access of an application that a user has authorized.
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
    return this.sendObject(api('deleteAuthorizedApplication'), payload, options);
  }

  /**
   * List the second factors of a user. Await the result for one page, or iterate over it to get all items.
   *
   * @throws {NotFoundError} No user has this id.
   */
  listAuthFactors(payload: OfUser & ListParams, options?: ListOptions): PagePromise<AuthenticationFactor> {
    const { userId, ...query } = orEmpty(payload);
    return this.pages(api('listAuthFactors'), { params: { id: userId }, query }, options);
  }

  /**
   * Enroll an authenticator app for a user. Show the QR code, ask for the first code, and pass it with the challenge to
   * `mfa.verifyChallenge`. The secrets are only returned once.
   *
   * @throws {NotFoundError} No user has this id.
   * @throws {UnprocessableError} `totpIssuer` or `totpUser` is blank or too long for a QR code, or `totpSecret` is not
   * base 32.
   * @example
   * const { authenticationFactor, authenticationChallenge } = await sallyport.userManagement.enrollAuthFactor({
   *   userId: ada.id,
   *   type: 'totp',
   * });
   * const image = authenticationFactor.totp?.qrCode;
   */
  enrollAuthFactor(payload: UserFactorEnroll & OfUser, options?: RequestOptions): Call<FactorEnrollment> {
    return this.sendObject(api('enrollAuthFactor'), payload, options);
  }
}

/** Return a rejected call if both a password and a hash are passed, otherwise `undefined`. */
function rejectionOfTwoPasswords(method: string, payload: UserUpdate): Call<User> | undefined {
  const { password, passwordHash } = orEmpty(payload);
  if (password === undefined || passwordHash === undefined) return undefined;
  const error = new InvalidArgumentError({
    what: `userManagement.${method} takes password or passwordHash, not both`,
    next: 'Pass one of them',
    argument: 'passwordHash',
  });
  const answer = Promise.reject(error);
  return new Call(() => answer);
}

/** Rename `GithubOAuth`: the public service spells this provider differently in identities than in requests. */
const withRequestProviderName = (identity: Identity): Identity =>
  identity.provider === 'GithubOAuth' ? { ...identity, provider: 'GitHubOAuth' } : identity;
