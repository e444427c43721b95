import { chosenId } from '../../../service/describe/define.js';
import { type EventRecord, eventRecord } from '../../world/event-log.js';
import type { Facts } from '../../world/facts.js';

export const eventFacts: Facts<EventRecord> = {
  noun: 'event',
  model: eventRecord,
  all: ({ events }) => events.records,
  title: 'event',
  columns: [
    ['createdAt', 'Time'],
    'event',
    { label: 'Object', of: ({ data }) => data.id, as: chosenId },
    { label: 'Source', of: ({ context }) => (context.actor as { readonly source?: string } | undefined)?.source },
  ],
  empty: 'No events yet. They appear when your application changes something.',
  facts: [['createdAt', 'Time'], 'id'],
};
