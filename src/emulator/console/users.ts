import { inboxPath } from '../hosted/inbox-address.js';
import { type Html, html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { identities } from '../rooms/users/identities.js';
import { passwords } from '../rooms/users/passwords.js';
import { type UserRecord, users } from '../rooms/users/records.js';
import { factors } from '../sign-in/factors/factors.js';
import type { Actions } from './actions.js';
import { at, consolePage, home, linkTo, notFoundPage } from './layout.js';
import { liveKindsOf, newestOf, pageOf } from './paging.js';
import { applicationTargets, sessionTable, signInForms } from './user-sessions.js';
import { code, facts, json, table, time } from './widgets.js';

const path = `${home}/users`;

/** Pages for users with their memberships, sessions and authentication factors. */
export const userPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { records, more } = pageOf(exchange, exchange.memory.of(users), path);
      return consolePage(exchange, {
        title: 'Users',
        place: 'Users',
        follows: liveKindsOf(exchange, 'changes'),
        body: html`${table(
          'Users',
          [{ title: 'Email address' }, { title: 'Name' }, { title: 'Last sign-in', look: 'tight' }, { title: 'ID' }],
          records.map((user) => [
            linkTo(exchange, `${path}/${user.id}`, user.email),
            nameOf(user),
            time(user.lastSignInAt),
            code(user.id),
          ]),
          'No users yet. Users appear here when they sign up. You can also add them in a seed.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { memory, params } = exchange;
      const user = memory.of(users).find(params.id ?? '');
      if (!user) return notFoundPage(exchange, 'Users', 'user');
      return consolePage(exchange, {
        title: user.email,
        place: 'Users',
        follows: ['changes'],
        formTargets: applicationTargets(memory),
        lead: nameOf(user) ?? '',
        body: html`${facts([
          ['ID', code(user.id)],
          ['Email verified', user.emailVerified ? 'yes' : 'no'],
          ['Password', memory.of(passwords).get(user.id) === undefined ? 'none' : 'set'],
          ['Inbox', html`<a href="${at(exchange, inboxPath, { to: user.email })}">Messages to this address</a>`],
          ['Created', time(user.createdAt)],
          ['Last sign-in', time(user.lastSignInAt)],
          ['External ID', user.externalId],
        ])}
${signInForms(exchange, actions, user)}
${userTables(exchange, actions, user)}
<h2>Metadata</h2>
${json(user.metadata)}`,
      });
    });
  },
});

const nameOf = ({ firstName, lastName }: UserRecord): string | null =>
  [firstName, lastName].filter((name) => name).join(' ') || null;

/** Render the tables of a user's memberships, sessions, authentication factors and linked accounts. */
function userTables(exchange: PageExchange, actions: Actions, { id }: UserRecord): Html {
  const { memory } = exchange;
  const groups = memory.of(organizations);
  const memberOf = newestOf(memory.of(memberships).where('userId', id));
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
  'No memberships.',
)}
${sessionTable(exchange, actions, id)}
<h2>Authentication factors and linked accounts</h2>
${table(
  'Authentication factors and linked accounts',
  [{ title: 'Type' }, { title: 'Added', look: 'tight' }],
  [
    ...memory
      .of(factors)
      .where('userId', id)
      .values()
      .map(({ type, phoneNumber, createdAt }) => [phoneNumber ?? `authenticator app (${type})`, time(createdAt)]),
    ...memory
      .of(identities)
      .filter(({ userId }) => userId === id)
      .map(({ provider }) => [provider, null]),
  ],
  'None.',
)}`;
}
