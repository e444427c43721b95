import type { Event } from '../../service/events.js';
import { retentionDays } from './upkeep.js';

/** The type of an event, even if its data could not be read. */
export const typeOf = (event: Event): string => event.problem?.event ?? event.event;

/** Event families that report an occurrence instead of the state of an object. */
const occurrences = /^(?:authentication|session|radar|email_verification|magic_auth|password_reset|action|vault)\./;

/**
 * The object whose state an event reports: its family and id, such as `user/user_01H…`, or both ids for a group membership.
 * Undefined for an event that reports an occurrence.
 */
export function guardedObject(event: Event): string | undefined {
  const type = typeOf(event);
  if (occurrences.test(type)) return undefined;
  const family = type.slice(0, type.lastIndexOf('.'));
  // Event families have different data; missing fields are undefined.
  const data = Object(event.data) as Record<string, unknown>;
  const idOf = (value: unknown): unknown => (Object(value) as { readonly id?: unknown }).id;
  const ids: readonly unknown[] =
    family === 'dsync.group' && 'group' in data
      ? [idOf(data.group), idOf(data.user)]
      : /^group\.member_/.test(type)
        ? [data.groupId ?? data.group_id, data.organizationMembershipId ?? data.organization_membership_id]
        : [data.id ?? idOf(data.organizationDomain ?? data.organization_domain) ?? slugOf(data)];
  return ids.every((id) => typeof id === 'string') ? [family, ...ids].join('/') : undefined;
}

/** Identify roles and permissions, which have no id in events. */
function slugOf({ slug, organizationId, organization_id }: Record<string, unknown>): string | undefined {
  if (typeof slug !== 'string') return undefined;
  const organization = organizationId ?? organization_id;
  return typeof organization === 'string' ? `${organization}/${slug}` : slug;
}

/**
 * A string that sorts events by age, or undefined if the event has no time. Within one millisecond, creations sort first and
 * deletions last.
 */
export function sortKeyOf(event: Event): string | undefined {
  const time = Date.parse(event.createdAt);
  if (Number.isNaN(time)) return undefined;
  const verb = typeOf(event).split('.').pop()!;
  const rank = verb === 'created' ? 0 : verb === 'deleted' || verb === 'revoked' ? 2 : 1;
  return `${new Date(time).toISOString()} ${rank} ${event.id}`;
}

/** Event types that report a change of an object, with the same data as its creation. */
const changes = /^(?:.+\.updated|invitation\.(?:accepted|resent|revoked)|organization_domain\.verified)$/;

/**
 * Derive the creation event of an object from its change, with the newer data. Returns undefined for other events, and if the
 * object is so old that its creation event cannot arrive any more.
 */
export function creationOf(event: Event): Event | undefined {
  if (!changes.test(event.event)) return undefined;
  // Undescribed data keeps its wire names.
  const { createdAt, created_at = createdAt } = Object(event.data) as Readonly<Record<string, unknown>>;
  const ageMs = Date.parse(event.createdAt) - Date.parse(String(created_at));
  if (!(ageMs <= retentionDays * 86_400_000)) return undefined;
  // Updates may have extra fields.
  return { ...event, event: event.event.replace(/\w+$/, 'created') } as Event;
}
