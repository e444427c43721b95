import {
  array,
  body,
  boolean,
  email,
  essential,
  type Fields,
  forSome,
  idOf,
  labelChanges,
  labels,
  maybe,
  model,
  nullable,
  oneOf,
  open,
  optional,
  part,
  query,
  ref,
  secret,
  string,
  timestamp,
  url,
} from './describe/define.js';
import { del, get, list, post, put, room } from './describe/operation.js';
import {
  type AuthenticationChallenge,
  type AuthenticationFactorWithSecrets,
  authenticationChallenge,
  authenticationFactor,
  authenticationFactorWithSecrets,
} from './mfa.js';

export const user = model('user', {
  /** Unique id, prefix `user_`. */
  id: string,
  /** The user's email address. */
  email: essential(string),
  /** Given name; null when not known. */
  firstName: nullable(string),
  /** Family name; null when not known. */
  lastName: nullable(string),
  /** Whether the user has proven to own the email address. */
  emailVerified: boolean,
  /** Picture from a linked social identity; null for users without one. */
  profilePictureUrl: forSome(url),
  /** Your own id for the user; null when you have set none. */
  externalId: nullable(string),
  /** Your own labels; keys are never renamed. */
  metadata: maybe(labels),
  /** When the user last signed in; ISO 8601 UTC with milliseconds. */
  lastSignInAt: nullable(timestamp),
  /** Language and region, such as `en-US`. */
  locale: nullable(string),
  /** When the user was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A person who can sign in. */
export interface User extends Fields<typeof user> {}

export const userResponse = part({
  /** The user as it is now. */
  user: essential(ref<User>(user)),
});
/** The user an action was about. */
export interface UserResponse extends Fields<typeof userResponse> {}

export const emailChange = model('email_change', {
  /** The user, still with the present address. */
  user: ref<User>(user),
  /** Address to be confirmed. */
  newEmail: maybe(email),
  /** When the code stops working; ISO 8601 UTC with milliseconds. */
  expiresAt: maybe(timestamp),
  /** When the change was asked for; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
});
/** A change of address that waits for its code. */
export interface EmailChange extends Fields<typeof emailChange> {}

export const emailChangeConfirmation = model('email_change_confirmation', {
  /** The user, with the new address. */
  user: ref<User>(user),
});
/** A change of address that was confirmed. */
export interface EmailChangeConfirmation extends Fields<typeof emailChangeConfirmation> {}

export const identity = model(null, {
  /** The user's id at the provider; null for kinds of identity that have none. */
  idpId: nullable(string),
  /** Kind of identity; check it before relying on the other fields. */
  type: open<'OAuth'>(),
  /** The provider, such as `GoogleOAuth`; null for kinds of identity that have none. */
  provider: nullable(open<'AppleOAuth' | 'GitHubOAuth' | 'GoogleOAuth' | 'MicrosoftOAuth'>()),
});
/** An account at another provider, linked to a user. */
export interface Identity extends Fields<typeof identity> {}

export const connectApplicationRedirectUri = part({
  /** Where the user is sent after consent. */
  uri: string,
  /** Whether it is the one for requests that name none. */
  default: boolean,
});
/** A place where an application receives its users. */
export interface ConnectApplicationRedirectUri extends Fields<typeof connectApplicationRedirectUri> {}

export const connectApplication = model('connect_application', {
  /** Unique id. */
  id: string,
  /** The application's public id in OAuth requests. */
  clientId: string,
  /** Descriptive name. */
  name: string,
  /** What the application is for. */
  description: nullable(string),
  /** Kind of application, such as `oauth`. */
  applicationType: string,
  /** Where the application receives its users. */
  redirectUris: array(ref<ConnectApplicationRedirectUri>(connectApplicationRedirectUri)),
  /** Whether the application uses PKCE. */
  usesPkce: boolean,
  /** Whether it is one of your own. */
  isFirstParty: boolean,
  /** Scopes it may ask for. */
  scopes: array(string),
  /** When the application was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An application that signs users in through yours. */
export interface ConnectApplication extends Fields<typeof connectApplication> {}

export const authorizedConnectApplication = model('authorized_connect_application', {
  /** Unique id of the authorization. */
  id: string,
  /** Scopes the user agreed to. */
  grantedScopes: array(string),
  /** Resource the access is for. */
  oauthResource: nullable(string),
  /** The application. */
  application: ref<ConnectApplication>(connectApplication),
});
/** An application that a user has given access to. */
export interface AuthorizedConnectApplication extends Fields<typeof authorizedConnectApplication> {}

const writable = {
  /** Given name. */
  firstName: maybe(string),
  /** Family name. */
  lastName: maybe(string),
  /** Whether you have verified yourself that the address is the user's. */
  emailVerified: optional(boolean),
  /** Your own id for the user; no two users may have the same. */
  externalId: maybe(string),
  /** Your own labels; keys are never renamed. A change adds to those that are there, and null takes a label away. */
  metadata: maybe(labelChanges),
  /** The password in plain text; pass this or `passwordHash`. */
  password: optional(secret(string)),
  /** Hash of the password from the system the user comes from; pass this or `password`. */
  passwordHash: optional(secret(string)),
  /** Algorithm of `passwordHash`; required with it. */
  passwordHashType: optional(
    open<'bcrypt' | 'ssha' | 'ssha256' | 'firebase-scrypt' | 'scrypt' | 'pbkdf2' | 'argon2'>(),
  ),
};

export const userUpdate = body({
  ...writable,
  /** Language and region, such as `en-US`. */
  locale: maybe(string),
});
/** What `updateUser` changes; what is left out stays as it is. */
export interface UserUpdate extends Fields<typeof userUpdate> {}

export const userCreate = body({
  /** The user's email address. */
  email,
  ...writable,
});
/** What `createUser` takes. */
export interface UserCreate extends Fields<typeof userCreate> {}

export const userFilter = query({
  /** The user with this address. */
  email: optional(string),
  /** Members of this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Which users to list. */
export interface UserFilter extends Fields<typeof userFilter> {}

export const oneTimeCode = body({
  /** The one-time code from the email. */
  code: secret(string),
});
/** What proves that the user reads the email of an address. */
export interface OneTimeCode extends Fields<typeof oneTimeCode> {}

export const emailChangeSend = body({
  /** Address to change to; the code is sent there. */
  newEmail: email,
});
/** What `sendEmailChange` takes. */
export interface EmailChangeSend extends Fields<typeof emailChangeSend> {}

export const userFactorEnroll = body({
  /** Always `totp`, an authenticator app. */
  type: oneOf('totp'),
  /** Name of your application, as the authenticator shows it; default: the name of your team. */
  totpIssuer: optional(string),
  /** Name of the user, as the authenticator shows it; default: the user's email. */
  totpUser: optional(string),
});
/** What `enrollAuthFactor` takes. */
export interface UserFactorEnroll extends Fields<typeof userFactorEnroll> {}

export const factorEnrollment = part({
  /** The new factor, with what the authenticator app needs. */
  authenticationFactor: essential(ref<AuthenticationFactorWithSecrets>(authenticationFactorWithSecrets)),
  /** A first challenge, to check that the authenticator app works. */
  authenticationChallenge: ref<AuthenticationChallenge>(authenticationChallenge),
});
/** A factor just enrolled for a user. */
export interface FactorEnrollment extends Fields<typeof factorEnrollment> {}

export const users = room('users', 'userManagement', {
  list: list('/user_management/users', { client: 'listUsers', query: userFilter, returns: user }),
  get: get('/user_management/users/:id', { client: 'getUser', argument: 'userId', returns: user }),
  getByExternalId: get('/user_management/users/external_id/:external_id', {
    client: 'getUserByExternalId',
    returns: user,
  }),
  create: post('/user_management/users', {
    client: 'createUser',
    body: userCreate,
    returns: user,
  }),
  update: put('/user_management/users/:id', {
    client: 'updateUser',
    argument: 'userId',
    body: userUpdate,
    returns: user,
  }),
  delete: del('/user_management/users/:id', { client: 'deleteUser', argument: 'userId' }),
  listIdentities: get('/user_management/users/:id/identities', {
    client: 'getUserIdentities',
    argument: 'userId',
    returns: array(ref<Identity>(identity)),
  }),
  sendVerificationEmail: post('/user_management/users/:id/email_verification/send', {
    argument: 'userId',
    returns: userResponse,
    interactive: true,
  }),
  verifyEmail: post('/user_management/users/:id/email_verification/confirm', {
    argument: 'userId',
    body: oneTimeCode,
    returns: userResponse,
  }),
  sendEmailChange: post('/user_management/users/:id/email_change/send', {
    argument: 'userId',
    body: emailChangeSend,
    returns: emailChange,
    interactive: true,
  }),
  confirmEmailChange: post('/user_management/users/:id/email_change/confirm', {
    argument: 'userId',
    body: oneTimeCode,
    returns: emailChangeConfirmation,
  }),
  listAuthorizedApplications: list('/user_management/users/:user_id/authorized_applications', {
    client: 'listUserAuthorizedApplications',
    returns: authorizedConnectApplication,
  }),
  deleteAuthorizedApplication: del('/user_management/users/:user_id/authorized_applications/:application_id', {
    client: 'deleteUserAuthorizedApplication',
  }),
  listAuthFactors: list('/user_management/users/:id/auth_factors', {
    argument: 'userId',
    returns: authenticationFactor,
  }),
  enrollAuthFactor: post('/user_management/users/:id/auth_factors', {
    argument: 'userId',
    body: userFactorEnroll,
    returns: factorEnrollment,
  }),
});
