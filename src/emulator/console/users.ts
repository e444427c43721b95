import { inboxPath } from '../hosted/inbox-address.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { identities } from '../rooms/users/identities.js';
import { passwords } from '../rooms/users/passwords.js';
import { type UserRecord, users } from '../rooms/users/records.js';
import { type Html, html } from '../server/html.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { factors } from '../sign-in/factors.js';
import { sessions } from '../sign-in/sessions.js';
import { at, consolePage, home, linkTo, nothingHere } from './frame.js';
import { liveList, partOf, showsNewest } from './lists.js';
import { code, facts, json, table, time } from './parts.js';

const path = `${home}/users`;

/** Who can sign in, and where they are signed in. */
export const userPages: RoomPart = {
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { records, more } = partOf(exchange, exchange.world.of(users), path);
      return consolePage(exchange, {
        title: 'Users',
        place: 'Users',
        isLive: showsNewest(exchange),
        body: liveList(
          ['requests', 'events'],
          table(
            'Users',
            [
              { title: 'Email address' },
              { title: 'Name' },
              { title: 'Last signed in', look: 'tight' },
              { title: 'Id' },
            ],
            records.map((user) => [
              linkTo(exchange, `${path}/${user.id}`, user.email),
              nameOf(user),
              time(user.lastSignInAt),
              code(user.id),
            ]),
            'There is nobody yet. Whoever signs up shows up here; a seed can name people.',
            records.map(({ id }) => id),
          ),
          more,
        ),
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { world, params } = exchange;
      const user = world.of(users).find(params.id ?? '');
      if (!user) return nothingHere(exchange, 'Users', 'user');
      return consolePage(exchange, {
        title: user.email,
        place: 'Users',
        lead: nameOf(user) ?? '',
        body: html`${facts([
          ['Id', code(user.id)],
          ['Email address verified', user.emailVerified ? 'yes' : 'no'],
          ['Password', world.of(passwords).get(user.id) === undefined ? 'none' : 'set'],
          ['Mail', html`<a href="${at(exchange, inboxPath, { to: user.email })}">Inbox of this address</a>`],
          ['Created', time(user.createdAt)],
          ['Last signed in', time(user.lastSignInAt)],
          ['External id', user.externalId],
        ])}
${belongings(exchange, user)}
<h2>Metadata</h2>
${json(user.metadata)}`,
      });
    });
  },
};

const nameOf = ({ firstName, lastName }: UserRecord): string | null =>
  [firstName, lastName].filter((name) => name).join(' ') || null;

/** Where somebody belongs, where they are signed in, and what they prove who they are with. */
function belongings(exchange: PageExchange, { id }: UserRecord): Html {
  const { world } = exchange;
  const groups = world.of(organizations);
  return html`<h2>Organizations</h2>
${table(
  'Organizations',
  [{ title: 'Organization' }, { title: 'Role' }, { title: 'Status', look: 'tight' }],
  world
    .of(memberships)
    .where('userId', id)
    .values()
    .map(({ organizationId, roleSlug, status }) => [
      linkTo(exchange, `${home}/organizations/${organizationId}`, groups.find(organizationId)?.name ?? organizationId),
      roleSlug,
      status,
    ]),
  'A member of no organization.',
)}
<h2>Sessions</h2>
${table(
  'Sessions',
  [
    { title: 'Signed in', look: 'tight' },
    { title: 'By' },
    { title: 'Organization' },
    { title: 'Status', look: 'tight' },
    { title: 'Expires', look: 'tight' },
    { title: 'Id' },
  ],
  world
    .of(sessions)
    .where('userId', id)
    .values()
    .reverse()
    .map((session) => [
      time(session.createdAt),
      session.method,
      session.organizationId && groups.find(session.organizationId)?.name,
      session.status,
      time(session.expiresAt),
      code(session.id),
    ]),
  'Signed in nowhere.',
)}
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
