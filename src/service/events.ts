import {
  type AnyModel,
  array,
  type Field,
  type Fields,
  maybe,
  model,
  oneOf,
  opaque,
  opaqueAs,
  open,
  optional,
  part,
  ref,
  string,
  tagged,
  timestamp,
} from './describe/define.js';
import { list, room } from './describe/operation.js';
import {
  type Directory,
  type DirectoryGroup,
  type DirectoryUser,
  directory,
  directoryGroup,
  directoryUser,
} from './directory-sync.js';
import * as data from './event-data.js';
import { type OrganizationMembership, organizationMembership } from './memberships.js';
import { type OrganizationDomain, organizationDomain } from './organization-domains.js';
import { type Connection, connection } from './sso.js';
import { type User, user } from './users.js';

/** The types of events and what each carries; `opaque` payloads are kept exactly as received. */
const payloads = {
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

  'session.created': ref<data.Session>(data.session),
  'session.revoked': ref<data.Session>(data.session),

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
  'dsync.token.created': opaque,
  'dsync.token.revoked': opaque,

  'group.created': opaque,
  'group.updated': opaque,
  'group.deleted': opaque,
  'group.member_added': ref<data.GroupMember>(data.groupMember),
  'group.member_removed': ref<data.GroupMember>(data.groupMember),

  'api_key.created': opaque,
  'api_key.updated': opaque,
  'api_key.revoked': opaque,

  'flag.created': opaque,
  'flag.updated': opaque,
  'flag.deleted': opaque,
  'flag.rule_updated': opaque,

  'pipes.connected_account.connected': opaque,
  'pipes.connected_account.disconnected': opaque,
  'pipes.connected_account.reauthorization_needed': opaque,
  'pipes.connected_account.connection_failed': opaque,

  'waitlist_user.created': opaque,
  'waitlist_user.approved': opaque,
  'waitlist_user.denied': opaque,

  'agent.registration.created': opaque,
  'agent.registration.claim.attempt.created': opaque,
  'agent.registration.claim.completed': opaque,
  'agent.registration.credential.issued': opaque,
  'agent.registration.deleted': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.expired': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.refreshed': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.revoked': ref<data.AgentRegistrationReference>(data.agentRegistrationReference),
  'agent.registration.organization.switched': ref<data.AgentRegistrationSwitch>(data.agentRegistrationSwitch),

  'action.authentication.denied': opaque,
  'action.user_registration.denied': opaque,

  'vault.data.created': opaque,
  'vault.data.read': opaque,
  'vault.data.updated': opaque,
  'vault.data.deleted': opaque,
  'vault.metadata.read': opaque,
  'vault.names.listed': opaque,
  'vault.dek.read': opaque,
  'vault.dek.decrypted': opaque,
  'vault.kek.created': opaque,
  'vault.kek.deleted': opaque,
  'vault.byok_key.verification_completed': opaque,
  'vault.byok_key.deleted': opaque,
};

/** A type of event, as far as they are known. */
export type EventName = keyof typeof payloads;

/** What each type of event carries. */
export type EventData = {
  [Name in EventName]: (typeof payloads)[Name] extends Field<infer Data> ? Data : never;
};

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

/** A type of event that webhook endpoints can be sent; the others appear only when events are listed. */
export type WebhookEventName = Exclude<EventName, (typeof listedOnly)[number]>;

/** The types of events. */
// The compiler types keys as strings; these are the keys of one literal.
export const eventNames = Object.keys(payloads) as readonly string[] as readonly [EventName, ...EventName[]];

/** The types of events that webhook endpoints can be sent. */
export const webhookEventNames = eventNames.filter(
  (name) => !(listedOnly as readonly string[]).includes(name),
  // What the filter leaves out is what `Exclude` leaves out.
) as readonly string[] as readonly [WebhookEventName, ...WebhookEventName[]];

/** A type of event in requests and answers: a known one, or one the service has added since. */
export const eventName = open<EventName>(...eventNames);
/** A type of event that an endpoint is sent. */
export const webhookEventName = open<WebhookEventName>(...webhookEventNames);

/** Descriptions of what events carry, by the type of event; a type without one is kept exactly as received. */
export const eventModels: Readonly<Record<string, AnyModel>> = Object.fromEntries(
  Object.entries<Field<object>>(payloads).flatMap(([name, { model }]) => (model ? [[name, model]] : [])),
);

/** Circumstances of an event. The keys are the wire's own: the service may add any. */
export interface EventContext {
  /** Client through which it happened. */
  client_id?: string;
  /** Who did it, and through what, `api` or `dashboard` say. */
  actor?: { id?: string | null; source?: string; name?: string | null };
  /** What changed, with the values before. */
  previous_attributes?: Record<string, unknown>;
  [key: string]: unknown;
}

export const event = model('event', {
  /** Unique id, prefix `event_`; where to resume listing. The same event delivered twice has the same id. */
  id: string,
  /** What has happened. */
  event: eventName,
  /** What it has happened to, as it was then; its form follows from `event`. */
  data: tagged('event', eventModels),
  /** When it happened. */
  createdAt: timestamp,
  /** Under which circumstances; keys are never renamed. */
  context: maybe(opaqueAs<EventContext>()),
});

interface EventRecord<Name extends string, Data> extends Omit<Fields<typeof event>, 'event' | 'data'> {
  /** What has happened. */
  event: Name;
  /** What it has happened to, as it was then. */
  data: Data;
}

declare const unlisted: unique symbol;
/**
 * A type of event that this version does not list: a string at run time. The mark keeps it apart from the listed names,
 * without which `switch (event.event)` could not narrow; it stands in a template because the compiler holds a marked
 * string to be comparable with every name, and a template only with the names that match it.
 */
export type UnlistedEventName = `${string & { readonly [unlisted]: true }}`;

/** An event of a listed type. */
export type KnownEvent = { [Name in EventName]: EventRecord<Name, EventData[Name]> }[EventName];
/** An event of a type that this version does not list; its data is kept exactly as received. */
export interface UnknownEvent extends EventRecord<UnlistedEventName, Record<string, unknown>> {}
/**
 * Something that has happened. `switch (event.event)` narrows `event.data`; a type that this version does not list falls
 * into `default`, or into `isEvent(event, 'its.name')`.
 */
export type Event = KnownEvent | UnknownEvent;
/** Events of one type: `EventOf<'user.created'>`. */
export type EventOf<Name extends EventName> = Extract<KnownEvent, { event: Name }>;

/** Whether an event is of this type, which may be one that this version does not list. */
export function isEvent<Name extends EventName>(event: Event, name: Name): event is EventOf<Name>;
export function isEvent(event: Event, name: string): event is UnknownEvent;
export function isEvent(event: Event, name: string): boolean {
  return event.event === name;
}

export const eventFilter = part({
  /** Events of any of these types. */
  events: optional(array(eventName)),
  /** Events of this organization. */
  organizationId: optional(string),
  /** Events from this moment on, at most 30 days ago; excludes `after`. */
  rangeStart: optional(timestamp),
  /** Events until this moment. */
  rangeEnd: optional(timestamp),
  /** By time; the service's own order when not given. */
  order: optional(oneOf('asc', 'desc')),
});
/** Which events to list. */
export interface EventFilter extends Fields<typeof eventFilter> {}

export const events = room('events', 'events', 'Endpoints > Events and webhook endpoints', {
  list: list('/events', { client: 'listEvents', query: eventFilter, returns: event, forwardOnly: true }),
});
