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

// The addresses that the user's browser opens. The client makes one without waiting for anything, so they stand apart from what is
// loaded with the first request of a room.

/** `provider` of an authorization URL that opens the hosted sign-in page, where users choose their method themselves. */
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

/** A social provider, by the name that requests have for it. */
export const signInProvider = open<SocialProvider>();

/** What both authorization URLs may carry. */
export const authorizationParameters = {
  /** Always `code`. */
  responseType: constant('code'),
  /** Id of the client that asks. */
  clientId: string,
  /** Where the user comes back with `code` and `state`; must be registered. */
  redirectUri: url,
  /** Given back unchanged at the redirect URI. */
  state: optional(string),
  /** Sign in by this social provider. */
  provider: optional(signInProvider),
  /** Username to fill in. */
  loginHint: optional(string),
  /** Email domain to fill in. */
  domainHint: optional(string),
  /** PKCE challenge made from the code verifier (RFC 7636). */
  codeChallenge: optional(string),
  /** How the challenge was made; only `S256`. */
  codeChallengeMethod: optional(oneOf('S256')),
  /** Scopes to ask the social provider for, beside the ones it always asks for. */
  providerScopes: optional(array(string)),
  /** Parameters for the provider's own address; keys are never renamed. */
  providerQueryParams: optional(scalars),
};

export const authorizationRequest = query({
  ...authorizationParameters,
  /** Sign in by this connection. */
  connectionId: optional(idOf('/connections')),
  /** Sign in by the one connection of this organization. */
  organizationId: varies('authorizeOrganizationParam', optional(idOf('/organizations'))),
  /** Sign in by this social provider, or at the hosted page. */
  provider: optional(open<SocialProvider | typeof HOSTED_LOGIN>()),
  /** The page with which the hosted sign-in opens. */
  screenHint: optional(open<'sign-in' | 'sign-up'>()),
  /** `login` asks for credentials even within a running session. */
  prompt: optional(open<'login' | 'consent' | 'none'>()),
  /** Seconds since the last authentication after which credentials are asked for again. */
  maxAge: optional(integer),
  /** Token of an invitation that is accepted by signing in. */
  invitationToken: optional(secret(string)),
});
/** The query of an authorization URL. */
export interface AuthorizationRequest extends Fields<typeof authorizationRequest> {}

/**
 * Why a sign-in failed at an authorization URL: the `error` with which the user comes back. The service may have words that are
 * not known here.
 */
export type AuthorizationUrlErrorCode =
  /** The user or the identity provider said no. */
  | 'access_denied'
  /** Several connections fit what was asked for. */
  | 'ambiguous_connection_selector'
  /** The domain has no connection. */
  | 'connection_domain_invalid'
  /** No connection has the id. */
  | 'connection_invalid'
  /** The provider has several strategies in this environment. */
  | 'connection_strategy_invalid'
  /** The connection is not linked. */
  | 'connection_unlinked'
  /** The earlier parameter `domain` is not valid here. */
  | 'domain_connection_selector_not_allowed'
  /** The connection does not take sign-ins that begin at the identity provider. */
  | 'idp_initiated_sso_disabled'
  /** Neither connection nor organization nor provider was given. */
  | 'invalid_connection_selector'
  /** No organization has the id. */
  | 'organization_invalid'
  /** The provider refused the request. */
  | 'oauth_failed'
  /** The email address is outside the organization's domains, and the organization does not allow that. */
  | 'profile_not_allowed_outside_organization'
  /** The sign-in failed at the service or the identity provider. */
  | 'server_error'
  | (string & {});

export const logoutRequest = query({
  /** The session to end: the `sid` claim of its access token. */
  sessionId: idOf('/user_management/sessions'),
  /** Where the user goes afterwards; must be registered. */
  returnTo: optional(url),
});
/** What `getLogoutUrl` takes. */
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

/** Where the key set of a client is, for JWT libraries that fetch it themselves. */
export const keySetAddress = room('jwks', 'userManagement', {
  get: address('/sso/jwks/:client_id', { client: 'getJwks', pathVaries: 'jwksPath', auth: 'none' }),
});

export const ssoAuthorizationRequest = query({
  ...authorizationParameters,
  /** Sign in by this connection. */
  connection: optional(idOf('/connections')),
  /** Sign in by the one connection of this organization. */
  organization: optional(idOf('/organizations')),
  /** Given back in the identity provider's token, against replay. */
  nonce: optional(string),
});
/** The query of an authorization URL for SSO. */
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
  /** Your application. */
  clientId: string,
  /** Where the user arrives with `code` and `state`; one of the registered redirect URIs. */
  redirectUri: url,
  /** Given back unchanged at the redirect URI. */
  state: optional(string),
  /** Domain of the user's email address. */
  domain: optional(string),
  /** A social identity provider. */
  provider: optional(signInProvider),
});
/** Where to sign in, chosen by email domain. */
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
