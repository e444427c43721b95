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
  /** Who acts as the user. */
  email: string,
  /** Why, in that person's words. */
  reason: nullable(string),
});
/** A member of your staff acting as a user. */
export interface Impersonator extends Fields<typeof impersonator> {}

export const oauthTokens = part({
  /** The provider, `GoogleOAuth`. */
  provider: maybe(string),
  /** Access token of the provider, not of this service. */
  accessToken: secret(string),
  /** Refresh token of the provider. */
  refreshToken: maybe(secret(string)),
  /** When the access token stops working, in seconds since 1970. */
  expiresAt: maybe(integer),
  /** Scopes of the access token. */
  scopes: maybe(array(string)),
});
/** Tokens of a social provider. */
export interface OauthTokens extends Fields<typeof oauthTokens> {}

export const authenticationResponse = part({
  /** Who has signed in. */
  user: essential(ref<User>(user)),
  /** Id of the session's organization, prefix `org_`; null for none. */
  organizationId: nullable(string),
  /** Signed token with the session's id in `sid`; short-lived. */
  accessToken: secret(string),
  /** Gets the next access token. Every answer may bring a new one: keep the latest. */
  refreshToken: secret(string),
  /** Present when somebody acts as the user. */
  impersonator: maybe(ref<Impersonator>(impersonator)),
  /** How the user signed in, if the service says so. */
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
/** A user who has signed in, and the session's tokens. */
export interface AuthenticationResponse extends Fields<typeof authenticationResponse> {}

export const earlierMagicAuthResponse = part({
  ...authenticationResponse.shape,
  accessToken: optional(authenticationResponse.shape.accessToken),
  refreshToken: optional(authenticationResponse.shape.refreshToken),
});
/** The answer to a one-time code in the earlier form: who has signed in, and no tokens. */
export interface EarlierMagicAuthResponse extends Pick<AuthenticationResponse, 'user' | 'organizationId'> {}

/** Who asks for tokens, in every grant. */
export const clientCredentials = {
  /** Id of the client that asks; default: that of this client. */
  clientId: optional(string),
  /** The API key; public clients have none and send a code verifier. */
  clientSecret: optional(secret(string)),
  /** The grant's name, with the prefix of the dialect. */
  grantType: optional(string),
};

const credentials = {
  ...clientCredentials,
  /** The user's address, as your server saw it. */
  ipAddress: optional(string),
  /** The user's browser, as your server saw it. */
  userAgent: optional(string),
};

/** A grant without what the client fills in by itself. */
export type GivenByCaller<Grant> = Omit<Fields<Grant>, 'grantType' | 'clientSecret'>;

export const codeGrant = body({
  ...credentials,
  /** The code from the redirect; single use and short-lived. */
  code: secret(string),
  /** Proof of the challenge in the authorization URL, 43 to 128 characters (RFC 7636). */
  codeVerifier: optional(secret(string)),
  /** From an `sso_required` error that carried one. */
  pendingAuthenticationToken: optional(secret(string)),
  /** Token of an invitation that is accepted by signing in. */
  invitationToken: optional(secret(string)),
});
/** What `authenticateWithCode` takes. */
export interface AuthenticateWithCode extends GivenByCaller<typeof codeGrant> {}

export const passwordGrant = body({
  ...credentials,
  /** The user's email address. */
  email,
  /** The user's password. */
  password: secret(string),
  /** Token of an invitation that is accepted by signing in. */
  invitationToken: optional(secret(string)),
});
/** What `authenticateWithPassword` takes. */
export interface AuthenticateWithPassword extends GivenByCaller<typeof passwordGrant> {}

export const magicAuthGrant = body({
  ...credentials,
  /** The six digits from the email; good for ten minutes. */
  code: secret(string),
  /** Address the code was sent to. */
  email,
  /** Token of an invitation that is accepted by signing in. */
  invitationToken: optional(secret(string)),
});
/** What `authenticateWithMagicAuth` takes. */
export interface AuthenticateWithMagicAuth extends GivenByCaller<typeof magicAuthGrant> {}

export const refreshTokenGrant = body({
  ...credentials,
  /** The latest refresh token of the session; it works once. */
  refreshToken: secret(string),
  /** Organization to switch the session to. */
  organizationId: optional(idOf('/organizations')),
});
/** What `authenticateWithRefreshToken` takes. */
export interface AuthenticateWithRefreshToken extends GivenByCaller<typeof refreshTokenGrant> {}

export const emailVerificationGrant = body({
  ...credentials,
  /** The one-time code from the email. */
  code: secret(string),
  /** From the `email_verification_required` error. */
  pendingAuthenticationToken: secret(string),
});
/** What `authenticateWithEmailVerification` takes. */
export interface AuthenticateWithEmailVerification extends GivenByCaller<typeof emailVerificationGrant> {}

export const totpGrant = body({
  ...credentials,
  /** The six digits that the authenticator app shows. */
  code: secret(string),
  /** From the `mfa_challenge` error. */
  pendingAuthenticationToken: secret(string),
  /** The challenge that the code answers. */
  authenticationChallengeId: varies('totpChallengeField', idOf('/auth/challenges')),
});
/** What `authenticateWithTotp` takes. */
export interface AuthenticateWithTotp extends GivenByCaller<typeof totpGrant> {}

export const organizationSelectionGrant = body({
  ...credentials,
  /** From the `organization_selection_required` error. */
  pendingAuthenticationToken: secret(string),
  /** The organization that the user chose. */
  organizationId: idOf('/organizations'),
});
/** What `authenticateWithOrganizationSelection` takes. */
export interface AuthenticateWithOrganizationSelection extends GivenByCaller<typeof organizationSelectionGrant> {}

export const magicAuthSend = body({
  /** Where the code is sent. */
  email,
});
/** What `sendMagicAuthCode` takes. */
export interface MagicAuthSend extends Fields<typeof magicAuthSend> {}

export const passwordResetSend = body({
  /** Where the link is sent. */
  email,
  /** Your page that asks for the new password; the email's link adds `token` to its query. */
  passwordResetUrl: url,
});
/** What `sendPasswordResetEmail` takes. */
export interface PasswordResetSend extends Fields<typeof passwordResetSend> {}

export const passwordResetConfirm = body({
  /** The `token` from the link. */
  token: secret(string),
  /** The new password. */
  newPassword: secret(string),
});
/** What `resetPassword` takes. */
export interface PasswordResetConfirm extends Fields<typeof passwordResetConfirm> {}

const authenticate = '/user_management/authenticate';
/** What the seven grants have in common. */
const signIn = { auth: 'client_secret', returns: authenticationResponse, interactive: true } as const;

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
    returns: earlierMagicAuthResponse,
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
