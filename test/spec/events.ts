/**
 * Every event type and its payload: a transcription kept by hand from the service's specification ("Events"), never
 * generated from `src/service`. The specification shows the families and some names; the full list is D-119.
 *
 * The 17 types with `unknown` data are of the public service. Whether webhooks deliver them is not known; their relatives are delivered.
 *
 * `data` is the name of a resource, with what it adds or leaves out, or the payload's own fields in braces.
 */

export interface SpecifiedEvent {
  readonly name: string;
  readonly data: string;
  /** Whether a webhook endpoint can subscribe to it; the others appear only when events are listed. */
  readonly webhook: boolean;
}

const attempt = '{type, status, ip_address, user_agent, user_id, email}';
const failedAttempt = '{type, status, ip_address, user_agent, user_id, email, error}';
const ssoAttempt = '{type, status, ip_address, user_agent, user_id, email, sso}';
const failedSsoAttempt = '{type, status, ip_address, user_agent, user_id, email, sso, error}';
const risk = '{auth_method, action, control, blocklist_type, ip_address, user_agent, user_id, email}';
const organizationRole =
  'organization_role {organization_id, slug, name, description, resource_type_slug, permissions}';
const bareRole = 'role {object, slug, resource_type_slug, permissions?, created_at, updated_at}';
const organizationSwitch = '{agent_registration_id, from_organization_id, to_organization_id}';

