import { directories } from '../rooms/directory-sync/directories.js';
import { directoryGroups } from '../rooms/directory-sync/groups.js';
import { directoryUsers } from '../rooms/directory-sync/users.js';
import { organizations } from '../rooms/organizations/records.js';
import { html } from '../server/html.js';
import type { RoomPart } from '../server/router.js';
import type { Actions } from './actions.js';
import { consolePage, home, linkTo, nothingHere } from './frame.js';
import { newestFollow, newestOf, partOf } from './lists.js';
import { code, facts, table } from './parts.js';

const path = `${home}/directories`;

/** What the directories of customers tell of their people. */
export const directoryPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { world } = exchange;
      const { records, more } = partOf(exchange, world.of(directories), path);
      return consolePage(exchange, {
        title: 'Directories',
        place: 'Directories',
        follows: newestFollow(exchange, 'changes'),
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
                world.of(organizations).find(organizationId)?.name ?? organizationId,
              ),
            type,
            state,
            world.of(directoryUsers).where('directoryId', id).size,
            world.of(directoryGroups).where('directoryId', id).size,
          ]),
          'There is no directory. A seed or a control makes one.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { world, params } = exchange;
      const directory = world.of(directories).find(params.id ?? '');
      if (!directory) return nothingHere(exchange, 'Directories', 'directory');
      const groups = world.of(directoryGroups);
      const people = newestOf(world.of(directoryUsers).where('directoryId', directory.id));
      const ownGroups = newestOf(groups.where('directoryId', directory.id));
      return consolePage(exchange, {
        title: directory.name,
        place: 'Directories',
        follows: ['changes'],
        body: html`${facts([
          ['Id', code(directory.id)],
          ['Type', directory.type],
          ['State', directory.state],
        ])}
<h2>Users</h2>
${people.hint}
${table(
  'Users',
  [
    { title: 'Name' },
    { title: 'Email addresses' },
    { title: 'State', look: 'tight' },
    { title: 'Groups' },
    { title: 'Id' },
  ],
  people.records.map((user) => [
    [user.firstName, user.lastName].filter((name) => name).join(' '),
    user.addresses.join(', '),
    user.state,
    user.groupIds.map((id) => groups.find(id)?.name ?? id).join(', '),
    code(user.id),
  ]),
  'It tells of nobody yet.',
  people.records.map(({ id }) => id),
)}
<h2>Add a person</h2>
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
${ownGroups.hint}
${table(
  'Groups',
  [{ title: 'Name' }, { title: 'Users', look: 'number' }, { title: 'Id' }],
  ownGroups.records.map(({ id, name }) => [name, world.of(directoryUsers).where('groupIds', id).size, code(id)]),
  'It has no groups.',
)}`,
      });
    });
  },
});
