import { inboxPath } from '../hosted/inbox-address.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { identities } from '../rooms/users/identities.js';
import { passwords } from '../rooms/users/passwords.js';
import { type UserRecord, users } from '../rooms/users/records.js';
import { type Html, html } from '../server/html.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { factors } from '../sign-in/factors.js';
import type { Actions } from './actions.js';
import { at, consolePage, home, linkTo, nothingHere } from './frame.js';
import { newestFollow, newestOf, partOf } from './lists.js';
import { code, facts, json, table, time } from './parts.js';
import { applicationTargets, sessionTable, signInForms } from './user-sessions.js';

const path = `${home}/users`;

/** Who can sign in, and where they are signed in. */
export const userPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { records, more } = partOf(exchange, exchange.world.of(users), path);
      return consolePage(exchange, {
        title: 'Users',
        place: 'Users',
        follows: newestFollow(exchange, 'changes'),
        body: html`${table(
          'Users',
          [{ title: 'Email address' }, { title: 'Name' }, { title: 'Last signed in', look: 'tight' }, { title: 'Id' }],
          records.map((user) => [
            linkTo(exchange, `${path}/${user.id}`, user.email),
            nameOf(user),
            time(user.lastSignInAt),
            code(user.id),
          ]),
          'There is nobody yet. Whoever signs up shows up here; a seed can name people.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { world, params } = exchange;
      const user = world.of(users).find(params.id ?? '');
      if (!user) return nothingHere(exchange, 'Users', 'user');
      return consolePage(exchange, {
        title: user.email,
        place: 'Users',
        follows: ['changes'],
        formTargets: applicationTargets(world),
        lead: nameOf(user) ?? '',
        body: html`${facts([
          ['Id', code(user.id)],
          ['Email verified', user.emailVerified ? 'yes' : 'no'],
          ['Password', world.of(passwords).get(user.id) === undefined ? 'none' : 'set'],
          ['Mail', html`<a href="${at(exchange, inboxPath, { to: user.email })}">Inbox of this address</a>`],
          ['Created', time(user.createdAt)],
          ['Last signed in', time(user.lastSignInAt)],
          ['External id', user.externalId],
        ])}
${signInForms(exchange, actions, user)}
${belongings(exchange, actions, user)}
<h2>Metadata</h2>
${json(user.metadata)}`,
      });
    });
  },
});

const nameOf = ({ firstName, lastName }: UserRecord): string | null =>
  [firstName, lastName].filter((name) => name).join(' ') || null;

/** Where somebody belongs, where they are signed in, and what they prove who they are with. */
function belongings(exchange: PageExchange, actions: Actions, { id }: UserRecord): Html {
  const { world } = exchange;
  const groups = world.of(organizations);
  const memberOf = newestOf(world.of(memberships).where('userId', id));
  return html`<h2>Organizations</h2>
${memberOf.hint}
${table(
  'Organizations',
  [{ title: 'Organization' }, { title: 'Role' }, { title: 'Status', look: 'tight' }],
  memberOf.records.map(({ organizationId, roleSlug, status }) => [
    linkTo(exchange, `${home}/organizations/${organizationId}`, groups.find(organizationId)?.name ?? organizationId),
    roleSlug,
    status,
  ]),
  'A member of no organization.',
)}
${sessionTable(exchange, actions, id)}
<h2>Second factors and accounts elsewhere</h2>
${table(
  'Second factors and accounts elsewhere',
  [{ title: 'What' }, { title: 'Since', look: 'tight' }],
  [
    ...world
      .of(factors)
      .where('userId', id)
      .values()
      .map(({ type, phoneNumber, createdAt }) => [phoneNumber ?? `authenticator app (${type})`, time(createdAt)]),
    ...world
      .of(identities)
      .filter(({ userId }) => userId === id)
      .map(({ provider }) => [provider, null]),
  ],
  'None.',
)}`;
}
