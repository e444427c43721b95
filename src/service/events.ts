import {
  array,
  essential,
  type Fields,
  idOf,
  maybe,
  model,
  oneOf,
  opaqueAs,
  optional,
  query,
  string,
  tagged,
  timestamp,
} from './describe/define.js';
import { list, room } from './describe/operation.js';
import { type EventName, eventName } from './event-names.js';
import { type EventData, payloads } from './event-payloads.js';

/** Who did what an event tells of. */
export interface EventActor {
  /** Id of the user, directory or API key. */
  id?: string | null;
  /** Through what it was done, `api` for an API key. */
  source?: 'api' | 'dashboard' | 'admin_portal' | 'user' | 'directory' | 'system' | (string & {});
  /** What people call it. */
  name?: string | null;
}

/** Circumstances of an event. The keys are the wire's own: the service may add any. */
export interface EventContext {
  /** Client through which it happened. */
  client_id?: string;
  /** Who did it, and through what. */
  actor?: EventActor;
  /** What changed, with the values before. */
  previous_attributes?: Record<string, unknown>;
  [key: string]: unknown;
}

export const event = model('event', {
  /** Unique id, prefix `event_`; where to resume listing. The same event delivered twice has the same id. */
  id: string,
  /** What has happened. */
  event: essential(eventName),
  /** What it has happened to, as it was then; its form follows from `event`. */
  data: tagged('event', payloads),
  /** When it happened; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Under which circumstances; keys are never renamed. */
  context: maybe(opaqueAs<EventContext>()),
});

/** Why the data of an event could not be read. */
export interface EventProblem {
  /** The type that the event came with. */
  event: string;
  /** What is wrong: `The field data.email must be a string and is null`. */
  message: string;
}

interface Envelope extends Omit<Fields<typeof event>, 'event' | 'data'> {}

interface EventRecord<Name extends string, Data> extends Envelope {
  /** What has happened. */
  event: Name;
  /** What it has happened to, as it was then. */
  data: Data;
  /** Only in an `UnknownEvent`. */
  problem?: undefined;
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
/**
 * An event whose data is kept exactly as received: of a type that this version does not list, or of one whose data does not
 * fit it. The latter has a `problem`, which names the type it came with, and its `event` is `unknown`.
 */
export interface UnknownEvent extends Envelope {
  /** What has happened; `unknown` where the data does not fit. */
  event: UnlistedEventName;
  /** What it has happened to, exactly as received. */
  data: Record<string, unknown>;
  /** Why the data does not fit; absent for a type that this version does not list. */
  problem?: EventProblem;
}
/**
 * Something that has happened. `switch (event.event)` narrows `event.data`; a type that this version does not list falls
 * into `default`, or into `isEvent(event, 'its.name')`, and so does an event whose data could not be read, with a `problem`.
 */
export type Event = KnownEvent | UnknownEvent;
/** Events of one type: `EventOf<'user.created'>`. */
export type EventOf<Name extends EventName> = Extract<KnownEvent, { event: Name }>;

export const eventFilter = query({
  /** Events of any of these types. */
  events: optional(array(eventName)),
  /** Events of this organization. */
  organizationId: optional(idOf('/organizations')),
  /** Events from this moment on, of the last 30 days; excludes `after`; ISO 8601 UTC with milliseconds. */
  rangeStart: optional(timestamp),
  /** Events until this moment; ISO 8601 UTC with milliseconds. */
  rangeEnd: optional(timestamp),
  /** By time; the service's own order when not given. */
  order: optional(oneOf('asc', 'desc')),
});
/** Which events to list. */
export interface EventFilter extends Fields<typeof eventFilter> {}

export const events = room('events', 'events', {
  list: list('/events', {
    client: 'listEvents',
    query: eventFilter,
    returns: event,
    forwardOnly: true,
    startsAt: 'rangeStart',
  }),
});
