import { open } from '../describe/define.js';

// Separate from the event descriptions, which load with the first event.

/** Event types with described data. */
const described = [
  'user.created',
  'user.updated',
  'user.deleted',

  'organization.created',
  'organization.updated',
  'organization.deleted',

  'organization_domain.created',
  'organization_domain.updated',
  'organization_domain.deleted',
  'organization_domain.verified',
  'organization_domain.verification_failed',

  'organization_membership.created',
  'organization_membership.updated',
  'organization_membership.deleted',

  'organization_role.created',
  'organization_role.updated',
  'organization_role.deleted',
  'role.created',
  'role.updated',
  'role.deleted',
  'permission.created',
  'permission.updated',
  'permission.deleted',

  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'invitation.resent',

  'email_verification.created',
  'magic_auth.created',
  'password_reset.created',
  'password_reset.succeeded',

  'session.created',
  'session.revoked',

  'authentication.email_verification_succeeded',
  'authentication.magic_auth_succeeded',
  'authentication.mfa_succeeded',
  'authentication.oauth_succeeded',
  'authentication.passkey_succeeded',
  'authentication.password_succeeded',
  'authentication.reauthentication_succeeded',
  'authentication.sso_succeeded',
  'authentication.sso_started',
  'authentication.sso_failed',
  'authentication.sso_timed_out',
  'authentication.email_verification_failed',
  'authentication.magic_auth_failed',
  'authentication.mfa_failed',
  'authentication.oauth_failed',
  'authentication.passkey_failed',
  'authentication.password_failed',
  'authentication.radar_risk_detected',
  'radar.challenge_created',

  'connection.activated',
  'connection.deactivated',
  'connection.deleted',
  'connection.saml_certificate_renewal_required',
  'connection.saml_certificate_renewed',

  'dsync.activated',
  'dsync.deleted',
  'dsync.user.created',
  'dsync.user.updated',
  'dsync.user.deleted',
  'dsync.group.created',
  'dsync.group.updated',
  'dsync.group.deleted',
  'dsync.group.user_added',
  'dsync.group.user_removed',

  'group.member_added',
  'group.member_removed',

  'agent.registration.deleted',
  'agent.registration.expired',
  'agent.registration.refreshed',
  'agent.registration.revoked',
  'agent.registration.organization.switched',
] as const;
/** An event type with described data. */
export type DescribedEventName = (typeof described)[number];

/** Event types with data that is kept exactly as received. */
const undescribed = [
  'dsync.token.created',
  'dsync.token.revoked',
  'group.created',
  'group.updated',
  'group.deleted',
  'api_key.created',
  'api_key.updated',
  'api_key.revoked',
  'flag.created',
  'flag.updated',
  'flag.deleted',
  'flag.rule_updated',
  'pipes.connected_account.connected',
  'pipes.connected_account.disconnected',
  'pipes.connected_account.reauthorization_needed',
  'pipes.connected_account.connection_failed',
  'pipes.account_connection.connected',
  'pipes.account_connection.disconnected',
  'pipes.account_connection.reauthorization_needed',
  'pipes.account_connection.connection_failed',
  'pipes.account_connection.add_failed',
  'waitlist_user.created',
  'waitlist_user.approved',
  'waitlist_user.denied',
  'agent.registration.created',
  'agent.registration.claim.attempt.created',
  'agent.registration.claim.completed',
  'agent.registration.credential.issued',
  'agent.blueprint.created',
  'agent.blueprint.updated',
  'agent.blueprint.deleted',
  'agent.instance.created',
  'agent.instance.deleted',
  'agent.instance.session.created',
  'agent.instance.session.revoked',
  'resource_export.created',
  'resource_export.completed',
  'resource_export.failed',
  'resource_export.downloaded',
  'session.reauthenticated',
  'action.authentication.denied',
  'action.user_registration.denied',
  'vault.data.created',
  'vault.data.read',
  'vault.data.updated',
  'vault.data.deleted',
  'vault.metadata.read',
  'vault.names.listed',
  'vault.dek.read',
  'vault.dek.decrypted',
  'vault.kek.created',
  'vault.kek.deleted',
  'vault.byok_key.verification_completed',
  'vault.byok_key.deleted',
] as const;

/** A known event type. */
export type EventName = DescribedEventName | (typeof undescribed)[number];

const listedOnly = [
  'authentication.email_verification_failed',
  'authentication.mfa_failed',
  'dsync.token.created',
  'dsync.token.revoked',
  'action.authentication.denied',
  'action.user_registration.denied',
  'vault.data.created',
  'vault.data.read',
  'vault.data.updated',
  'vault.data.deleted',
  'vault.metadata.read',
  'vault.names.listed',
  'vault.dek.read',
  'vault.dek.decrypted',
  'vault.kek.created',
  'vault.kek.deleted',
  'vault.byok_key.verification_completed',
  'vault.byok_key.deleted',
] as const satisfies readonly EventName[];

/** An event type that webhook endpoints can receive. The others appear only when you list events. */
export type WebhookEventName = Exclude<EventName, (typeof listedOnly)[number]>;

/** All known event types. */
export const eventNames = /* @__PURE__ */ (described as readonly EventName[]).concat(
  undescribed,
  // Both lists are non-empty.
) as readonly EventName[] as readonly [EventName, ...EventName[]];

/** Event types that webhook endpoints can receive. */
export const webhookEventNames = /* @__PURE__ */ eventNames.filter(
  (name) => !(listedOnly as readonly string[]).includes(name),
  // The filter removes the same names as `Exclude`.
) as readonly string[] as readonly [WebhookEventName, ...WebhookEventName[]];

/** An event type in requests and responses: a known one, or one that the service has added since. */
export const eventName = open<EventName>();
/** An event type that an endpoint receives. */
export const webhookEventName = open<WebhookEventName>();
