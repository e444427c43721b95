import { inboxPath } from '../hosted/inbox-address.js';
import { type Html, html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { directories } from '../rooms/directory-sync/directories.js';
import { faults } from '../rooms/faults/faults.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { requestLog } from '../rooms/requests/request-log.js';
import { users } from '../rooms/users/records.js';
import { seededUsers } from '../rooms/users/seeded.js';
import { deliveries } from '../rooms/webhooks/deliveries.js';
import { plantedSeed } from '../seed/planted.js';
import { sessions, statusOf } from '../sign-in/sessions/sessions.js';
import type { World } from '../world/world.js';
import type { Actions } from './actions.js';
import { at, consolePage, home, linkTo } from './layout.js';
import { requestTable } from './requests/requests.js';
import { code, facts, listing, time } from './widgets.js';

/** Maximum number of requests on the overview. */
const maxRequests = 8;
/** Maximum number of seeded users on the overview. */
const maxUsers = 12;
/** Maximum number of links to other worlds. */
const maxWorlds = 20;

/** Overview page: address, keys, counts and the latest requests. */
export const overviewPage = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', '/', (exchange) => {
      const { memory } = exchange;
      const { settings, keys } = memory;
      const [key] = keys.all;
      const { env, stateFile } = exchange.world;
      return consolePage(exchange, {
        title: memory.name ?? (settings.environment === 'production' ? 'Production' : 'Overview'),
        place: 'Overview',
        follows: ['requests', 'changes'],
        lead: 'A local identity service for your application. Nothing leaves this machine.',
        body: html`${facts([
          ['Address', code(memory.url())],
          ['API key', key && code(key.value)],
          ['Client ID', code(settings.clientId)],
          ['Seed', seedOf(exchange)],
          ...(stateFile === undefined ? [] : [['State', code(stateFile)] as const]),
          ['Clock', time(memory.now)],
        ])}
<h2>Environment variables for your application</h2>
${listing(
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n'),
)}
${otherWorlds(exchange)}
<h2>Data</h2>
${countsOf(exchange)}
${seededPeople(exchange)}
<h2>Clock</h2>
${actions.form(exchange, { control: 'clock.advance', label: 'Advance clock', fields: [{ name: 'by', label: 'Advance by', value: '5m' }] })}
<h2>Latest requests</h2>
${requestTable(exchange, memory.of(requestLog).requests.slice(-maxRequests).reverse())}`,
      });
    });
  },
});

/** Get the singular or plural of a noun. */
const nounFor = (number: number, plural: string): string =>
  number === 1 ? plural.replace(/ies$/, 'ys').replace(/s$/, '') : plural;

/** Summarize the seed of the world. */
function seedOf({ memory }: PageExchange): Html | null {
  const seed = memory.of(plantedSeed).now;
  if (!seed) return null;
  const counts = seed.counts.map(
    ([section, entries]) =>
      `${entries} ${nounFor(
        entries,
        section.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      )}`,
  );
  return html`${seed.file === undefined ? 'an object' : code(seed.file)}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}`;
}

/** Link to the consoles of the other worlds. */
function otherWorlds({ world, directory }: PageExchange): Html | undefined {
  const worlds = directory.list.filter((other) => other !== world);
  if (worlds.length === 0) return undefined;
  const { first } = directory;
  const linkOf = (other: World): Html => {
    const { clientId, environment, name } = other;
    const query = other === first ? '' : `?${new URLSearchParams({ client_id: clientId })}`;
    // The address of a created world shows only that world, so link to the emulator's address, which redirects by client id.
    const address = world.name === undefined ? `/${query}` : first.memory.url(`/${query}`);
    return html`<a href="${address}">${name ?? (environment === 'production' ? 'Production' : 'Staging')}</a>`;
  };
  const more = worlds.length - maxWorlds;
  return html`<p>Other worlds of this emulator: ${worlds
    .slice(0, maxWorlds)
    .map((other, i) => html`${i === 0 ? '' : ', '}${linkOf(other)}`)}${more > 0 ? ` and ${more} more` : ''}.</p>`;
}

function countsOf(exchange: PageExchange): Html {
  const { memory } = exchange;
  const counts: readonly (readonly [number: number, what: string, path: string])[] = [
    [memory.of(users).size, 'users', `${home}/users`],
    [memory.of(organizations).size, 'organizations', `${home}/organizations`],
    [memory.of(memberships).size, 'memberships', `${home}/organizations`],
    [
      memory.of(sessions).filter((session) => statusOf(memory, session) === 'active').length,
      'active sessions',
      `${home}/users`,
    ],
    [memory.of(directories).size, 'directories', `${home}/directories`],
    [memory.inbox.messages.length, 'messages', inboxPath],
    [memory.events.records.size, 'events', `${home}/events`],
    [memory.of(deliveries).log.length, 'deliveries', `${home}/webhooks`],
    [memory.of(requestLog).requests.length, 'requests', `${home}/requests`],
    [memory.of(faults).list.length, 'faults', `${home}/faults`],
  ];
  return html`<ul class="counts">${counts.map(
    ([number, what, path]) =>
      html`<li><a href="${at(exchange, path)}"><strong>${number}</strong><span>${nounFor(number, what)}</span></a></li>\n`,
  )}</ul>`;
}

/** List the users of the seed. The sign-in page offers them too. */
function seededPeople(exchange: PageExchange): Html | undefined {
  const all = seededUsers(exchange.memory);
  if (all.length === 0) return undefined;
  const names = all.slice(0, maxUsers).map(({ id, email }, i) => {
    const separator = i === 0 ? '' : ', ';
    return html`${separator}${linkTo(exchange, `${home}/users/${id}`, email)}`;
  });
  return html`<h2>Seeded users</h2>
<p>${names}${all.length > maxUsers ? ` and ${all.length - maxUsers} more` : ''}. The sign-in page lists them.</p>`;
}
