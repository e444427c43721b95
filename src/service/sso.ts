import { ssoAddresses } from './addresses.js';
import { clientCredentials, type GivenByCaller, type OauthTokens, oauthTokens } from './authentication.js';
import {
  array,
  body,
  decisive,
  essential,
  type Fields,
  idOf,
  integer,
  maybe,
  model,
  nullable,
  opaque,
  open,
  optional,
  part,
  query,
  ref,
  secret,
  string,
  timestamp,
} from './describe/define.js';
import { del, get, list, post, room } from './describe/operation.js';
import { type OrganizationDomain, organizationDomain } from './organization-domains.js';
import { type RoleReference, roleReference } from './roles.js';

/** Known providers and protocols of connections. */
export const connectionType = open<
  // SAML
  | 'ADFSSAML'
  | 'Auth0SAML'
  | 'AzureSAML'
  | 'CasSAML'
  | 'ClassLinkSAML'
  | 'CloudflareSAML'
  | 'CyberArkSAML'
  | 'DuoSAML'
  | 'GenericSAML'
  | 'GoogleSAML'
  | 'JumpCloudSAML'
  | 'KeycloakSAML'
  | 'LastPassSAML'
  | 'MiniOrangeSAML'
  | 'NetIqSAML'
  | 'OktaSAML'
  | 'OneLoginSAML'
  | 'OracleSAML'
  | 'PingFederateSAML'
  | 'PingOneSAML'
  | 'RipplingSAML'
  | 'SalesforceSAML'
  | 'ShibbolethGenericSAML'
  | 'ShibbolethSAML'
  | 'SimpleSamlPhpSAML'
  | 'VMwareSAML'
  // OpenID Connect
  | 'AdpOidc'
  | 'CleverOIDC'
  | 'EntraIdOIDC'
  | 'GenericOIDC'
  | 'GoogleOIDC'
  | 'LoginGovOidc'
  | 'OktaOIDC'
  // OAuth
  | 'AppleOAuth'
  | 'BitbucketOAuth'
  | 'DiscordOAuth'
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
  | 'XeroOAuth'
  // Others
  | 'Auth0Migration'
  | 'MagicLink'
  | 'Pending'
  | 'TestIdp'
>();

export const profile = model('profile', {
  /** Unique id, prefix `prof_`. */
  id: string,
  /** Id of the connection, prefix `conn_`. */
  connectionId: essential(string),
  /** Provider and protocol of the connection. */
  connectionType,
  /** Id of the connection's organization, prefix `org_`; null if it has none. */
  organizationId: nullable(string),
  /** Email address; trust it only if the organization does not allow profiles outside its domains. */
  email: essential(string),
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** Id of the user at the identity provider. */
  idpId: nullable(string),
  /** Full name, if the service sends it. */
  name: maybe(string),
  /** Role assigned through the identity provider's groups. */
  role: maybe(ref<RoleReference>(roleReference)),
  /** All roles assigned this way, if the service allows several. */
  roles: maybe(array(ref<RoleReference>(roleReference))),
  /** Groups of the user at the identity provider. */
  groups: maybe(array(string)),
  /** Attributes mapped for your application; keys are never renamed. */
  customAttributes: maybe(opaque),
  /** All attributes as the identity provider sent them; keys are never renamed. */
  rawAttributes: maybe(opaque),
});
/** A user profile from the identity provider of a connection. */
export interface Profile extends Fields<typeof profile> {}

export const earlierProfile = model('profile', {
  /** Unique id, prefix `prof_`. */
  id: string,
  /** Identity provider that the user signed in with. */
  identityProvider: string,
  /** Id of the user at the identity provider. */
  idpId: nullable(string),
  /** Email address. */
  email: essential(string),
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** Internal id of the service. */
  workosId: essential(string),
});
/** A profile in the older form. It has no connection or organization, so only the email address identifies the user. */
export interface EarlierProfile extends Fields<typeof earlierProfile> {}

export const profileAndToken = part({
  /** Short-lived token that gets the same profile from `getProfile`. */
  accessToken: secret(string),
  /** Profile of the signed-in user. */
  profile: essential(ref<Profile>(profile)),
  /** `Bearer`, if the service sends it. */
  tokenType: maybe(string),
  /** Seconds until the access token expires, if the service sends it. */
  expiresIn: maybe(integer),
  /** Tokens of the social provider, if the service passes them on. */
  oauthTokens: maybe(ref<OauthTokens>(oauthTokens)),
});
/** The profile of a user who signed in with SSO, and a token to get it again. */
export interface ProfileAndToken extends Fields<typeof profileAndToken> {}

export const earlierProfileAndToken = part({
  accessToken: profileAndToken.shape.accessToken,
  /** Profile of the signed-in user. */
  profile: essential(ref<EarlierProfile>(earlierProfile)),
});
/** The profile of a user who signed in with SSO, in the older form, and a token. */
export interface EarlierProfileAndToken extends Fields<typeof earlierProfileAndToken> {}

export const connection = model('connection', {
  /** Unique id, prefix `conn_`. */
  id: string,
  /** Id of the organization, prefix `org_`. */
  organizationId: nullable(string),
  /** Provider and protocol. */
  connectionType,
  /** Descriptive name. */
  name: string,
  /** State; users can sign in only while it is `active`. */
  state: decisive(open<'active' | 'inactive' | 'draft' | 'requires_type' | 'validating' | 'deleting'>()),
  /** @deprecated Use `state`. */
  status: maybe(open<'linked' | 'unlinked'>()),
  /** Key of the connection; only in events. */
  externalKey: maybe(string),
  /** Email domains of its users. */
  domains: array(ref<OrganizationDomain>(organizationDomain)),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An organization's link to its identity provider. */
export interface Connection extends Fields<typeof connection> {}

export const connectionFilter = query({
  /** Connections of this provider and protocol. */
  connectionType: optional(connectionType),
  /** Connections for this email domain. */
  domain: optional(string),
  /** Connections of this organization. */
  organizationId: optional(idOf('/organizations')),
  /** Text to find in the name. */
  search: optional(string),
});
/** Filters of `listConnections`. */
export interface ConnectionFilter extends Fields<typeof connectionFilter> {}

export const profileGrant = body({
  ...clientCredentials,
  /** Code from the redirect; single use and short-lived. */
  code: secret(string),
  /** Code verifier of the PKCE challenge, 43 to 128 characters (RFC 7636). */
  codeVerifier: optional(secret(string)),
});
/** Parameters of `getProfileAndToken`. */
export interface ProfileAndTokenGet extends GivenByCaller<typeof profileGrant> {}

export const sso = room('sso', 'sso', {
  authorize: ssoAddresses.authorize,
  getProfileAndToken: post('/sso/token', {
    body: profileGrant,
    returns: profileAndToken,
    earlierForm: 'legacy.getProfileAndToken',
    auth: 'client_secret',
    grant: 'authorization_code',
    form: true,
    interactive: true,
  }),
  getProfile: get('/sso/profile', {
    returns: profile,
    earlierForm: 'legacy.getProfileAndToken',
    auth: 'access_token',
  }),
  listConnections: list('/connections', {
    query: connectionFilter,
    returns: connection,
  }),
  getConnection: get('/connections/:id', { returns: connection }),
  deleteConnection: del('/connections/:id', {}),
});
