import { auditEvents } from '../rooms/audit-logs/events.js';
import { organizations } from '../rooms/organizations/records.js';
import { html } from '../server/html.js';
import type { RoomPart } from '../server/router.js';
import { consolePage, home, linkTo } from './frame.js';
import { newestFollow, partOf } from './lists.js';
import { code, table, time } from './parts.js';

const path = `${home}/audit-logs`;

/** Who did what in the applications of customers. */
export const auditLogPage: RoomPart = {
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { world } = exchange;
      const { records, more } = partOf(exchange, world.of(auditEvents), path);
      return consolePage(exchange, {
        title: 'Audit logs',
        place: 'Audit logs',
        follows: newestFollow(exchange, 'changes'),
        body: html`${table(
          'Audit events',
          [
            { title: 'Time', look: 'tight' },
            { title: 'Action' },
            { title: 'Actor' },
            { title: 'Targets' },
            { title: 'Organization' },
          ],
          records.map(({ occurredAt, action, actor, targets, organizationId }) => [
            time(occurredAt),
            code(action),
            actor.name ?? code(actor.id),
            targets.map(({ type, id }) => `${type}:${id}`).join(', '),
            linkTo(
              exchange,
              `${home}/organizations/${organizationId}`,
              world.of(organizations).find(organizationId)?.name ?? organizationId,
            ),
          ]),
          'Your application has sent no audit event yet.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });
  },
};