export const specifiedEvents: readonly SpecifiedEvent[] = [
  { name: 'user.created', data: 'user', webhook: true },
  { name: 'user.updated', data: 'user', webhook: true },
  { name: 'user.deleted', data: 'user', webhook: true },

  { name: 'organization.created', data: 'organization', webhook: true },
  { name: 'organization.updated', data: 'organization', webhook: true },
  { name: 'organization.deleted', data: 'organization', webhook: true },

  { name: 'organization_domain.created', data: 'organization_domain', webhook: true },
  { name: 'organization_domain.updated', data: 'organization_domain', webhook: true },
  { name: 'organization_domain.deleted', data: 'organization_domain', webhook: true },
  { name: 'organization_domain.verified', data: 'organization_domain', webhook: true },
  { name: 'organization_domain.verification_failed', data: '{reason, organization_domain}', webhook: true },

  { name: 'organization_membership.created', data: 'organization_membership', webhook: true },
  { name: 'organization_membership.updated', data: 'organization_membership', webhook: true },
  { name: 'organization_membership.deleted', data: 'organization_membership', webhook: true },

  { name: 'organization_role.created', data: organizationRole, webhook: true },
  { name: 'organization_role.updated', data: organizationRole, webhook: true },
  { name: 'organization_role.deleted', data: organizationRole, webhook: true },
  { name: 'role.created', data: bareRole, webhook: true },
  { name: 'role.updated', data: bareRole, webhook: true },
  { name: 'role.deleted', data: bareRole, webhook: true },
  { name: 'permission.created', data: 'permission', webhook: true },
  { name: 'permission.updated', data: 'permission', webhook: true },
  { name: 'permission.deleted', data: 'permission', webhook: true },

  { name: 'invitation.created', data: 'invitation without token, accept_invitation_url', webhook: true },
  { name: 'invitation.accepted', data: 'invitation without token, accept_invitation_url', webhook: true },
  { name: 'invitation.revoked', data: 'invitation without token, accept_invitation_url', webhook: true },
  { name: 'invitation.resent', data: 'invitation without token, accept_invitation_url', webhook: true },

  { name: 'email_verification.created', data: 'email_verification without code', webhook: true },
  { name: 'magic_auth.created', data: 'magic_auth without code', webhook: true },
  { name: 'password_reset.created', data: 'password_reset without token, url', webhook: true },
  { name: 'password_reset.succeeded', data: 'password_reset without token, url', webhook: true },

  { name: 'session.created', data: 'session', webhook: true },
  { name: 'session.revoked', data: 'session', webhook: true },

  { name: 'authentication.email_verification_succeeded', data: attempt, webhook: true },
  { name: 'authentication.magic_auth_succeeded', data: attempt, webhook: true },
  { name: 'authentication.mfa_succeeded', data: attempt, webhook: true },
  { name: 'authentication.oauth_succeeded', data: attempt, webhook: true },
  { name: 'authentication.passkey_succeeded', data: attempt, webhook: true },
  { name: 'authentication.password_succeeded', data: attempt, webhook: true },
  { name: 'authentication.sso_succeeded', data: ssoAttempt, webhook: true },
  { name: 'authentication.reauthentication_succeeded', data: attempt, webhook: true },
  { name: 'authentication.magic_auth_failed', data: failedAttempt, webhook: true },
  { name: 'authentication.oauth_failed', data: failedAttempt, webhook: true },
  { name: 'authentication.passkey_failed', data: failedAttempt, webhook: true },
  { name: 'authentication.password_failed', data: failedAttempt, webhook: true },
  { name: 'authentication.sso_failed', data: failedSsoAttempt, webhook: true },
  { name: 'authentication.email_verification_failed', data: failedAttempt, webhook: false },
  { name: 'authentication.mfa_failed', data: failedAttempt, webhook: false },
  { name: 'authentication.sso_started', data: ssoAttempt, webhook: true },
  { name: 'authentication.sso_timed_out', data: failedSsoAttempt, webhook: true },
  { name: 'authentication.radar_risk_detected', data: risk, webhook: true },
  { name: 'radar.challenge_created', data: '{type, radar_challenge_id, user_id, email}', webhook: true },

  { name: 'connection.activated', data: 'connection plus external_key, status, domains', webhook: true },
  { name: 'connection.deactivated', data: 'connection plus external_key, status, domains', webhook: true },
  { name: 'connection.deleted', data: 'connection, short form', webhook: true },
  {
    name: 'connection.saml_certificate_renewal_required',
    data: '{connection, certificate, days_until_expiry}',
    webhook: true,
  },
  { name: 'connection.saml_certificate_renewed', data: '{connection, certificate, renewed_at}', webhook: true },

  { name: 'dsync.activated', data: 'directory plus external_key, domains', webhook: true },
  { name: 'dsync.deleted', data: 'directory, short form', webhook: true },
  { name: 'dsync.user.created', data: 'directory_user', webhook: true },
  { name: 'dsync.user.deleted', data: 'directory_user', webhook: true },
  { name: 'dsync.user.updated', data: 'directory_user plus previous_attributes?', webhook: true },
  { name: 'dsync.group.created', data: 'directory_group', webhook: true },
  { name: 'dsync.group.deleted', data: 'directory_group', webhook: true },
  { name: 'dsync.group.updated', data: 'directory_group plus previous_attributes?', webhook: true },
  { name: 'dsync.group.user_added', data: 'directory_group_user', webhook: true },
  { name: 'dsync.group.user_removed', data: 'directory_group_user', webhook: true },
  { name: 'dsync.token.created', data: 'directory_token', webhook: false },
  { name: 'dsync.token.revoked', data: 'directory_token', webhook: false },

  { name: 'group.created', data: 'group', webhook: true },
  { name: 'group.updated', data: 'group', webhook: true },
  { name: 'group.deleted', data: 'group', webhook: true },
  { name: 'group.member_added', data: '{group_id, organization_membership_id}', webhook: true },
  { name: 'group.member_removed', data: '{group_id, organization_membership_id}', webhook: true },

  { name: 'api_key.created', data: 'api_key', webhook: true },
  { name: 'api_key.updated', data: 'api_key plus previous_attributes', webhook: true },
  { name: 'api_key.revoked', data: 'api_key', webhook: true },

  { name: 'flag.created', data: 'feature_flag', webhook: true },
  { name: 'flag.updated', data: 'feature_flag', webhook: true },
  { name: 'flag.deleted', data: 'feature_flag', webhook: true },
  { name: 'flag.rule_updated', data: 'feature_flag', webhook: true },

  { name: 'pipes.connected_account.connected', data: 'connected_account', webhook: true },
  { name: 'pipes.connected_account.disconnected', data: 'connected_account', webhook: true },
  { name: 'pipes.connected_account.reauthorization_needed', data: 'connected_account', webhook: true },
  { name: 'pipes.connected_account.connection_failed', data: 'connection_failed', webhook: true },
  { name: 'pipes.account_connection.connected', data: 'unknown', webhook: true },
  { name: 'pipes.account_connection.disconnected', data: 'unknown', webhook: true },
  { name: 'pipes.account_connection.reauthorization_needed', data: 'unknown', webhook: true },
  { name: 'pipes.account_connection.connection_failed', data: 'unknown', webhook: true },
  { name: 'pipes.account_connection.add_failed', data: 'unknown', webhook: true },

  { name: 'waitlist_user.created', data: 'waitlist_user', webhook: true },
  { name: 'waitlist_user.approved', data: 'waitlist_user', webhook: true },
  { name: 'waitlist_user.denied', data: 'waitlist_user', webhook: true },

  { name: 'agent.registration.created', data: 'agent_registration', webhook: true },
  { name: 'agent.registration.claim.attempt.created', data: 'agent_registration_claim_attempt', webhook: true },
  { name: 'agent.registration.claim.completed', data: 'agent_registration_claim', webhook: true },
  { name: 'agent.registration.credential.issued', data: 'agent_registration_credential', webhook: true },
  { name: 'agent.registration.deleted', data: '{agent_registration_id}', webhook: true },
  { name: 'agent.registration.expired', data: '{agent_registration_id}', webhook: true },
  { name: 'agent.registration.refreshed', data: '{agent_registration_id}', webhook: true },
  { name: 'agent.registration.revoked', data: '{agent_registration_id}', webhook: true },
  { name: 'agent.registration.organization.switched', data: organizationSwitch, webhook: true },

  { name: 'agent.blueprint.created', data: 'unknown', webhook: true },
  { name: 'agent.blueprint.updated', data: 'unknown', webhook: true },
  { name: 'agent.blueprint.deleted', data: 'unknown', webhook: true },
  { name: 'agent.instance.created', data: 'unknown', webhook: true },
  { name: 'agent.instance.deleted', data: 'unknown', webhook: true },
  { name: 'agent.instance.session.created', data: 'unknown', webhook: true },
  { name: 'agent.instance.session.revoked', data: 'unknown', webhook: true },

  { name: 'resource_export.created', data: 'unknown', webhook: true },
  { name: 'resource_export.completed', data: 'unknown', webhook: true },
  { name: 'resource_export.failed', data: 'unknown', webhook: true },
  { name: 'resource_export.downloaded', data: 'unknown', webhook: true },
  { name: 'session.reauthenticated', data: 'unknown', webhook: true },

  { name: 'action.authentication.denied', data: 'action verdict record', webhook: false },
  { name: 'action.user_registration.denied', data: 'action verdict record', webhook: false },

  { name: 'vault.data.created', data: 'vault access record', webhook: false },
  { name: 'vault.data.read', data: 'vault access record', webhook: false },
  { name: 'vault.data.updated', data: 'vault access record', webhook: false },
  { name: 'vault.data.deleted', data: 'vault access record', webhook: false },
  { name: 'vault.metadata.read', data: 'vault access record', webhook: false },
  { name: 'vault.names.listed', data: 'vault access record', webhook: false },
  { name: 'vault.dek.read', data: 'vault access record', webhook: false },
  { name: 'vault.dek.decrypted', data: 'vault access record', webhook: false },
  { name: 'vault.kek.created', data: 'vault access record', webhook: false },
  { name: 'vault.kek.deleted', data: 'vault access record', webhook: false },
  { name: 'vault.byok_key.verification_completed', data: 'vault access record', webhook: false },
  { name: 'vault.byok_key.deleted', data: 'vault access record', webhook: false },
];
