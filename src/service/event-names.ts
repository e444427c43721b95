import type { Field } from './describe/define.js';
import { payloads } from './event-payloads.js';

// Apart from what describes events: a client that names no list of types does not carry one.

/** Types of events whose payload is kept exactly as received. */
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
  'waitlist_user.created',
  'waitlist_user.approved',
  'waitlist_user.denied',
  'agent.registration.created',
  'agent.registration.claim.attempt.created',
  'agent.registration.claim.completed',
  'agent.registration.credential.issued',
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

/** A type of event, as far as they are known. */
export type EventName = keyof typeof payloads | (typeof undescribed)[number];

/** What each type of event carries. */
export type EventData = {
  [Name in EventName]: Name extends keyof typeof payloads
    ? (typeof payloads)[Name] extends Field<infer Data>
      ? Data
      : never
    : Record<string, unknown>;
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
export const eventNames = /* @__PURE__ */ Object.keys(payloads).concat(undescribed) as readonly string[] as readonly [
  EventName,
  ...EventName[],
];

/** The types of events that webhook endpoints can be sent. */
export const webhookEventNames = /* @__PURE__ */ eventNames.filter(
  (name) => !(listedOnly as readonly string[]).includes(name),
  // What the filter leaves out is what `Exclude` leaves out.
) as readonly string[] as readonly [WebhookEventName, ...WebhookEventName[]];
