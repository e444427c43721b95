import { html } from '../http/html.js';
import type { RoomPart } from '../http/router.js';
import { auditEvents } from '../rooms/audit-logs/events.js';
import { organizations } from '../rooms/organizations/records.js';
import { consolePage, home, linkTo } from './layout.js';
import { liveKindsOf, pageOf } from './paging.js';
import { code, table, time } from './widgets.js';

const path = `${home}/audit-logs`;

/** Page with the audit log events of all organizations. */
export const auditLogPage: RoomPart = {
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { memory } = exchange;
      const { records, more } = pageOf(exchange, memory.of(auditEvents), path);
      return consolePage(exchange, {
        title: 'Audit logs',
        place: 'Audit logs',
        follows: liveKindsOf(exchange, 'changes'),
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
              memory.of(organizations).find(organizationId)?.name ?? organizationId,
            ),
          ]),
          'No audit events yet. They appear when your application sends them.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });
  },
};
