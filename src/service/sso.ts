import { ssoAddresses } from './addresses.js';
import { clientCredentials, type GivenByCaller, type OauthTokens, oauthTokens } from './authentication.js';
import {
  array,
  body,
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

/** Providers and protocols of connections, as far as they are known. */
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
  /** Connection the user signed in by; undefined in the earlier form. */
  connectionId: essential(string, { unless: 'workos_id' }),
  /** Provider and protocol of the connection. */
  connectionType,
  /** Organization of the connection; null for a connection that belongs to none. */
  organizationId: nullable(string),
  /** Trustworthy only while the organization does not allow profiles outside its domains. */
  email: essential(string),
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** The user's id at the identity provider. */
  idpId: nullable(string),
  /** Full name, where the service says it. */
  name: maybe(string),
  /** Role that the identity provider's groups stand for. */
  role: maybe(ref<RoleReference>(roleReference)),
  /** Every such role, where the service allows several. */
  roles: maybe(array(ref<RoleReference>(roleReference))),
  /** Groups the identity provider named. */
  groups: maybe(array(string)),
  /** Attributes you have mapped; keys are never renamed. */
  customAttributes: maybe(opaque),
  /** Everything the identity provider sent; keys are never renamed. */
  rawAttributes: maybe(opaque),
  /** @deprecated The identity provider, in the earlier form. */
  identityProvider: maybe(string),
  /** @deprecated Identifier inside the service, in the earlier form. */
  workosId: maybe(string),
});
/** A user as the identity provider of a connection knows them. */
export interface Profile extends Fields<typeof profile> {}

/** A profile in the earlier form, which names neither connection nor organization: the email address alone says who it is. */
export interface EarlierProfile
  extends Pick<
    Profile,
    'object' | 'id' | 'idpId' | 'email' | 'firstName' | 'lastName' | 'identityProvider' | 'workosId'
  > {}

export const profileAndToken = part({
  /** Gets the same profile again from `getProfile`; short-lived. */
  accessToken: secret(string),
  /** Who has signed in. */
  profile: essential(ref<Profile>(profile)),
  /** `Bearer`, where the service says it. */
  tokenType: maybe(string),
  /** Seconds until the access token stops working, where the service says it. */
  expiresIn: maybe(integer),
  /** Tokens of the social provider that was used, where the service hands them on. */
  oauthTokens: maybe(ref<OauthTokens>(oauthTokens)),
});
/** A user who has signed in by SSO, and a token for the profile. */
export interface ProfileAndToken extends Fields<typeof profileAndToken> {}

export const connection = model('connection', {
  /** Unique id, prefix `conn_`. */
  id: string,
  /** Organization whose users sign in by it. */
  organizationId: nullable(string),
  /** Provider and protocol. */
  connectionType,
  /** Descriptive name. */
  name: string,
  /** Users can sign in while it is `active`. */
  state: open<'active' | 'inactive' | 'draft' | 'requires_type' | 'validating' | 'deleting'>(),
  /** @deprecated The earlier form of `state`. */
  status: maybe(open<'linked' | 'unlinked'>()),
  /** Key of the connection, in events. */
  externalKey: maybe(string),
  /** Email domains of its users. */
  domains: array(ref<OrganizationDomain>(organizationDomain)),
  /** When the connection was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
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
  /** Text in the name. */
  search: optional(string),
});
/** Which connections to list. */
export interface ConnectionFilter extends Fields<typeof connectionFilter> {}

export const profileGrant = body({
  ...clientCredentials,
  /** The code from the redirect; single use and short-lived. */
  code: secret(string),
  /** Proof of the challenge in the authorization URL, 43 to 128 characters (RFC 7636). */
  codeVerifier: optional(secret(string)),
});
/** What `getProfileAndToken` takes. */
export interface ProfileAndTokenGet extends GivenByCaller<typeof profileGrant> {}

export const sso = room('sso', 'sso', {
  authorize: ssoAddresses.authorize,
  getProfileAndToken: post('/sso/token', {
    body: profileGrant,
    returns: profileAndToken,
    auth: 'client_secret',
    grant: 'authorization_code',
    form: true,
    interactive: true,
  }),
  getProfile: get('/sso/profile', { returns: profile, auth: 'access_token' }),
  listConnections: list('/connections', {
    query: connectionFilter,
    returns: connection,
  }),
  getConnection: get('/connections/:id', { returns: connection }),
  deleteConnection: del('/connections/:id', {}),
});
