import {
  array,
  boolean,
  type Fields,
  integer,
  maybe,
  model,
  nullable,
  opaque,
  open,
  part,
  ref,
  string,
  timestamp,
} from '../describe/define.js';
import { type DirectoryGroup, type DirectoryUser, directoryGroup, directoryUser } from '../directory-sync.js';
import { invitation } from '../invitations.js';
import { magicAuth } from '../magic-auth.js';
import { type OrganizationDomain, organizationDomain } from '../organization-domains.js';
import { organization } from '../organizations.js';
import { passwordReset } from '../password-reset.js';
import { permissionSlug, roleSlug } from '../roles.js';
import { connection } from '../sso.js';

// Event data that is not a plain resource.

export const organizationInEvent = model('organization', {
  ...organization.shape,
  /** Same as on an organization; may be absent in events. */
  allowProfilesOutsideOrganization: maybe(boolean),
});
/** An organization in event data. */
export interface OrganizationInEvent extends Fields<typeof organizationInEvent> {}

export const failedDomainVerification = part({
  /** Reason of the failure. */
  reason: open<'domain_verification_period_expired' | 'domain_verified_by_other_organization'>(),
  /** Domain that was not verified. */
  organizationDomain: ref<OrganizationDomain>(organizationDomain),
});
/** A failed verification of a domain. */
export interface FailedDomainVerification extends Fields<typeof failedDomainVerification> {}

