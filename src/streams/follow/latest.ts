import type { Sallyport } from '../../client/sallyport.js';
import { checkArgumentNames } from '../../errors/known-options.js';
import type { EventName } from '../../service/events/names.js';
import type { Event } from '../../service/events.js';

/** Selects events. */
export interface EventSelection {
  /** Only events of these types; default: all. */
  readonly events?: readonly EventName[] | undefined;
  /** Only events of this organization; default: all events, with or without an organization. */
  readonly organizationId?: string | undefined;
}

/** The part of the client that streams use. */
export type EventsClient = Pick<Sallyport, 'events'>;

/**
 * Get the newest event in the feed with one request. Resolves to undefined if there was none in the last 30 days.
 *
 * @example
 * const newest = await latest(sallyport, { events: ['user.created'] });
 */
export async function latest(client: EventsClient, selection: EventSelection = {}): Promise<Event | undefined> {
  checkArgumentNames('latest', selection, { events: 1, organizationId: 1 });
  const { events, organizationId } = selection;
  const page = await client.events.listEvents({
    events: events && [...events],
    organizationId,
    order: 'desc',
    limit: 1,
  });
  return page.data[0];
}
