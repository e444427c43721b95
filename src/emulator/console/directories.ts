import { html } from '../http/html.js';
import type { RoomPart } from '../http/router.js';
import { directories } from '../rooms/directory-sync/directories.js';
import { directoryGroups } from '../rooms/directory-sync/groups.js';
import { directoryUsers } from '../rooms/directory-sync/users.js';
import { organizations } from '../rooms/organizations/records.js';
import type { Actions } from './actions.js';
import { consolePage, home, linkTo, notFoundPage } from './layout.js';
import { liveKindsOf, newestOf, pageOf } from './paging.js';
import { code, facts, table } from './widgets.js';

const path = `${home}/directories`;

/** Pages for directories with their users and groups. */
export const directoryPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { memory } = exchange;
      const { records, more } = pageOf(exchange, memory.of(directories), path);
      return consolePage(exchange, {
        title: 'Directories',
        place: 'Directories',
        follows: liveKindsOf(exchange, 'changes'),
        body: html`${table(
          'Directories',
          [
            { title: 'Name' },
            { title: 'Organization' },
            { title: 'Type', look: 'tight' },
            { title: 'State', look: 'tight' },
            { title: 'Users', look: 'number' },
            { title: 'Groups', look: 'number' },
          ],
          records.map(({ id, name, organizationId, type, state }) => [
            linkTo(exchange, `${path}/${id}`, name),
            organizationId &&
              linkTo(
                exchange,
                `${home}/organizations/${organizationId}`,
                memory.of(organizations).find(organizationId)?.name ?? organizationId,
              ),
            type,
            state,
            memory.of(directoryUsers).where('directoryId', id).size,
            memory.of(directoryGroups).where('directoryId', id).size,
          ]),
          'No directories yet. Add them in a seed or with the control createDirectory.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { memory, params } = exchange;
      const directory = memory.of(directories).find(params.id ?? '');
      if (!directory) return notFoundPage(exchange, 'Directories', 'directory');
      const groups = memory.of(directoryGroups);
      const directoryMembers = newestOf(memory.of(directoryUsers).where('directoryId', directory.id));
      const newestGroups = newestOf(groups.where('directoryId', directory.id));
      return consolePage(exchange, {
        title: directory.name,
        place: 'Directories',
        follows: ['changes'],
        body: html`${facts([
          ['ID', code(directory.id)],
          ['Type', directory.type],
          ['State', directory.state],
        ])}
<h2>Users</h2>
${directoryMembers.hint}
${table(
  'Users',
  [
    { title: 'Name' },
    { title: 'Email addresses' },
    { title: 'State', look: 'tight' },
    { title: 'Groups' },
    { title: 'ID' },
  ],
  directoryMembers.records.map((user) => [
    [user.firstName, user.lastName].filter((name) => name).join(' '),
    user.addresses.join(', '),
    user.state,
    user.groupIds.map((id) => groups.find(id)?.name ?? id).join(', '),
    code(user.id),
  ]),
  'No users yet.',
  directoryMembers.records.map(({ id }) => id),
)}
<h2>Add user</h2>
${actions.form(exchange, {
  control: 'createDirectoryUser',
  label: 'Add',
  values: { directory_id: directory.id },
  fields: [
    { name: 'email', label: 'Email address' },
    { name: 'first_name', label: 'First name' },
    { name: 'last_name', label: 'Last name' },
  ],
})}
<h2>Groups</h2>
${newestGroups.hint}
${table(
  'Groups',
  [{ title: 'Name' }, { title: 'Users', look: 'number' }, { title: 'ID' }],
  newestGroups.records.map(({ id, name }) => [name, memory.of(directoryUsers).where('groupIds', id).size, code(id)]),
  'No groups yet.',
)}`,
      });
    });
  },
});
