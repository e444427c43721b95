import { InvalidArgumentError } from '../errors/index.js';
import type { EventName } from '../service/event-names.js';
import type { Event, EventFilter, EventOf, UnknownEvent } from '../service/events.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import { isGiven, type ListOptions, type ListParams } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import { eventRooms } from './operations.js';

export { eventNames, webhookEventNames } from '../service/event-names.js';

const api = eventRooms('events');

/** Where to start listing events: after an event you know, or at a moment; not both. */
export type EventStart =
  | {
      /** Start after the event with this id. */
      readonly after?: string | null | undefined;
      readonly rangeStart?: null | undefined;
    }
  | {
      /** Start at this moment; ISO 8601. Events older than 30 days are not there, however early it is. */
      readonly rangeStart?: string | null | undefined;
      readonly after?: null | undefined;
    };

/** Which events to list. */
export type EventListParams = Omit<EventFilter, 'rangeStart'> & Pick<ListParams, 'limit'> & EventStart;

/** Whether an event is of this type, which may be one that this version does not list. */
export function isEvent<Name extends EventName>(event: Event, name: Name): event is EventOf<Name>;
export function isEvent(event: Event, name: string): event is UnknownEvent;
export function isEvent(event: Event, name: string): boolean {
  return event.event === name;
}

/** Events: what has happened in the service and at the providers connected to it. */
export class Events extends Namespace {
  /**
   * List the events of the last 30 days. Await the result for one page; iterate over it for all of them. The list
   * only goes forward: keep the id of the last event you have handled, and pass it as `after` the next time.
   *
   * `switch (event.event)` narrows `event.data`. Events of types that this version does not know keep their data as
   * received.
   *
   * @throws {InvalidArgumentError} Both `after` and `rangeStart` are given.
   * @throws {UnprocessableError} `after` is the id of no event.
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
        why: 'Both say where the list starts',
        next: 'Pass after to continue from an event, or rangeStart to begin at a moment',
        argument: 'rangeStart',
      });
    // The description leaves the form of `data` open; the codec picked it by the event's type, which is what `Event` says.
    return this.pages(api('list'), { query: params }, options) as unknown as PagePromise<Event>;
  }
}
