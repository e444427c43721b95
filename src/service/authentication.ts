import { userManagementAddresses } from './addresses.js';
import {
  array,
  body,
  email,
  essential,
  type Fields,
  idOf,
  integer,
  maybe,
  nullable,
  open,
  optional,
  part,
  ref,
  secret,
  string,
  url,
  varies,
} from './describe/define.js';
import { post, room } from './describe/operation.js';
import { type User, user, userResponse } from './users.js';

export const impersonator = part({
  /** Email address of the person acting as the user. */
  email: string,
  /** Reason given by that person. */
  reason: nullable(string),
});
/** A member of your staff who acts as a user. */
export interface Impersonator extends Fields<typeof impersonator> {}

export const oauthTokens = part({
  /** Name of the provider, such as `GoogleOAuth`. */
  provider: maybe(string),
  /** Access token for the provider, not for this service. */
  accessToken: secret(string),
  /** Refresh token for the provider. */
  refreshToken: maybe(secret(string)),
  /** Expiration time of the access token, in seconds since 1970. */
  expiresAt: maybe(integer),
  /** Scopes of the access token. */
  scopes: maybe(array(string)),
});
/** Tokens of a social provider. */
export interface OauthTokens extends Fields<typeof oauthTokens> {}

export const authenticationResponse = part({
  /** The signed-in user. */
  user: essential(ref<User>(user)),
  /** Id of the session's organization, prefix `org_`; null if it has none. */
  organizationId: nullable(string),
  /** Short-lived signed token with the session's id in the `sid` claim. */
  accessToken: secret(string),
  /** Token to exchange for the next access token. Every response may contain a new one: keep the latest. */
  refreshToken: secret(string),
  /** Code that another of your applications can exchange for tokens, if the service sends one. */
  authkitAuthorizationCode: maybe(secret(string)),
  /** Staff member acting as the user, if any. */
  impersonator: maybe(ref<Impersonator>(impersonator)),
  /** Method the user signed in with, if the service sends it. */
  authenticationMethod: maybe(
    open<
      | 'SSO'
      | 'Password'
      | 'Passkey'
      | 'AppleOAuth'
      | 'GitHubOAuth'
      | 'GoogleOAuth'
      | 'MicrosoftOAuth'
      | 'MagicAuth'
      | 'Impersonation'
    >(),
  ),
  /** Tokens of the social provider, if the service passes them on. */
  oauthTokens: maybe(ref<OauthTokens>(oauthTokens)),
});
/** A signed-in user and the session's tokens. */
export interface AuthenticationResponse extends Fields<typeof authenticationResponse> {}

export const earlierMagicAuthResponse = part({
  user: authenticationResponse.shape.user,
  organizationId: authenticationResponse.shape.organizationId,
});
/** The response to a one-time code in the older form: the user and the organization, without tokens. */
export interface EarlierMagicAuthResponse extends Fields<typeof earlierMagicAuthResponse> {}

/** Client credentials, the same in every grant. */
export const clientCredentials = {
  /** Client id; default: the one this client was created with. */
  clientId: optional(string),
  /** API key; public clients have none and send a code verifier instead. */
  clientSecret: optional(secret(string)),
  /** Grant type, with the prefix of the dialect. */
  grantType: optional(string),
};

const credentials = {
  ...clientCredentials,
  /** IP address of the user, as seen by your server. */
  ipAddress: optional(string),
  /** User agent of the user's browser, as seen by your server. */
  userAgent: optional(string),
};

/** The fields of a grant that callers pass. The client fills in the others. */
export type GivenByCaller<Grant> = Omit<Fields<Grant>, 'grantType' | 'clientSecret'>;

export const codeGrant = body({
  ...credentials,
  /** Code from the redirect; single use and short-lived. */
  code: secret(string),
  /** Code verifier of the PKCE challenge, 43 to 128 characters (RFC 7636). */
  codeVerifier: optional(secret(string)),
  /** Token from an `sso_required` error, if it has one. */
  pendingAuthenticationToken: optional(secret(string)),
  /** Token of an invitation to accept by signing in. */
  invitationToken: optional(secret(string)),
});
/** Parameters of `authenticateWithCode`. */
export interface AuthenticateWithCode extends GivenByCaller<typeof codeGrant> {}

export const passwordGrant = body({
  ...credentials,
  /** The user's email address. */
  email,
  /** The user's password. */
  password: secret(string),
  /** Token of an invitation to accept by signing in. */
  invitationToken: optional(secret(string)),
});
/** Parameters of `authenticateWithPassword`. */
export interface AuthenticateWithPassword extends GivenByCaller<typeof passwordGrant> {}

