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
import { type EventName, eventName } from './events/names.js';
import { type EventData, payloads } from './events/payloads.js';

/** The actor behind an event. */
export interface EventActor {
  /** Id of the user, directory or API key. */
  id?: string | null;
  /** Source of the action; `api` for an API key. */
  source?: 'api' | 'dashboard' | 'admin_portal' | 'user' | 'directory' | 'system' | (string & {});
  /** Display name. */
  name?: string | null;
}

/** Context of an event. The keys keep their wire names, and the service may add more. */
export interface EventContext {
  /** Client id. */
  client_id?: string;
  /** Actor behind the event. */
  actor?: EventActor;
  /** Previous values of the changed attributes. */
  previous_attributes?: Record<string, unknown>;
  [key: string]: unknown;
}

export const event = model('event', {
  /** Unique id, prefix `event_`. Pass it as `after` to resume listing. Repeated deliveries of an event have the same id. */
  id: string,
  /** Event type, such as `user.created`. */
  event: essential(eventName),
  /** Affected resource at the time of the event; its type depends on `event`. */
  data: tagged('event', payloads),
  /** Time of the event; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Context of the event; keys are never renamed. */
  context: maybe(opaqueAs<EventContext>()),
});

/** The reason why the data of an event could not be read. */
export interface EventProblem {
  /** Event type as received. */
  event: string;
  /** Error message, such as `The field data.email must be a string, but is null`. */
  message: string;
}

interface Envelope extends Omit<Fields<typeof event>, 'event' | 'data'> {}

interface EventRecord<Name extends string, Data> extends Envelope {
  /** Event type, such as `user.created`. */
  event: Name;
  /** Affected resource at the time of the event. */
  data: Data;
  /** Only set on an `UnknownEvent`. */
  problem?: undefined;
}

declare const unlisted: unique symbol;
/**
 * An event type that this version does not list; a string at run time. The brand keeps it distinct from the listed
 * names, so that `switch (event.event)` narrows. The template is needed because TypeScript considers a branded string
 * comparable with every name.
 */
export type UnlistedEventName = `${string & { readonly [unlisted]: true }}`;

type EventsByName = { [Name in EventName]: EventRecord<Name, EventData[Name]> };
/** An event of a listed type. */
export type KnownEvent = EventsByName[EventName];
/**
 * An event whose data is kept exactly as received, because this version does not list its type or because the data does
 * not match its type. In the second case `event` is `unknown`, and `problem` names the received type.
 */
export interface UnknownEvent extends Envelope {
  /** Event type, or `unknown` if the data does not match the type. */
  event: UnlistedEventName;
  /** Affected resource, exactly as received. */
  data: Record<string, unknown>;
  /** Reason why the data does not match; absent if this version does not list the type. */
  problem?: EventProblem;
}
/**
 * An event. `switch (event.event)` narrows `event.data`. A type that this version does not list falls into `default`,
 * and `isEvent(event, 'its.name')` matches it. An event whose data could not be read falls into `default` too and has a
 * `problem`.
 */
export type Event = KnownEvent | UnknownEvent;
/** Events of one type: `EventOf<'user.created'>`. */
// Compilers take a quarter longer for the client if this is `Extract<KnownEvent, { event: Name }>`.
export type EventOf<Name extends EventName> = EventsByName[Name];

export const eventFilter = query({
  /** Events of any of these types. */
  events: optional(array(eventName)),
  /** Events of this organization. */
  organizationId: optional(idOf('/organizations')),
  /** Start of the range, within the last 30 days; cannot be combined with `after`; ISO 8601 UTC with milliseconds. */
  rangeStart: optional(timestamp),
  /** End of the range; ISO 8601 UTC with milliseconds. */
  rangeEnd: optional(timestamp),
  /** Sort order by time; default: the order of the service. */
  order: optional(oneOf('asc', 'desc')),
});
/** Filters of `listEvents`. */
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
