// Add one BullMQ job for each event, even if the event arrives again.

import type { Event } from 'sallyport';

/** A `Queue` of BullMQ. */
interface Queue {
  add(name: string, data: Event, options: object): Promise<unknown>;
}

export const addTo = (queue: Queue) => (event: Event) =>
  queue.add(event.event, event, {
    jobId: event.id,
    // BullMQ forgets the id of a removed job, but remembers its deduplication id. The service keeps events for 30 days.
    deduplication: { id: event.id, ttl: 35 * 86_400_000 },
  });
