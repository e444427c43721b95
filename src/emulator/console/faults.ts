import { faults } from '../server/faults.js';
import { html } from '../server/html.js';
import type { RoomPart } from '../server/router.js';
import { consolePage, home } from './frame.js';
import { code, listing, table } from './parts.js';

/** What goes wrong on purpose. */
export const faultPage: RoomPart = {
  routes(router) {
    router.page('GET', `${home}/faults`, (exchange) => {
      const { world } = exchange;
      const rows = world
        .of(faults)
        .list.map(({ id, of = 'answers', operation, path, event, times, ...how }) => [
          of,
          operation ?? path ?? event ?? 'all',
          code(JSON.stringify(how)),
          times ?? 'until removed',
          code(id),
        ]);
      return consolePage(exchange, {
        title: 'Faults',
        place: 'Faults',
        lead: 'What goes wrong on purpose, the first one given first.',
        body: html`${table(
          'Faults',
          [
            { title: 'Of' },
            { title: 'Where' },
            { title: 'What' },
            { title: 'Still to happen', look: 'number' },
            { title: 'Id' },
          ],
          rows,
          'Nothing goes wrong on purpose.',
        )}
<h2>Have something go wrong</h2>
${listing(
  `curl "${world.url()}/_emulator/faults" \\
  -H "Authorization: Bearer $SALLYPORT_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"operation":"organizations.list","status":503,"times":1}'`,
)}`,
      });
    });
  },
};