export const magicAuthGrant = body({
  ...credentials,
  /** Six-digit code from the email; valid for ten minutes. */
  code: secret(string),
  /** Email address that the code was sent to. */
  email,
  /** Token of an invitation to accept by signing in. */
  invitationToken: optional(secret(string)),
});
/** Parameters of `authenticateWithMagicAuth`. */
export interface AuthenticateWithMagicAuth extends GivenByCaller<typeof magicAuthGrant> {}

export const refreshTokenGrant = body({
  ...credentials,
  /** Latest refresh token of the session; single use. */
  refreshToken: secret(string),
  /** Id of the organization to switch the session to, prefix `org_`. */
  organizationId: optional(idOf('/organizations')),
});
/** Parameters of `authenticateWithRefreshToken`. */
export interface AuthenticateWithRefreshToken extends GivenByCaller<typeof refreshTokenGrant> {}

export const emailVerificationGrant = body({
  ...credentials,
  /** One-time code from the email. */
  code: secret(string),
  /** Token from the `email_verification_required` error. */
  pendingAuthenticationToken: secret(string),
});
/** Parameters of `authenticateWithEmailVerification`. */
export interface AuthenticateWithEmailVerification extends GivenByCaller<typeof emailVerificationGrant> {}

export const totpGrant = body({
  ...credentials,
  /** Six-digit code from the authenticator app. */
  code: secret(string),
  /** Token from the `mfa_challenge` error. */
  pendingAuthenticationToken: secret(string),
  /** Id of the challenge that the code is for, prefix `auth_challenge_`. */
  authenticationChallengeId: varies('totpChallengeField', idOf('/auth/challenges')),
});
/** Parameters of `authenticateWithTotp`. */
export interface AuthenticateWithTotp extends GivenByCaller<typeof totpGrant> {}

export const organizationSelectionGrant = body({
  ...credentials,
  /** Token from the `organization_selection_required` error. */
  pendingAuthenticationToken: secret(string),
  /** Id of the organization that the user chose, prefix `org_`. */
  organizationId: idOf('/organizations'),
});
/** Parameters of `authenticateWithOrganizationSelection`. */
export interface AuthenticateWithOrganizationSelection extends GivenByCaller<typeof organizationSelectionGrant> {}

export const magicAuthSend = body({
  /** Email address to send the code to. */
  email,
});
/** Parameters of `sendMagicAuthCode`. */
export interface MagicAuthSend extends Fields<typeof magicAuthSend> {}

export const passwordResetSend = body({
  /** Email address to send the link to. */
  email,
  /** URL of your page that asks for the new password; the emailed link adds `token` to its query. */
  passwordResetUrl: url,
});
/** Parameters of `sendPasswordResetEmail`. */
export interface PasswordResetSend extends Fields<typeof passwordResetSend> {}

export const passwordResetConfirm = body({
  /** `token` from the emailed link. */
  token: secret(string),
  /** The new password. */
  newPassword: secret(string),
});
/** Parameters of `resetPassword`. */
export interface PasswordResetConfirm extends Fields<typeof passwordResetConfirm> {}

const authenticate = '/user_management/authenticate';

/** Options that the seven grants share. */
const signIn = {
  auth: 'client_secret',
  returns: authenticationResponse,
  interactive: true,
} as const;

export const userManagement = room('userManagement', 'userManagement', {
  authorize: userManagementAddresses.authorize,
  authenticateWithCode: post(authenticate, {
    ...signIn,
    grant: 'authorization_code',
    body: codeGrant,
  }),
  authenticateWithPassword: post(authenticate, {
    ...signIn,
    grant: 'password',
    body: passwordGrant,
  }),
  authenticateWithMagicAuth: post(authenticate, {
    ...signIn,
    grant: 'magic-auth:code',
    body: magicAuthGrant,
    earlierForm: 'legacy.authenticateWithMagicAuth',
  }),
  authenticateWithRefreshToken: post(authenticate, {
    ...signIn,
    grant: 'refresh_token',
    body: refreshTokenGrant,
  }),
  authenticateWithEmailVerification: post(authenticate, {
    ...signIn,
    grant: 'email-verification:code',
    body: emailVerificationGrant,
  }),
  authenticateWithTotp: post(authenticate, {
    ...signIn,
    grant: 'mfa-totp',
    body: totpGrant,
  }),
  authenticateWithOrganizationSelection: post(authenticate, {
    ...signIn,
    grant: 'organization-selection',
    body: organizationSelectionGrant,
  }),
  sendMagicAuth: post('/user_management/magic_auth/send', {
    client: 'sendMagicAuthCode',
    body: magicAuthSend,
    interactive: true,
  }),
  sendPasswordReset: post('/user_management/password_reset/send', {
    client: 'sendPasswordResetEmail',
    body: passwordResetSend,
    interactive: true,
  }),
  confirmPasswordReset: post('/user_management/password_reset/confirm', {
    client: 'resetPassword',
    body: passwordResetConfirm,
    returns: userResponse,
  }),
  logout: userManagementAddresses.logout,
});
