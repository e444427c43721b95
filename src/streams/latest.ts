import type { Sallyport } from '../client/sallyport.js';
import type { EventName } from '../service/event-names.js';
import type { Event } from '../service/events.js';

/** Which events are looked at. */
export interface EventSelection {
  /** Events of any of these types; all by default. */
  readonly types?: readonly EventName[] | undefined;
  /** Events of this organization; of all and none by default. */
  readonly organizationId?: string | undefined;
}

/** The client of the service, of which streams need the events. */
export type EventsClient = Pick<Sallyport, 'events'>;

/**
 * Find the newest event that the service shows now, by one request: says where the feed stands. Undefined when there was none in
 * the last 30 days.
 *
 * @example
 * const newest = await latest(sallyport, { types: ['user.created'] });
 */
export async function latest(
  client: EventsClient,
  { types, organizationId }: EventSelection = {},
): Promise<Event | undefined> {
  const page = await client.events.listEvents({ events: types && [...types], organizationId, order: 'desc', limit: 1 });
  return page.data[0];
}
