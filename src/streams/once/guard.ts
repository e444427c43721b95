import type { Event } from '../../service/events.js';
import { daysKept } from './upkeep.js';

/** The type of an event, that of one whose data could not be read included. */
export const typeOf = (event: Event): string => event.problem?.event ?? event.event;

/** Families that tell of something that happened, and not of how an object is now. */
const occurrences = /^(?:authentication|session|radar|email_verification|magic_auth|password_reset|action|vault)\./;

/**
 * Names the object whose state an event tells: its family and its id, such as `user/user_01H…`, or both ids where it tells
 * whether somebody is in a group. Undefined for an event that tells of an occurrence.
 */
export function guardedObject(event: Event): string | undefined {
  const type = typeOf(event);
  if (occurrences.test(type)) return undefined;
  const family = type.slice(0, type.lastIndexOf('.'));
  // Each family has data of its own; what is looked for is there or undefined.
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

/** Roles and permissions have no id in events. */
function slugOf({ slug, organizationId, organization_id }: Record<string, unknown>): string | undefined {
  if (typeof slug !== 'string') return undefined;
  const organization = organizationId ?? organization_id;
  return typeof organization === 'string' ? `${organization}/${slug}` : slug;
}

/**
 * Says when an event happened, as a text that is greater the newer it is; undefined where it has no time. In one millisecond
 * an object is created first and deleted last.
 */
export function ageOf(event: Event): string | undefined {
  const time = Date.parse(event.createdAt);
  if (Number.isNaN(time)) return undefined;
  const verb = typeOf(event).split('.').pop()!;
  const rank = verb === 'created' ? 0 : verb === 'deleted' || verb === 'revoked' ? 2 : 1;
  return `${new Date(time).toISOString()} ${rank} ${event.id}`;
}

/**
 * Makes the creation of an object from its update, with the newer data. Undefined for other events, and if the object is so old that
 * its creation cannot come any more.
 */
export function creationOf(event: Event): Event | undefined {
  if (!event.event.endsWith('.updated')) return undefined;
  const { createdAt } = Object(event.data) as { readonly createdAt?: unknown };
  const ageMs = Date.parse(event.createdAt) - Date.parse(String(createdAt));
  if (!(ageMs <= daysKept * 86_400_000)) return undefined;
  // A family has the same data in both, and its updates may have more.
  return { ...event, event: event.event.replace(/updated$/, 'created') } as Event;
}