export const roleInEvent = model('role', {
  /** Slug used in requests and tokens, such as `admin`. */
  slug: roleSlug,
  /** Resource type the role applies to. */
  resourceTypeSlug: nullable(string),
  /** Slugs of the granted permissions. */
  permissions: maybe(array(permissionSlug)),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An environment role in event data, without id and name. */
export interface RoleInEvent extends Fields<typeof roleInEvent> {}

export const organizationRole = model('organization_role', {
  /** Id of the organization, prefix `org_`. */
  organizationId: string,
  /** Slug used in requests and tokens, such as `admin`. */
  slug: roleSlug,
  /** Descriptive name. */
  name: string,
  /** Purpose of the role. */
  description: nullable(string),
  /** Resource type the role applies to. */
  resourceTypeSlug: nullable(string),
  /** Slugs of the granted permissions. */
  permissions: array(permissionSlug),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** A role of one organization. */
export interface OrganizationRole extends Fields<typeof organizationRole> {}

export const permission = model('permission', {
  /** Unique id, prefix `perm_`. */
  id: string,
  /** Slug used in tokens. */
  slug: permissionSlug,
  /** Descriptive name. */
  name: string,
  /** Purpose of the permission. */
  description: nullable(string),
  /** Whether the permission is built into the service. */
  system: maybe(boolean),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A permission that roles can grant. */
export interface Permission extends Fields<typeof permission> {}

const { token: _invitationToken, acceptInvitationUrl: _url, ...invitationWithoutSecrets } = invitation.shape;
export const invitationInEvent = model('invitation', invitationWithoutSecrets);
/** An invitation in event data, without its token and URL. */
export interface InvitationInEvent extends Fields<typeof invitationInEvent> {}

export const emailVerificationInEvent = model('email_verification', {
  /** Unique id, prefix `email_verification_`. */
  id: string,
  /** Id of the user, prefix `user_`. */
  userId: string,
  /** Email address to verify. */
  email: string,
  /** Expiration time of the code; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** Time the code was sent; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** An email verification in event data, without its code. */
export interface EmailVerificationInEvent extends Fields<typeof emailVerificationInEvent> {}

const { code: _code, radarAuthAttemptId: _attempt, ...magicAuthWithoutCode } = magicAuth.shape;
export const magicAuthInEvent = model('magic_auth', magicAuthWithoutCode);
/** A one-time sign-in code in event data, without the code itself. */
export interface MagicAuthInEvent extends Fields<typeof magicAuthInEvent> {}

const { passwordResetToken: _token, passwordResetUrl: _resetUrl, ...passwordResetWithoutToken } = passwordReset.shape;
export const passwordResetInEvent = model('password_reset', passwordResetWithoutToken);
/** A password reset in event data, without its token and URL. */
export interface PasswordResetInEvent extends Fields<typeof passwordResetInEvent> {}

export const ssoOfAttempt = part({
  /** Id of the connection's organization, prefix `org_`. */
  organizationId: nullable(string),
  /** Id of the connection, prefix `conn_`. */
  connectionId: nullable(string),
  /** Id of the session at the identity provider. */
  sessionId: nullable(string),
});
/** SSO details of a sign-in attempt. */
export interface SsoOfAttempt extends Fields<typeof ssoOfAttempt> {}

export const errorOfAttempt = part({
  /** Error code. */
  code: nullable(string),
  /** Error message. */
  message: nullable(string),
});
/** Error of a failed sign-in attempt. */
export interface ErrorOfAttempt extends Fields<typeof errorOfAttempt> {}

export const authenticationAttempt = part({
  /** Sign-in method. */
  type: open<'email_verification' | 'magic_auth' | 'mfa' | 'oauth' | 'passkey' | 'password' | 'sso'>(),
  /** Outcome of the attempt. */
  status: open<'succeeded' | 'failed' | 'started' | 'timed_out'>(),
  /** IP address of the attempt. */
  ipAddress: nullable(string),
  /** User agent of the attempt. */
  userAgent: nullable(string),
  /** Id of the user, if known. */
  userId: nullable(string),
  /** Email address, if known. */
  email: nullable(string),
});
/** A sign-in attempt. */
export interface AuthenticationAttempt extends Fields<typeof authenticationAttempt> {}

export const failedAuthenticationAttempt = part({
  ...authenticationAttempt.shape,
  /** Error of the failed attempt. */
  error: nullable(ref<ErrorOfAttempt>(errorOfAttempt)),
});
/** A failed sign-in attempt. */
export interface FailedAuthenticationAttempt extends Fields<typeof failedAuthenticationAttempt> {}

export const ssoAuthenticationAttempt = part({
  ...authenticationAttempt.shape,
  /** SSO details of the attempt. */
  sso: nullable(ref<SsoOfAttempt>(ssoOfAttempt)),
});
/** A sign-in attempt with SSO. */
export interface SsoAuthenticationAttempt extends Fields<typeof ssoAuthenticationAttempt> {}

export const failedSsoAuthenticationAttempt = part({
  ...ssoAuthenticationAttempt.shape,
  ...failedAuthenticationAttempt.shape,
});
/** A failed sign-in attempt with SSO. */
export interface FailedSsoAuthenticationAttempt extends Fields<typeof failedSsoAuthenticationAttempt> {}

export const authenticationRisk = part({
  /** Sign-in method. */
  authMethod: string,
  /** Intended action. */
  action: open<'login' | 'signup'>(),
  /** Control that the service applied. */
  control: nullable(string),
  /** Type of blocklist that matched. */
  blocklistType: nullable(string),
  /** IP address of the attempt. */
  ipAddress: nullable(string),
  /** User agent of the attempt. */
  userAgent: nullable(string),
  /** Id of the user, if known. */
  userId: nullable(string),
  /** Email address, if known. */
  email: nullable(string),
});
/** A suspicious sign-in attempt. */
export interface AuthenticationRisk extends Fields<typeof authenticationRisk> {}

export const radarChallenge = part({
  /** Type of challenge. */
  type: string,
  /** Unique id of the challenge. */
  radarChallengeId: string,
  /** Id of the user, if known. */
  userId: nullable(string),
  /** Email address of the user, if known. */
  email: nullable(string),
});
/** An additional challenge for a suspicious sign-in. */
export interface RadarChallenge extends Fields<typeof radarChallenge> {}

const { domains: _domains, status: _status, externalKey: _externalKey, ...connectionInShort } = connection.shape;
export const deletedConnection = model('connection', connectionInShort);
/** A deleted connection, which has no domains, status or external key. */
export interface DeletedConnection extends Fields<typeof deletedConnection> {}

export const connectionReference = part({
  /** Unique id, prefix `conn_`. */
  id: string,
  /** Id of the organization, prefix `org_`. */
  organizationId: nullable(string),
});
/** A reference to a connection. */
export interface ConnectionReference extends Fields<typeof connectionReference> {}

export const samlCertificate = part({
  /** Purpose of the certificate. */
  certificateType: open<'RequestSigning' | 'ResponseEncryption' | 'ResponseSigning'>(),
  /** Expiration time; ISO 8601 UTC with milliseconds. */
  expiryDate: timestamp,
  /** Whether the certificate has expired. */
  isExpired: maybe(boolean),
});
/** A certificate of a SAML connection. */
export interface SamlCertificate extends Fields<typeof samlCertificate> {}

export const certificateRenewalRequired = part({
  /** Connection that uses the certificate. */
  connection: ref<ConnectionReference>(connectionReference),
  /** Certificate to renew. */
  certificate: ref<SamlCertificate>(samlCertificate),
  /** Days until the certificate expires; negative after that. */
  daysUntilExpiry: integer,
});
/** A certificate that has to be renewed. */
export interface CertificateRenewalRequired extends Fields<typeof certificateRenewalRequired> {}

export const certificateRenewed = part({
  /** Connection that uses the certificate. */
  connection: ref<ConnectionReference>(connectionReference),
  /** New certificate. */
  certificate: ref<SamlCertificate>(samlCertificate),
  /** Renewal time; ISO 8601 UTC with milliseconds. */
  renewedAt: timestamp,
});
/** A renewed certificate. */
export interface CertificateRenewed extends Fields<typeof certificateRenewed> {}

export const updatedDirectoryUser = model('directory_user', {
  ...directoryUser.shape,
  /** Previous values of the changed attributes; keys are never renamed. */
  previousAttributes: maybe(opaque),
});
/** A directory user that changed. Okta and Entra ID report a user who lost access with this event and `state: 'inactive'`. */
export interface UpdatedDirectoryUser extends Fields<typeof updatedDirectoryUser> {}

export const updatedDirectoryGroup = model(null, {
  ...directoryGroup.shape,
  /** Previous values of the changed attributes; keys are never renamed. */
  previousAttributes: maybe(opaque),
});
/** A directory group that changed. */
export interface UpdatedDirectoryGroup extends Fields<typeof updatedDirectoryGroup> {}

export const directoryGroupUser = part({
  /** Id of the directory, prefix `directory_`. */
  directoryId: maybe(string),
  /** User who joined or left the group. */
  user: ref<DirectoryUser>(directoryUser),
  /** Group that the user joined or left. */
  group: ref<DirectoryGroup>(directoryGroup),
});
/** A directory user and a group that the user joined or left. */
export interface DirectoryGroupUser extends Fields<typeof directoryGroupUser> {}

export const groupMember = part({
  /** Id of the group. */
  groupId: string,
  /** Id of the membership that joined or left the group, prefix `om_`. */
  organizationMembershipId: string,
});
/** A membership and a group that it joined or left. */
export interface GroupMember extends Fields<typeof groupMember> {}

export const agentRegistrationReference = part({
  /** Id of the agent registration. */
  agentRegistrationId: string,
});
/** A reference to an agent registration. */
export interface AgentRegistrationReference extends Fields<typeof agentRegistrationReference> {}

export const agentRegistrationSwitch = part({
  /** Id of the agent registration. */
  agentRegistrationId: string,
  /** Id of the previous organization, prefix `org_`. */
  fromOrganizationId: nullable(string),
  /** Id of the new organization, prefix `org_`. */
  toOrganizationId: nullable(string),
});
/** An agent registration that moved to another organization. */
export interface AgentRegistrationSwitch extends Fields<typeof agentRegistrationSwitch> {}
