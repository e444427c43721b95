import { reportedObject } from '../../service/events/objects.js';
import type { Event } from '../../service/events.js';
import { storable } from './database.js';
import { retentionDays } from './tables.js';

/** The type of an event, even if its data could not be read. */
export const typeOf = (event: Event): string => event.problem?.event ?? event.event;

/** The object whose state an event reports, or undefined if it reports an occurrence. */
export const guardedObject = (event: Event): string | undefined =>
  // Event families have different data; missing fields are undefined.
  reportedObject(typeOf(event), Object(event.data) as Readonly<Record<string, unknown>>);

/**
 * A string that sorts events by age, or undefined if the event has no time. Within one millisecond, creations sort first and
 * deletions last.
 */
export function sortKeyOf(event: Event): string | undefined {
  const time = Date.parse(event.createdAt);
  if (Number.isNaN(time)) return undefined;
  const verb = typeOf(event).split('.').pop()!;
  const rank = verb === 'created' ? 0 : verb === 'deleted' || verb === 'revoked' ? 2 : 1;
  return storable(`${new Date(time).toISOString()} ${rank} ${event.id}`);
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
  return { ...event, event: event.event.replace(/\.\w+$/, '.created') } as Event;
}
