import { type Field, ref } from '../describe/define.js';
import {
  type Directory,
  type DirectoryGroup,
  type DirectoryUser,
  directory,
  directoryGroup,
  directoryUser,
} from '../directory-sync.js';
import { type OrganizationMembership, organizationMembership } from '../memberships.js';
import { type OrganizationDomain, organizationDomain } from '../organization-domains.js';
import { type Session, session } from '../sessions.js';
import { type Connection, connection } from '../sso.js';
import { type User, user } from '../users.js';
import * as data from './data.js';
import type { DescribedEventName, EventName } from './names.js';

/** Descriptions of event data, by event type. Data of all other types is kept exactly as received. */
export const payloads = {
  'user.created': ref<User>(user),
  'user.updated': ref<User>(user),
  'user.deleted': ref<User>(user),

  'organization.created': ref<data.OrganizationInEvent>(data.organizationInEvent),
  'organization.updated': ref<data.OrganizationInEvent>(data.organizationInEvent),
  'organization.deleted': ref<data.OrganizationInEvent>(data.organizationInEvent),

  'organization_domain.created': ref<OrganizationDomain>(organizationDomain),
  'organization_domain.updated': ref<OrganizationDomain>(organizationDomain),
  'organization_domain.deleted': ref<OrganizationDomain>(organizationDomain),
  'organization_domain.verified': ref<OrganizationDomain>(organizationDomain),
  'organization_domain.verification_failed': ref<data.FailedDomainVerification>(data.failedDomainVerification),

  'organization_membership.created': ref<OrganizationMembership>(organizationMembership),
  'organization_membership.updated': ref<OrganizationMembership>(organizationMembership),
  'organization_membership.deleted': ref<OrganizationMembership>(organizationMembership),

  'organization_role.created': ref<data.OrganizationRole>(data.organizationRole),
  'organization_role.updated': ref<data.OrganizationRole>(data.organizationRole),
  'organization_role.deleted': ref<data.OrganizationRole>(data.organizationRole),
  'role.created': ref<data.RoleInEvent>(data.roleInEvent),
  'role.updated': ref<data.RoleInEvent>(data.roleInEvent),
  'role.deleted': ref<data.RoleInEvent>(data.roleInEvent),
  'permission.created': ref<data.Permission>(data.permission),
  'permission.updated': ref<data.Permission>(data.permission),
  'permission.deleted': ref<data.Permission>(data.permission),

  'invitation.created': ref<data.InvitationInEvent>(data.invitationInEvent),
  'invitation.accepted': ref<data.InvitationInEvent>(data.invitationInEvent),
  'invitation.revoked': ref<data.InvitationInEvent>(data.invitationInEvent),
  'invitation.resent': ref<data.InvitationInEvent>(data.invitationInEvent),

  'email_verification.created': ref<data.EmailVerificationInEvent>(data.emailVerificationInEvent),
  'magic_auth.created': ref<data.MagicAuthInEvent>(data.magicAuthInEvent),
  'password_reset.created': ref<data.PasswordResetInEvent>(data.passwordResetInEvent),
  'password_reset.succeeded': ref<data.PasswordResetInEvent>(data.passwordResetInEvent),

  'session.created': ref<Session>(session),
  'session.revoked': ref<Session>(session),

  'authentication.email_verification_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.magic_auth_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.mfa_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.oauth_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.passkey_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.password_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.reauthentication_succeeded': ref<data.AuthenticationAttempt>(data.authenticationAttempt),
  'authentication.sso_succeeded': ref<data.SsoAuthenticationAttempt>(data.ssoAuthenticationAttempt),
  'authentication.sso_started': ref<data.SsoAuthenticationAttempt>(data.ssoAuthenticationAttempt),
  'authentication.sso_failed': ref<data.FailedSsoAuthenticationAttempt>(data.failedSsoAuthenticationAttempt),
  'authentication.sso_timed_out': ref<data.FailedSsoAuthenticationAttempt>(data.failedSsoAuthenticationAttempt),
  'authentication.email_verification_failed': ref<data.FailedAuthenticationAttempt>(data.failedAuthenticationAttempt),
  'authentication.magic_auth_failed': ref<data.FailedAuthenticationAttempt>(data.failedAuthenticationAttempt),
  'authentication.mfa_failed': ref<data.FailedAuthenticationAttempt>(data.failedAuthenticationAttempt),
  'authentication.oauth_failed': ref<data.FailedAuthenticationAttempt>(data.failedAuthenticationAttempt),
  'authentication.passkey_failed': ref<data.FailedAuthenticationAttempt>(data.failedAuthenticationAttempt),
  'authentication.password_failed': ref<data.FailedAuthenticationAttempt>(data.failedAuthenticationAttempt),
  'authentication.radar_risk_detected': ref<data.AuthenticationRisk>(data.authenticationRisk),
  'radar.challenge_created': ref<data.RadarChallenge>(data.radarChallenge),

  'connection.activated': ref<Connection>(connection),
  'connection.deactivated': ref<Connection>(connection),
  'connection.deleted': ref<data.DeletedConnection>(data.deletedConnection),
  'connection.saml_certificate_renewal_required': ref<data.CertificateRenewalRequired>(data.certificateRenewalRequired),
  'connection.saml_certificate_renewed': ref<data.CertificateRenewed>(data.certificateRenewed),

  'dsync.activated': ref<Directory>(directory),
  'dsync.deleted': ref<Directory>(directory),
  'dsync.user.created': ref<DirectoryUser>(directoryUser),
  'dsync.user.updated': ref<data.UpdatedDirectoryUser>(data.updatedDirectoryUser),
  'dsync.user.deleted': ref<DirectoryUser>(directoryUser),
  'dsync.group.created': ref<DirectoryGroup>(directoryGroup),
  'dsync.group.updated': ref<data.UpdatedDirectoryGroup>(data.updatedDirectoryGroup),
  'dsync.group.deleted': ref<DirectoryGroup>(directoryGroup),
  'dsync.group.user_added': ref<data.DirectoryGroupUser>(data.directoryGroupUser),
  'dsync.group.user_removed': ref<data.DirectoryGroupUser>(data.directoryGroupUser),

  'group.member_added': ref<data.GroupMember>(data.groupMember),
  'group.member_removed': ref<data.GroupMember>(data.groupMember),

  'agent.registration.deleted': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.expired': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.refreshed': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.revoked': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.organization.switched': ref<data.AgentRegistrationSwitch>(data.agentRegistrationSwitch),
} satisfies Readonly<Record<DescribedEventName, Field<object>>>;

/** Event data, by event type. */
export type EventData = {
  [Name in EventName]: Name extends DescribedEventName
    ? (typeof payloads)[Name] extends Field<infer Data>
      ? Data
      : never
    : Record<string, unknown>;
};
