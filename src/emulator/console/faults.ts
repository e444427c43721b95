import { faults } from '../server/faults.js';
import { html } from '../server/html.js';
import type { RoomPart } from '../server/router.js';
import type { Actions } from './actions.js';
import { consolePage, home } from './frame.js';
import { code, table } from './parts.js';

/** What goes wrong on purpose. */
export const faultPage = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', `${home}/faults`, (exchange) => {
      const { world, query } = exchange;
      const { list } = world.of(faults);
      const rows = list.map(({ id, of = 'answers', operation, path, event, times, ...how }) => [
        of,
        operation ?? path ?? event ?? 'all',
        code(JSON.stringify(how)),
        times ?? 'until removed',
        actions.form(exchange, { control: 'faults.remove', label: 'End', about: id }),
      ]);
      return consolePage(exchange, {
        title: 'Faults',
        place: 'Faults',
        lead: 'What goes wrong on purpose, the first one given first.',
        follows: ['changes'],
        body: html`${table(
          'Faults',
          [
            { title: 'Of' },
            { title: 'Where' },
            { title: 'What' },
            { title: 'Still to happen', look: 'number' },
            { title: 'End it' },
          ],
          rows,
          'Nothing goes wrong on purpose.',
          list.map(({ id }) => id),
        )}
<h2>Have something go wrong</h2>
${actions.form(exchange, {
  control: 'faults.add',
  label: 'Have it go wrong',
  fields: [
    { name: 'operation', label: 'Operation, such as organizations.list', value: query.get('operation') ?? '' },
    { name: 'status', label: 'Status', value: '503' },
    { name: 'times', label: 'How often', value: '1' },
    { name: 'delay', label: 'Late by, such as 5s' },
  ],
})}`,
      });
    });
  },
});
