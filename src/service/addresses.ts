import {
  array,
  constant,
  type Fields,
  idOf,
  integer,
  oneOf,
  open,
  optional,
  query,
  scalars,
  secret,
  string,
  url,
  varies,
} from './describe/define.js';
import { address, room } from './describe/operation.js';

// URLs for the user's browser. The client builds them synchronously, so their descriptions are not in the modules that load with
// the first request.

/** `provider` value that opens the hosted sign-in page, where users choose how to sign in. */
export const HOSTED_LOGIN = 'hosted-login';

type SocialProvider =
  | 'AppleOAuth'
  | 'BitbucketOAuth'
  | 'GitHubOAuth'
  | 'GitLabOAuth'
  | 'GoogleOAuth'
  | 'IntuitOAuth'
  | 'LinkedInOAuth'
  | 'MicrosoftOAuth'
  | 'SalesforceOAuth'
  | 'SlackOAuth'
  | 'VercelMarketplaceOAuth'
  | 'VercelOAuth'
  | 'XeroOAuth';

/** Name of a social provider in requests. */
export const signInProvider = open<SocialProvider>();

/** Parameters that both authorization URLs share. */
export const authorizationParameters = {
  /** Always `code`. */
  responseType: constant('code'),
  /** Client id. */
  clientId: string,
  /** Registered URL that the user returns to with `code` and `state`. */
  redirectUri: url,
  /** Value that is returned unchanged to the redirect URI. */
  state: optional(string),
  /** Social provider to sign in with. */
  provider: optional(signInProvider),
  /** Username to prefill. */
  loginHint: optional(string),
  /** Email domain to prefill. */
  domainHint: optional(string),
  /** PKCE challenge derived from the code verifier (RFC 7636). */
  codeChallenge: optional(string),
  /** Method that derived the challenge; always `S256`. */
  codeChallengeMethod: optional(oneOf('S256')),
  /** Additional scopes to request from the social provider. */
  providerScopes: optional(array(string)),
  /** Query parameters to add to the provider's authorization URL; keys are never renamed. */
  providerQueryParams: optional(scalars),
};

export const authorizationRequest = query({
  ...authorizationParameters,
  /** Id of the connection to sign in with, prefix `conn_`. */
  connectionId: optional(idOf('/connections')),
  /** Id of the organization, prefix `org_`. The user signs in with its only connection. */
  organizationId: varies('authorizeOrganizationParam', optional(idOf('/organizations'))),
  /** Social provider to sign in with, or `HOSTED_LOGIN` for the hosted page. */
  provider: optional(open<SocialProvider | typeof HOSTED_LOGIN>()),
  /** First page of the hosted sign-in. */
  screenHint: optional(open<'sign-in' | 'sign-up'>()),
  /** `login` to ask for credentials even during an active session. */
  prompt: optional(open<'login' | 'consent' | 'none'>()),
  /** Maximum age of the last authentication in seconds; if it is older, credentials are required again. */
  maxAge: optional(integer),
  /** Token of an invitation to accept by signing in. */
  invitationToken: optional(secret(string)),
});
/** Query parameters of an authorization URL. */
export interface AuthorizationRequest extends Fields<typeof authorizationRequest> {}

/** Value of the `error` parameter when a sign-in at an authorization URL fails. The service may send other codes. */
export type AuthorizationUrlErrorCode =
  /** The user or the identity provider denied access. */
  | 'access_denied'
  /** Several connections match the request. */
  | 'ambiguous_connection_selector'
  /** The domain has no connection. */
  | 'connection_domain_invalid'
  /** No connection has this id. */
  | 'connection_invalid'
  /** The provider has several strategies in this environment. */
  | 'connection_strategy_invalid'
  /** The connection is not linked. */
  | 'connection_unlinked'
  /** The deprecated `domain` parameter is not allowed here. */
  | 'domain_connection_selector_not_allowed'
  /** The connection does not allow sign-ins that start at the identity provider. */
  | 'idp_initiated_sso_disabled'
  /** The request contains no connection, organization or provider. */
  | 'invalid_connection_selector'
  /** No organization has this id. */
  | 'organization_invalid'
  /** The provider refused the request. */
  | 'oauth_failed'
  /** The email address is outside the organization's domains, and the organization does not allow that. */
  | 'profile_not_allowed_outside_organization'
  /** The sign-in failed at the service or the identity provider. */
  | 'server_error'
  | (string & {});

export const logoutRequest = query({
  /** Id of the session to end: the `sid` claim of its access token. */
  sessionId: idOf('/user_management/sessions'),
  /** Registered URL that the user is redirected to afterwards. */
  returnTo: optional(url),
});
/** Parameters of `getLogoutUrl`. */
export interface LogoutRequest extends Fields<typeof logoutRequest> {}

export const userManagementAddresses = room('userManagement', 'userManagement', {
  authorize: address('/user_management/authorize', {
    client: 'getAuthorizationUrl',
    query: authorizationRequest,
    auth: 'none',
  }),
  logout: address('/user_management/sessions/logout', {
    client: 'getLogoutUrl',
    query: logoutRequest,
    auth: 'none',
  }),
});

/** URL of a client's key set, for JWT libraries that fetch it themselves. */
export const keySetAddress = room('jwks', 'userManagement', {
  get: address('/sso/jwks/:client_id', { client: 'getJwks', pathVaries: 'jwksPath', auth: 'none' }),
});

export const ssoAuthorizationRequest = query({
  ...authorizationParameters,
  /** Id of the connection to sign in with, prefix `conn_`. */
  connection: optional(idOf('/connections')),
  /** Id of the organization, prefix `org_`. The user signs in with its only connection. */
  organization: optional(idOf('/organizations')),
  /** Value that is repeated in the identity provider's token, to prevent replay. */
  nonce: optional(string),
});
/** Query parameters of an SSO authorization URL. */
export interface SsoAuthorizationRequest extends Fields<typeof ssoAuthorizationRequest> {}

export const ssoAddresses = room('sso', 'sso', {
  authorize: address('/sso/authorize', {
    client: 'getAuthorizationUrl',
    query: ssoAuthorizationRequest,
    auth: 'none',
  }),
});

export const authorizationByDomain = query({
  /** Always `code`. */
  responseType: constant('code'),
  /** Client id. */
  clientId: string,
  /** Registered URL that the user returns to with `code` and `state`. */
  redirectUri: url,
  /** Value that is returned unchanged to the redirect URI. */
  state: optional(string),
  /** Domain of the user's email address. */
  domain: optional(string),
  /** Social provider to sign in with. */
  provider: optional(signInProvider),
});
/** Query parameters of an authorization URL that selects the connection by email domain. */
export interface AuthorizationByDomain extends Fields<typeof authorizationByDomain> {}

export const ssoByDomain = room('sso', 'legacy.sso', {
  authorizeByDomain: address('/sso/authorize', {
    client: 'getAuthorizationUrl',
    query: authorizationByDomain,
    auth: 'none',
    earlier: true,
    deprecated: true,
  }),
});
