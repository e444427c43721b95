import {
  array,
  body,
  boolean,
  decisive,
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
  /** Full name, if the service sends it; independent of `firstName` and `lastName`. */
  name: maybe(string),
  /** Given name; null if unknown. */
  firstName: nullable(string),
  /** Family name; null if unknown. */
  lastName: nullable(string),
  /** Whether the email address is verified. */
  emailVerified: decisive(boolean),
  /** Picture URL from a linked social identity; null if there is none. */
  profilePictureUrl: forSome(url),
  /** Your own id for the user; null if not set. */
  externalId: nullable(string),
  /** Your own key-value pairs; keys are never renamed. */
  metadata: maybe(labels),
  /** Time of the last sign-in; ISO 8601 UTC with milliseconds. */
  lastSignInAt: nullable(timestamp),
  /** Language and region, such as `en-US`. */
  locale: nullable(string),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A person who can sign in. */
export interface User extends Fields<typeof user> {}

export const createdUser = model('user', {
  ...user.shape,
  /** Id of the sign-up attempt that Radar has assessed, if any. */
  radarAuthAttemptId: maybe(string),
});
/** A new user. */
export interface CreatedUser extends Fields<typeof createdUser> {}

export const userResponse = part({
  /** Current state of the user. */
  user: essential(ref<User>(user)),
});
/** A response that contains the user. */
export interface UserResponse extends Fields<typeof userResponse> {}

export const emailChange = model('email_change', {
  /** User, still with the current address. */
  user: ref<User>(user),
  /** New email address to confirm. */
  newEmail: maybe(email),
  /** Expiration time of the code; ISO 8601 UTC with milliseconds. */
  expiresAt: maybe(timestamp),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
});
/** A change of email address that has to be confirmed. */
export interface EmailChange extends Fields<typeof emailChange> {}

export const emailChangeConfirmation = model('email_change_confirmation', {
  /** User with the new address. */
  user: ref<User>(user),
});
/** A confirmed change of email address. */
export interface EmailChangeConfirmation extends Fields<typeof emailChangeConfirmation> {}

export const identity = model(null, {
  /** Id of the user at the provider; null for types without one. */
  idpId: nullable(string),
  /** Type of identity; check it before you rely on the other fields. */
  type: open<'OAuth'>(),
  /** Provider, such as `GoogleOAuth`; null for types without one. */
  provider: nullable(open<'AppleOAuth' | 'GitHubOAuth' | 'GoogleOAuth' | 'MicrosoftOAuth'>()),
});
/** An account at another provider that is linked to a user. */
export interface Identity extends Fields<typeof identity> {}

export const connectApplicationRedirectUri = part({
  /** URL that the user is redirected to after consent. */
  uri: string,
  /** Whether requests without a redirect URI use this one. */
  default: boolean,
});
/** A redirect URI of an application. */
export interface ConnectApplicationRedirectUri extends Fields<typeof connectApplicationRedirectUri> {}

export const connectApplication = model('connect_application', {
  /** Unique id. */
  id: string,
  /** Public client id for OAuth requests. */
  clientId: string,
  /** Descriptive name. */
  name: string,
  /** Purpose of the application. */
  description: nullable(string),
  /** Type of application, such as `oauth`. */
  applicationType: string,
  /** Redirect URIs of the application. */
  redirectUris: array(ref<ConnectApplicationRedirectUri>(connectApplicationRedirectUri)),
  /** Whether the application uses PKCE. */
  usesPkce: boolean,
  /** Whether the application belongs to you. */
  isFirstParty: boolean,
  /** Scopes the application may request. */
  scopes: array(string),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An application that signs users in through your application. */
export interface ConnectApplication extends Fields<typeof connectApplication> {}

export const authorizedConnectApplication = model('authorized_connect_application', {
  /** Unique id of the authorization. */
  id: string,
  /** Scopes the user granted. */
  grantedScopes: array(string),
  /** Resource that the access is for. */
  oauthResource: nullable(string),
  /** Application that the user authorized. */
  application: ref<ConnectApplication>(connectApplication),
});
/** An application that a user has authorized. */
export interface AuthorizedConnectApplication extends Fields<typeof authorizedConnectApplication> {}

const writable = {
  /** Full name, which does not change `firstName` and `lastName`. */
  name: maybe(string),
  /** Given name. */
  firstName: maybe(string),
  /** Family name. */
  lastName: maybe(string),
  /** Whether you have verified that the email address belongs to the user. */
  emailVerified: optional(boolean),
  /** Your own id for the user; must be unique. */
  externalId: maybe(string),
  /** Your own key-value pairs; keys are never renamed. An update adds to the existing pairs; null removes a pair. */
  metadata: maybe(labelChanges),
  /** Password in plain text; pass either this or `passwordHash`. */
  password: optional(secret(string)),
  /** Password hash from another system; pass either this or `password`. */
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
/** Parameters of `updateUser`. Omitted fields keep their values. */
export interface UserUpdate extends Fields<typeof userUpdate> {}

export const userCreate = body({
  /** The user's email address. */
  email,
  ...writable,
});
/** Parameters of `createUser`. */
export interface UserCreate extends Fields<typeof userCreate> {}

export const userFilter = query({
  /** User with this email address. */
  email: optional(string),
  /** Members of this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Filters of `listUsers`. */
export interface UserFilter extends Fields<typeof userFilter> {}

export const oneTimeCode = body({
  /** One-time code from the email. */
  code: secret(string),
});
/** A code that proves access to an email address. */
export interface OneTimeCode extends Fields<typeof oneTimeCode> {}

export const emailChangeSend = body({
  /** New email address; the code is sent to it. */
  newEmail: email,
});
/** Parameters of `sendEmailChange`. */
export interface EmailChangeSend extends Fields<typeof emailChangeSend> {}

export const userFactorEnroll = body({
  /** Always `totp`, an authenticator app. */
  type: oneOf('totp'),
  /** Name of your application in the authenticator app; default: the name of your team. */
  totpIssuer: optional(string),
  /** Name of the user in the authenticator app; default: the user's email. */
  totpUser: optional(string),
  /** Secret of an existing authenticator app in base 32, for 6 digits every 30 seconds by SHA-1; default: a new one. */
  totpSecret: optional(secret(string)),
});
/** Parameters of `enrollAuthFactor`. */
export interface UserFactorEnroll extends Fields<typeof userFactorEnroll> {}

export const factorEnrollment = part({
  /** New factor, with the secrets for the authenticator app. */
  authenticationFactor: essential(ref<AuthenticationFactorWithSecrets>(authenticationFactorWithSecrets)),
  /** First challenge, to check that the authenticator app works. */
  authenticationChallenge: ref<AuthenticationChallenge>(authenticationChallenge),
});
/** A newly enrolled factor and its first challenge. */
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
    returns: createdUser,
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
    takes: 'object',
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
    takes: 'object',
    returns: authorizedConnectApplication,
  }),
  deleteAuthorizedApplication: del('/user_management/users/:user_id/authorized_applications/:application_id', {
    client: 'deleteUserAuthorizedApplication',
    takes: 'object',
  }),
  listAuthFactors: list('/user_management/users/:id/auth_factors', {
    argument: 'userId',
    takes: 'object',
    returns: authenticationFactor,
  }),
  enrollAuthFactor: post('/user_management/users/:id/auth_factors', {
    argument: 'userId',
    body: userFactorEnroll,
    returns: factorEnrollment,
  }),
});
