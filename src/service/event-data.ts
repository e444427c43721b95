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
} from './describe/define.js';
import { type DirectoryGroup, type DirectoryUser, directoryGroup, directoryUser } from './directory-sync.js';
import { invitation } from './invitations.js';
import { magicAuth } from './magic-auth.js';
import { type OrganizationDomain, organizationDomain } from './organization-domains.js';
import { organization } from './organizations.js';
import { passwordReset } from './password-reset.js';
import { connection } from './sso.js';

// What events carry where it is not simply a resource.

export const organizationInEvent = model('organization', {
  ...organization.shape,
  /** As on an organization; events may leave it out. */
  allowProfilesOutsideOrganization: maybe(boolean),
});
/** An organization as events carry it. */
export interface OrganizationInEvent extends Fields<typeof organizationInEvent> {}

export const failedDomainVerification = part({
  /** Why it failed. */
  reason: open<'domain_verification_period_expired' | 'domain_verified_by_other_organization'>(),
  /** The domain. */
  organizationDomain: ref<OrganizationDomain>(organizationDomain),
});
/** A domain whose ownership could not be verified. */
export interface FailedDomainVerification extends Fields<typeof failedDomainVerification> {}

export const roleInEvent = model('role', {
  /** Name used in requests and tokens. */
  slug: string,
  /** Type of the resources the role is for. */
  resourceTypeSlug: nullable(string),
  /** Slugs of the permissions it grants. */
  permissions: maybe(array(string)),
  /** When the role was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A role of the environment as events carry it: without id and name. */
export interface RoleInEvent extends Fields<typeof roleInEvent> {}

export const organizationRole = model('organization_role', {
  /** Organization the role belongs to. */
  organizationId: string,
  /** Name used in requests and tokens. */
  slug: string,
  /** Descriptive name. */
  name: string,
  /** What the role is for. */
  description: nullable(string),
  /** Type of the resources the role is for. */
  resourceTypeSlug: nullable(string),
  /** Slugs of the permissions it grants. */
  permissions: array(string),
  /** When the role was created; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** A role of one organization. */
export interface OrganizationRole extends Fields<typeof organizationRole> {}

export const permission = model('permission', {
  /** Unique id, prefix `perm_`. */
  id: string,
  /** Name used in tokens. */
  slug: string,
  /** Descriptive name. */
  name: string,
  /** What it allows. */
  description: nullable(string),
  /** Whether the service owns it. */
  system: maybe(boolean),
  /** When the permission was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** Something that a role may allow. */
export interface Permission extends Fields<typeof permission> {}

const { token: _invitationToken, acceptInvitationUrl: _url, ...invitationWithoutSecrets } = invitation.shape;
export const invitationInEvent = model('invitation', invitationWithoutSecrets);
/** An invitation as events carry it: without what it is accepted with. */
export interface InvitationInEvent extends Fields<typeof invitationInEvent> {}

export const emailVerificationInEvent = model('email_verification', {
  /** Unique id, prefix `email_verification_`. */
  id: string,
  /** User whose address it is. */
  userId: string,
  /** The address. */
  email: string,
  /** When the code stops working; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** When the code was sent; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** A code that was sent to verify an address; the code itself stays secret. */
export interface EmailVerificationInEvent extends Fields<typeof emailVerificationInEvent> {}

const { code: _code, ...magicAuthWithoutCode } = magicAuth.shape;
export const magicAuthInEvent = model('magic_auth', magicAuthWithoutCode);
/** A one-time code that was sent to sign in with; the code itself stays secret. */
export interface MagicAuthInEvent extends Fields<typeof magicAuthInEvent> {}

const { passwordResetToken: _token, passwordResetUrl: _resetUrl, ...passwordResetWithoutToken } = passwordReset.shape;
export const passwordResetInEvent = model('password_reset', passwordResetWithoutToken);
/** A link that was sent to reset a password; its token stays secret. */
export interface PasswordResetInEvent extends Fields<typeof passwordResetInEvent> {}

export const ssoOfAttempt = part({
  /** Organization of the connection. */
  organizationId: nullable(string),
  /** The connection. */
  connectionId: nullable(string),
  /** The session at the identity provider. */
  sessionId: nullable(string),
});
/** How far an attempt by SSO has come. */
export interface SsoOfAttempt extends Fields<typeof ssoOfAttempt> {}

export const errorOfAttempt = part({
  /** Why it failed, as a code. */
  code: nullable(string),
  /** Why it failed, in words. */
  message: nullable(string),
});
/** Why an attempt failed. */
export interface ErrorOfAttempt extends Fields<typeof errorOfAttempt> {}

export const authenticationAttempt = part({
  /** How the user tried to sign in. */
  type: open<'email_verification' | 'magic_auth' | 'mfa' | 'oauth' | 'passkey' | 'password' | 'sso'>(),
  /** What came of it. */
  status: open<'succeeded' | 'failed' | 'started' | 'timed_out'>(),
  /** Where it was tried from. */
  ipAddress: nullable(string),
  /** Browser it was tried with. */
  userAgent: nullable(string),
  /** User who tried, where known. */
  userId: nullable(string),
  /** Address that was tried, where known. */
  email: nullable(string),
});
/** An attempt to sign in. */
export interface AuthenticationAttempt extends Fields<typeof authenticationAttempt> {}

export const failedAuthenticationAttempt = part({
  ...authenticationAttempt.shape,
  /** Why it failed. */
  error: nullable(ref<ErrorOfAttempt>(errorOfAttempt)),
});
/** An attempt to sign in that failed. */
export interface FailedAuthenticationAttempt extends Fields<typeof failedAuthenticationAttempt> {}

export const ssoAuthenticationAttempt = part({
  ...authenticationAttempt.shape,
  /** The connection it went by. */
  sso: nullable(ref<SsoOfAttempt>(ssoOfAttempt)),
});
/** An attempt to sign in by SSO. */
export interface SsoAuthenticationAttempt extends Fields<typeof ssoAuthenticationAttempt> {}

export const failedSsoAuthenticationAttempt = part({
  ...ssoAuthenticationAttempt.shape,
  ...failedAuthenticationAttempt.shape,
});
/** An attempt to sign in by SSO that failed. */
export interface FailedSsoAuthenticationAttempt extends Fields<typeof failedSsoAuthenticationAttempt> {}

export const authenticationRisk = part({
  /** How the user tried to sign in. */
  authMethod: string,
  /** What the user wanted. */
  action: open<'login' | 'signup'>(),
  /** What was done about it. */
  control: nullable(string),
  /** List that the attempt was on. */
  blocklistType: nullable(string),
  /** Where it was tried from. */
  ipAddress: nullable(string),
  /** Browser it was tried with. */
  userAgent: nullable(string),
  /** User who tried, where known. */
  userId: nullable(string),
  /** Address that was tried, where known. */
  email: nullable(string),
});
/** An attempt to sign in that looked dangerous. */
export interface AuthenticationRisk extends Fields<typeof authenticationRisk> {}

export const radarChallenge = part({
  /** How the user is challenged. */
  type: string,
  /** Unique id of the challenge. */
  radarChallengeId: string,
  /** User who is challenged, where known. */
  userId: nullable(string),
  /** Address of the user, where known. */
  email: nullable(string),
});
/** A further proof asked of somebody who looked dangerous. */
export interface RadarChallenge extends Fields<typeof radarChallenge> {}

const { domains: _domains, status: _status, externalKey: _externalKey, ...connectionInShort } = connection.shape;
export const deletedConnection = model('connection', connectionInShort);
/** A connection that is gone, in short. */
export interface DeletedConnection extends Fields<typeof deletedConnection> {}

export const connectionReference = part({
  /** Unique id, prefix `conn_`. */
  id: string,
  /** Organization whose users sign in by it. */
  organizationId: nullable(string),
});
/** A connection, by its id. */
export interface ConnectionReference extends Fields<typeof connectionReference> {}

export const samlCertificate = part({
  /** What the certificate is for. */
  certificateType: open<'RequestSigning' | 'ResponseEncryption' | 'ResponseSigning'>(),
  /** When it stops working; ISO 8601 UTC with milliseconds. */
  expiryDate: timestamp,
  /** Whether that has passed. */
  isExpired: maybe(boolean),
});
/** A certificate of a SAML connection. */
export interface SamlCertificate extends Fields<typeof samlCertificate> {}

export const certificateRenewalRequired = part({
  /** The connection. */
  connection: ref<ConnectionReference>(connectionReference),
  /** The certificate that runs out. */
  certificate: ref<SamlCertificate>(samlCertificate),
  /** Days until it does; negative afterwards. */
  daysUntilExpiry: integer,
});
/** A certificate that runs out. */
export interface CertificateRenewalRequired extends Fields<typeof certificateRenewalRequired> {}

export const certificateRenewed = part({
  /** The connection. */
  connection: ref<ConnectionReference>(connectionReference),
  /** The new certificate. */
  certificate: ref<SamlCertificate>(samlCertificate),
  /** When it was renewed; ISO 8601 UTC with milliseconds. */
  renewedAt: timestamp,
});
/** A certificate that was renewed. */
export interface CertificateRenewed extends Fields<typeof certificateRenewed> {}

export const updatedDirectoryUser = model('directory_user', {
  ...directoryUser.shape,
  /** What changed, with the values before; keys are never renamed. */
  previousAttributes: maybe(opaque),
});
/** A directory user that has changed. Okta and Entra ID end the access of a person with this event and `state: 'inactive'`. */
export interface UpdatedDirectoryUser extends Fields<typeof updatedDirectoryUser> {}

export const updatedDirectoryGroup = model(null, {
  ...directoryGroup.shape,
  /** What changed, with the values before; keys are never renamed. */
  previousAttributes: maybe(opaque),
});
/** A directory group that has changed. */
export interface UpdatedDirectoryGroup extends Fields<typeof updatedDirectoryGroup> {}

export const directoryGroupUser = part({
  /** Directory of both. */
  directoryId: maybe(string),
  /** Who was added or removed. */
  user: ref<DirectoryUser>(directoryUser),
  /** The group. */
  group: ref<DirectoryGroup>(directoryGroup),
});
/** A directory user and a group that the user has joined or left. */
export interface DirectoryGroupUser extends Fields<typeof directoryGroupUser> {}

export const groupMember = part({
  /** The group. */
  groupId: string,
  /** Membership that was added or removed. */
  organizationMembershipId: string,
});
/** A membership and a group that it has joined or left. */
export interface GroupMember extends Fields<typeof groupMember> {}

export const agentRegistrationReference = part({
  /** Unique id of the registration. */
  agentRegistrationId: string,
});
/** The registration of an agent, by its id. */
export interface AgentRegistrationReference extends Fields<typeof agentRegistrationReference> {}

export const agentRegistrationSwitch = part({
  /** Unique id of the registration. */
  agentRegistrationId: string,
  /** Organization it belonged to. */
  fromOrganizationId: nullable(string),
  /** Organization it belongs to now. */
  toOrganizationId: nullable(string),
});
/** The registration of an agent that has moved to another organization. */
export interface AgentRegistrationSwitch extends Fields<typeof agentRegistrationSwitch> {}
