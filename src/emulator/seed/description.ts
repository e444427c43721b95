import { auditLogSchemaCreate } from '../../service/audit-logs.js';
import {
  array,
  boolean,
  type Fields,
  maybe,
  oneOf,
  opaque,
  optional,
  part,
  ref,
  secret,
  string,
  timestamp,
  url,
} from '../../service/describe/define.js';
import {
  type DirectoryUserEmail,
  directory,
  directoryGroup,
  directoryUser,
  directoryUserEmail,
} from '../../service/directory-sync.js';
import { resourceCreate, resourceType, warrantWrite } from '../../service/fga.js';
import { invitationSend } from '../../service/invitations.js';
import { organizationMembershipCreate } from '../../service/memberships.js';
import {
  auditLogsRetentionUpdate,
  organizationCreate,
  organizationDomainData,
  organizationUpdate,
} from '../../service/organizations.js';
import { role } from '../../service/roles.js';
import { connection, profile } from '../../service/sso.js';
import {
  authorizedConnectApplication,
  connectApplication,
  identity,
  userCreate,
  userFactorEnroll,
  userUpdate,
} from '../../service/users.js';
import { webhookEndpointCreate, webhookEndpointUpdate } from '../../service/webhooks.js';

// What a seed can say: the service's own models where it has them, and beside them what only a seed can say.

/** An id to be known by; a new one when not given. */
const id = optional(string);

const apiKeySeed = part({
  /** The key itself, prefix `sk_`. */
  value: secret(string),
  /** What it is for. */
  name: optional(string),
  /** What it may not do, `DELETE /organizations/*`. */
  deny: optional(array(string)),
});
/** An API key beside the emulator's own. */
export interface ApiKeySeed extends Fields<typeof apiKeySeed> {}

const roleSeed = part({
  id,
  slug: string,
  /** The slug with a capital when not given. */
  name: optional(string),
  description: role.shape.description,
  permissions: role.shape.permissions,
});
/** A role; those that come first come first. */
export interface RoleSeed extends Fields<typeof roleSeed> {}

const domainSeed = part({ id, ...organizationDomainData.shape });
/** A domain of an organization. */
export interface DomainSeed extends Fields<typeof domainSeed> {}

const authMethodsSeed = part({
  password: optional(boolean),
  magicAuth: optional(boolean),
  googleOauth: optional(boolean),
  microsoftOauth: optional(boolean),
  githubOauth: optional(boolean),
});

const authenticationPolicySeed = part({
  /** Only SSO by one of the organization's connections will do. */
  ssoRequired: optional(boolean),
  /** The methods that will do beside SSO; those left out will not. */
  authMethods: optional(ref<Fields<typeof authMethodsSeed>>(authMethodsSeed)),
  /** A second factor has to be proven, except after SSO. */
  mfaRequired: optional(boolean),
});
/** How people with an address in one of the organization's verified domains have to sign in. */
export interface AuthenticationPolicySeed extends Fields<typeof authenticationPolicySeed> {}

const organizationSeed = part({
  id,
  ...organizationCreate.shape,
  domainData: optional(array(ref<DomainSeed>(domainSeed))),
  billingCustomerId: organizationUpdate.shape.billingCustomerId,
  /** Days that its audit events are kept. */
  retentionPeriodInDays: maybe(auditLogsRetentionUpdate.shape.retentionPeriodInDays),
  /** Roles that it alone has. */
  roles: maybe(array(ref<RoleSeed>(roleSeed))),
  authenticationPolicy: maybe(ref<AuthenticationPolicySeed>(authenticationPolicySeed)),
});
/** An organization with its domains and roles. */
export interface OrganizationSeed extends Fields<typeof organizationSeed> {}

const connectApplicationSeed = part({
  id,
  name: string,
  clientId: optional(string),
  description: maybe(string),
  applicationType: optional(string),
  redirectUris: optional(connectApplication.shape.redirectUris),
  usesPkce: optional(boolean),
  isFirstParty: optional(boolean),
  scopes: optional(connectApplication.shape.scopes),
});
/** An application that signs users in through the service. */
export interface ConnectApplicationSeed extends Fields<typeof connectApplicationSeed> {}

const identitySeed = part({
  idpId: string,
  provider: string,
  /** `OAuth` when not given. */
  type: optional(identity.shape.type),
});
/** An account at another provider, linked to a user. */
export interface IdentitySeed extends Fields<typeof identitySeed> {}

const factorSeed = part({
  id,
  ...userFactorEnroll.shape,
  type: oneOf('totp', 'sms'),
  /** The secret in base 32; a new one when not given. */
  totpSecret: optional(secret(string)),
  /** Where text messages go, for a factor of type `sms`. */
  phoneNumber: optional(string),
});
/** An authenticator app or a telephone of a user. */
export interface FactorSeed extends Fields<typeof factorSeed> {}

const authorizationSeed = part({
  id,
  /** Id or client id of one of `connect_applications`. */
  applicationId: string,
  /** All the scopes of the application when not given. */
  grantedScopes: optional(authorizedConnectApplication.shape.grantedScopes),
  oauthResource: maybe(string),
});
/** The access that a user has given to an application. */
export interface AuthorizationSeed extends Fields<typeof authorizationSeed> {}

const userSeed = part({
  id,
  ...userCreate.shape,
  locale: userUpdate.shape.locale,
  profilePictureUrl: maybe(url),
  lastSignInAt: maybe(timestamp),
  identities: maybe(array(ref<IdentitySeed>(identitySeed))),
  authFactors: maybe(array(ref<FactorSeed>(factorSeed))),
  authorizedApplications: maybe(array(ref<AuthorizationSeed>(authorizationSeed))),
});
/** A user with what belongs to one. */
export interface UserSeed extends Fields<typeof userSeed> {}

