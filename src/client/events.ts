import { InvalidArgumentError } from '../errors/index.js';
import type { EventName } from '../service/events/names.js';
import type { Event, EventFilter, EventOf, UnknownEvent } from '../service/events.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams } from '../transport/request/options.js';
import { isGiven } from '../transport/request/url.js';
import { eventRooms } from './operations.js';

const api = eventRooms('events');

/** Where to start listing events: after a known event, or at a point in time, but not both. */
export type EventStart =
  | {
      /** Id of the event to start after, prefix `event_`. */
      readonly after?: string | null | undefined;
      readonly rangeStart?: null | undefined;
    }
  | {
      /** Time to start at; ISO 8601. Events older than 30 days are not available. */
      readonly rangeStart?: string | null | undefined;
      readonly after?: null | undefined;
    };

/** Filters of `listEvents`. */
export type EventListParams = Omit<EventFilter, 'rangeStart'> & Pick<ListParams, 'limit'> & EventStart;

/** Check whether an event has this type. The type may be one that this version does not know. */
export function isEvent<Name extends EventName>(event: Event, name: Name): event is EventOf<Name>;
export function isEvent(event: Event, name: string): event is UnknownEvent;
export function isEvent(event: Event, name: string): boolean {
  return event.event === name;
}

/** Events from the service and the providers connected to it. */
export class Events extends Namespace {
  /**
   * List the events of the last 30 days. Await the result for one page, or iterate over it to get all items. Pagination only
   * works forward: store the id of the last event you handled, and pass it as `after` next time.
   *
   * `switch (event.event)` narrows `event.data`. Events with a type that this version does not know keep their data as
   * received.
   *
   * @throws {InvalidArgumentError} Both `after` and `rangeStart` are passed.
   * @throws {UnprocessableError} No event has the id `after`.
   * @example
   * for await (const event of sallyport.events.listEvents({ events: ['dsync.user.created'], after: lastEventId })) {
   *   if (event.event === 'dsync.user.created') console.log(event.data.email);
   *   lastEventId = event.id;
   * }
   */
  listEvents(params: EventListParams = {}, options?: ListOptions): PagePromise<Event> {
    const { after, rangeStart } = orEmpty(params);
    if (isGiven(after) && isGiven(rangeStart))
      throw new InvalidArgumentError({
        what: 'events.listEvents takes after or rangeStart, not both',
        next: 'Pass one of them',
        argument: 'rangeStart',
      });
    // The operation does not type `data`, but the codec has decoded it according to the event's type, as `Event` declares.
    return this.pages(api('list'), { query: params }, options) as unknown as PagePromise<Event>;
  }
}
