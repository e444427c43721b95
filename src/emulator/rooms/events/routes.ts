import { events as api } from '../../../service/events.js';
import type { RoomPart } from '../../http/router.js';
import { unprocessableField } from '../../store/refusal.js';
import type { EventRecord } from '../../world/event-log.js';
import { faults } from '../faults/faults.js';

export const eventRoutes: RoomPart = {
  routes(router) {
    router.list(
      api.list,
      ({ memory, query, list }) => {
        const { organizationId, rangeStart, rangeEnd } = query;
        if (list.before !== undefined)
          throw unprocessableField(
            'before',
            'not_supported',
            'is not supported: events are listed oldest first, so use after',
          );
        if (rangeStart !== undefined && list.after !== undefined)
          throw unprocessableField('range_start', 'mutually_exclusive', 'must not be sent together with after');
        const start = rangeStart === undefined ? Number.NEGATIVE_INFINITY : Date.parse(rangeStart);
        const end = rangeEnd === undefined ? Number.POSITIVE_INFINITY : Date.parse(rangeEnd);
        if (end < start) throw unprocessableField('range_end', 'invalid_range', 'must not be before range_start');

        const names = query.events ?? [];
        // Most pollers request a single type, which the index finds directly.
        const indexed = { event: names.length === 1 ? names[0] : undefined };
        const late = memory.of(faults);
        const page = memory.events.records.page(list, indexed, (event) => {
          if (!late.isVisible(event.id)) return false;
          if (names.length > 1 && !names.includes(event.event)) return false;
          if (organizationId !== undefined && !concerns(event, organizationId)) return false;
          const at = Date.parse(event.createdAt);
          return at >= start && at <= end;
        });
        return page;
      },
      { order: 'asc' },
    );
  },
};

/** Fields and objects of the data that may name an organization. */
const fields = ['organizationId', 'fromOrganizationId', 'toOrganizationId'] as const;
const objects = ['organizationDomain', 'connection', 'sso', 'group'] as const;

/** Check whether an event is about an organization or one of its objects. */
function concerns({ event, data }: EventRecord, organizationId: string): boolean {
  if (event.startsWith('organization.')) return data.id === organizationId;
  if (fields.some((name) => data[name] === organizationId)) return true;
  return objects.some((name) => {
    const object = data[name];
    return (
      typeof object === 'object' &&
      object !== null &&
      'organizationId' in object &&
      object.organizationId === organizationId
    );
  });
}