const membershipSeed = part({
  id,
  ...organizationMembershipCreate.shape,
  /** `active` when not given. */
  status: optional(oneOf('active', 'pending')),
});
/** A user's place in an organization. */
export interface MembershipSeed extends Fields<typeof membershipSeed> {}

const invitationSeed = part({ id, ...invitationSend.shape });
/** An invitation that waits; no mail was sent. */
export interface InvitationSeed extends Fields<typeof invitationSeed> {}

const profileSeed = part({
  id,
  email: profile.shape.email,
  /** The email address when not given. */
  idpId: optional(string),
  firstName: maybe(string),
  lastName: maybe(string),
  role: profile.shape.role,
  groups: optional(array(string)),
  customAttributes: optional(opaque),
  rawAttributes: optional(opaque),
});
/** Somebody who can sign in by a connection. */
export interface ProfileSeed extends Fields<typeof profileSeed> {}

const connectionSeed = part({
  id,
  organizationId: maybe(string),
  connectionType: connection.shape.connectionType,
  /** The organization's name when not given. */
  name: optional(string),
  /** `active` when not given. */
  state: optional(oneOf('active', 'inactive', 'draft', 'requires_type', 'validating', 'deleting')),
  /** Those of the organization when not given. */
  domains: optional(array(string)),
  profiles: maybe(array(ref<ProfileSeed>(profileSeed))),
});
/** A connection with the people who can sign in by it. */
export interface ConnectionSeed extends Fields<typeof connectionSeed> {}

const directoryGroupSeed = part({
  id,
  name: directoryGroup.shape.name,
  idpId: optional(string),
  rawAttributes: optional(opaque),
});
/** A group in a directory. */
export interface DirectoryGroupSeed extends Fields<typeof directoryGroupSeed> {}

const directoryUserSeed = part({
  id,
  idpId: optional(string),
  email: maybe(string),
  emails: optional(array(ref<DirectoryUserEmail>(directoryUserEmail))),
  firstName: maybe(string),
  lastName: maybe(string),
  username: maybe(string),
  jobTitle: maybe(string),
  /** `active` when not given. */
  state: optional(oneOf('active', 'inactive', 'suspended')),
  role: directoryUser.shape.role,
  /** Ids of groups of the same directory. */
  groups: optional(array(string)),
  customAttributes: optional(opaque),
  rawAttributes: optional(opaque),
});
/** A person in a directory. */
export interface DirectoryUserSeed extends Fields<typeof directoryUserSeed> {}

const directorySeed = part({
  id,
  organizationId: maybe(string),
  name: directory.shape.name,
  domain: maybe(string),
  /** `generic scim v2.0` when not given. */
  type: optional(directory.shape.type),
  /** `linked` when not given. */
  state: optional(oneOf('linked', 'unlinked', 'validating', 'invalid_credentials', 'deleting')),
  groups: maybe(array(ref<DirectoryGroupSeed>(directoryGroupSeed))),
  users: maybe(array(ref<DirectoryUserSeed>(directoryUserSeed))),
});
/** A directory with its groups and people. */
export interface DirectorySeed extends Fields<typeof directorySeed> {}

const webhookEndpointSeed = part({
  id,
  ...webhookEndpointCreate.shape,
  /** All when not given. */
  events: optional(webhookEndpointCreate.shape.events),
  /** `enabled` when not given. */
  status: webhookEndpointUpdate.shape.status,
  /** What deliveries are signed with; a new one when not given. */
  secret: optional(secret(string)),
});
/** A webhook endpoint. */
export interface WebhookEndpointSeed extends Fields<typeof webhookEndpointSeed> {}

const auditLogActionSeed = part({
  name: string,
  schema: ref<Fields<typeof auditLogSchemaCreate>>(auditLogSchemaCreate),
});
/** A kind of audit event with its schema. */
export interface AuditLogActionSeed extends Fields<typeof auditLogActionSeed> {}

const { op: _, ...warrantFields } = warrantWrite.shape;
const warrantSeed = part(warrantFields);
/** The fact that a subject has a relation to a resource. */
export interface WarrantSeed extends Fields<typeof warrantSeed> {}

/** A whole seed, section by section; every one may be left out or empty. */
export const seedDescription = part({
  apiKeys: maybe(array(ref<ApiKeySeed>(apiKeySeed))),
  /** Where users may be sent after they have signed in; the first is the default. */
  redirectUris: maybe(array(string)),
  /** Roles of the environment, in order of priority, in place of the built-in ones; `member` is always there. */
  roles: maybe(array(ref<RoleSeed>(roleSeed))),
  organizations: maybe(array(ref<OrganizationSeed>(organizationSeed))),
  connectApplications: maybe(array(ref<ConnectApplicationSeed>(connectApplicationSeed))),
  users: maybe(array(ref<UserSeed>(userSeed))),
  memberships: maybe(array(ref<MembershipSeed>(membershipSeed))),
  invitations: maybe(array(ref<InvitationSeed>(invitationSeed))),
  connections: maybe(array(ref<ConnectionSeed>(connectionSeed))),
  directories: maybe(array(ref<DirectorySeed>(directorySeed))),
  webhookEndpoints: maybe(array(ref<WebhookEndpointSeed>(webhookEndpointSeed))),
  auditLogActions: maybe(array(ref<AuditLogActionSeed>(auditLogActionSeed))),
  resourceTypes: maybe(array(ref<Fields<typeof resourceType>>(resourceType))),
  resources: maybe(array(ref<Fields<typeof resourceCreate>>(resourceCreate))),
  warrants: maybe(array(ref<WarrantSeed>(warrantSeed))),
});
/** What is there from the start. */
export interface Seed extends Fields<typeof seedDescription> {}
