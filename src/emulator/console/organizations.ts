import { type Html, html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { connections } from '../rooms/connections/records.js';
import { directories } from '../rooms/directory-sync/directories.js';
import { invitations } from '../rooms/invitations/records.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizationDomains } from '../rooms/organizations/domains.js';
import { type OrganizationRecord, organizations } from '../rooms/organizations/records.js';
import { users } from '../rooms/users/records.js';
import { authenticationPolicies } from '../sign-in/flow/policies.js';
import type { Actions } from './actions.js';
import { consolePage, home, linkTo, notFoundPage } from './layout.js';
import { liveKindsOf, newestOf, pageOf } from './paging.js';
import { code, facts, json, table, time } from './widgets.js';

const path = `${home}/organizations`;

/** Pages for organizations with their members, domains, connections and directories. */
export const organizationPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { memory } = exchange;
      const { records, more } = pageOf(exchange, memory.of(organizations), path);
      return consolePage(exchange, {
        title: 'Organizations',
        place: 'Organizations',
        follows: liveKindsOf(exchange, 'changes'),
        body: html`${table(
          'Organizations',
          [{ title: 'Name' }, { title: 'Domains' }, { title: 'Members', look: 'number' }, { title: 'ID' }],
          records.map(({ id, name }) => [
            linkTo(exchange, `${path}/${id}`, name),
            memory
              .of(organizationDomains)
              .where('organizationId', id)
              .values()
              .map(({ domain }) => domain)
              .join(', '),
            memory.of(memberships).where('organizationId', id).size,
            code(id),
          ]),
          'No organizations yet.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { memory, params } = exchange;
      const organization = memory.of(organizations).find(params.id ?? '');
      if (!organization) return notFoundPage(exchange, 'Organizations', 'organization');
      const policy = memory.of(authenticationPolicies).get(organization.id);
      return consolePage(exchange, {
        title: organization.name,
        place: 'Organizations',
        follows: ['changes'],
        body: html`${facts([
          ['ID', code(organization.id)],
          ['Created', time(organization.createdAt)],
          ['External ID', organization.externalId],
        ])}
${organizationTables(exchange, actions, organization)}
<h2>Sign-in policy</h2>
${policy ? json(policy) : html`<p class="none">No policy.</p>`}
<h2>Metadata</h2>
${json(organization.metadata)}`,
      });
    });
  },
});

/** Render the tables of an organization's members, invitations, domains, connections and directories. */
function organizationTables(exchange: PageExchange, actions: Actions, { id }: OrganizationRecord): Html {
  const { memory } = exchange;
  const members = newestOf(memory.of(memberships).where('organizationId', id));
  const invited = newestOf(memory.of(invitations).where('organizationId', id));
  const domains = newestOf(memory.of(organizationDomains).where('organizationId', id));
  return html`<h2>Members</h2>
${members.hint}
${table(
  'Members',
  [{ title: 'User' }, { title: 'Role' }, { title: 'Status', look: 'tight' }],
  members.records.map(({ userId, roleSlug, status }) => [
    linkTo(exchange, `${home}/users/${userId}`, memory.of(users).find(userId)?.email ?? userId),
    roleSlug,
    status,
  ]),
  'No members yet.',
)}
<h2>Invitations</h2>
${invited.hint}
${table(
  'Invitations',
  [{ title: 'To' }, { title: 'State', look: 'tight' }, { title: 'Expires', look: 'tight' }],
  invited.records.map(({ email, state, expiresAt }) => [email, state, time(expiresAt)]),
  'No invitations.',
)}
<h2>Domains</h2>
${domains.hint}
${table(
  'Domains',
  [{ title: 'Domain' }, { title: 'State', look: 'tight' }, { title: 'ID' }, { title: 'Actions' }],
  domains.records.map((domain) => [
    domain.domain,
    domain.state,
    code(domain.id),
    domain.state === 'pending'
      ? actions.form(exchange, { control: 'verifyDomain', label: 'Verify', about: domain.id })
      : null,
  ]),
  'No domains.',
  domains.records.map((domain) => domain.id),
)}
<h2>Connections</h2>
${table(
  'Connections',
  [{ title: 'Name' }, { title: 'Type', look: 'tight' }, { title: 'State', look: 'tight' }, { title: 'ID' }],
  memory
    .of(connections)
    .where('organizationId', id)
    .values()
    .map(({ name, connectionType, state, id: connectionId }) => [name, connectionType, state, code(connectionId)]),
  'No connections.',
)}
<h2>Directories</h2>
${table(
  'Directories',
  [{ title: 'Name' }, { title: 'Type', look: 'tight' }, { title: 'State', look: 'tight' }],
  memory
    .of(directories)
    .where('organizationId', id)
    .values()
    .map(({ id: directoryId, name, type, state }) => [
      linkTo(exchange, `${home}/directories/${directoryId}`, name),
      type,
      state,
    ]),
  'No directories.',
)}`;
}
