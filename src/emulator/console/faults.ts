import { html } from '../http/html.js';
import type { RoomPart } from '../http/router.js';
import { faults } from '../rooms/faults/faults.js';
import type { Actions } from './actions.js';
import { consolePage, home } from './layout.js';
import { code, table } from './widgets.js';

/** Page that lists, adds and removes faults. */
export const faultPage = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', `${home}/faults`, (exchange) => {
      const { memory, query } = exchange;
      const { list } = memory.of(faults);
      const rows = list.map(({ id, of = 'answers', operation, path, event, times, ...settings }) => [
        of,
        operation ?? path ?? event ?? 'all',
        code(JSON.stringify(settings)),
        times ?? 'until removed',
        actions.form(exchange, { control: 'faults.remove', label: 'Remove', about: id }),
      ]);
      return consolePage(exchange, {
        title: 'Faults',
        place: 'Faults',
        lead: 'Planned failures, oldest first.',
        follows: ['changes'],
        body: html`${table(
          'Faults',
          [
            { title: 'Applies to' },
            { title: 'Where' },
            { title: 'Settings' },
            { title: 'Times left', look: 'number' },
            { title: 'Actions' },
          ],
          rows,
          'No faults.',
          list.map(({ id }) => id),
        )}
<h2>Add fault</h2>
${actions.form(exchange, {
  control: 'faults.add',
  label: 'Add fault',
  fields: [
    { name: 'operation', label: 'Operation (e.g. organizations.list)', value: query.get('operation') ?? '' },
    { name: 'status', label: 'Status', value: '503' },
    { name: 'times', label: 'Times', value: '1' },
    { name: 'delay', label: 'Delay (e.g. 5s)' },
  ],
})}`,
      });
    });
  },
});
