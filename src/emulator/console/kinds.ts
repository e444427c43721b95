import { integer } from '../../service/describe/define.js';
import { descriptorOf } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { event as eventModel } from '../../service/events.js';
import { inboxPath } from '../hosted/inbox-address.js';
import { html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { auditEventFacts } from '../rooms/audit-logs/events.js';
import { connectionFacts } from '../rooms/connections/records.js';
import { directoryFacts, directoryGroupFacts, directoryUserFacts } from '../rooms/directory-sync/facts.js';
import { eventFacts } from '../rooms/events/facts.js';
import { faultFacts } from '../rooms/faults/faults.js';
import { invitationFacts } from '../rooms/invitations/records.js';
import { membershipFacts, memberships } from '../rooms/memberships/records.js';
import { domainFacts } from '../rooms/organizations/domains.js';
import { organizationFacts } from '../rooms/organizations/records.js';
import { requestLog } from '../rooms/requests/request-log.js';
import { bodyWithoutSecrets } from '../rooms/requests/without-secrets.js';
import { identityFacts } from '../rooms/users/identities.js';
import { userFacts } from '../rooms/users/records.js';
import { deliveryFacts } from '../rooms/webhooks/deliveries.js';
import { endpointFacts } from '../rooms/webhooks/records.js';
import { factorFacts } from '../sign-in/factors/factors.js';
import { authenticationPolicies } from '../sign-in/proof/policies.js';
import { sessionFacts } from '../sign-in/sessions/sessions.js';
import type { EventRecord } from '../world/event-log.js';
import type { Actions } from './actions.js';
import { at, home, linkTo } from './layout.js';
import { newestList, relatedList } from './lists.js';
import { objectPages } from './object-pages.js';
import { applicationTargets, sessionHint, signInForms } from './user-sessions.js';
import { json, listing } from './widgets.js';

/** Maximum number of deliveries on the page of webhooks. */
const maxDeliveries = 200;

/** Pages for the objects of a world: a list of each kind, and pages for objects with related ones. */
export const kindPages = (actions: Actions): readonly RoomPart[] => [
  objectPages(actions, {
    place: 'Users',
    facts: userFacts,
    links: (exchange, { email }) => [
      ['Inbox', html`<a href="${at(exchange, inboxPath, { to: email })}">Messages to this address</a>`],
    ],
    formTargets: applicationTargets,
    sections: [
      signInForms,
      relatedList('Organizations', membershipFacts, 'userId'),
      relatedList('Sessions', sessionFacts, 'userId', sessionHint),
      relatedList('Authentication factors', factorFacts, 'userId'),
      relatedList('Linked accounts', identityFacts, 'userId'),
    ],
  }),
  objectPages(actions, {
    place: 'Organizations',
    facts: {
      ...organizationFacts,
      columns: organizationFacts.columns.toSpliced(-1, 0, {
        label: 'Members',
        of: ({ id }, memory) => memory.of(memberships).where('organizationId', id).size,
        as: integer,
      }),
    },
    sections: [
      relatedList('Members', membershipFacts, 'organizationId'),
      relatedList('Invitations', invitationFacts, 'organizationId'),
      relatedList('Domains', domainFacts, 'organizationId'),
      relatedList('Connections', connectionFacts, 'organizationId'),
      relatedList('Directories', directoryFacts, 'organizationId'),
      ({ memory }, _, { id }) => {
        const policy = memory.of(authenticationPolicies).get(id);
        return html`<h2>Sign-in policy</h2>
${policy ? json(policy) : html`<p class="none">No policy.</p>`}`;
      },
    ],
  }),
  objectPages(actions, {
    place: 'Directories',
    facts: directoryFacts,
    sections: [
      relatedList('Users', directoryUserFacts, 'directoryId'),
      (exchange, actions, { id }) => html`<h2>Add user</h2>
${actions.form(exchange, {
  control: 'createDirectoryUser',
  label: 'Add',
  values: { directory_id: id },
  fields: [
    { name: 'email', label: 'Email address' },
    { name: 'first_name', label: 'First name' },
    { name: 'last_name', label: 'Last name' },
  ],
})}`,
      relatedList('Groups', directoryGroupFacts, 'directoryId'),
    ],
  }),
  objectPages(actions, { place: 'Audit logs', facts: auditEventFacts }),
  objectPages(actions, {
    place: 'Webhooks',
    lead: 'Webhook endpoints, and the newest deliveries to them.',
    heading: 'Endpoints',
    facts: endpointFacts,
    below: [newestList('Deliveries', deliveryFacts, maxDeliveries)],
  }),
  objectPages(actions, {
    place: 'Events',
    lead: 'Newest first. Events are kept for 30 days, measured by the emulator’s clock.',
    facts: eventFacts,
    links: (exchange, { id }) => [['Caused by', causeOf(exchange, id)]],
    sections: [
      (exchange, _, event) => html`<h2>Payload</h2>
${listing(payloadOf(exchange, event))}`,
      relatedList('Deliveries', deliveryFacts, 'eventId'),
    ],
  }),
  objectPages(actions, {
    place: 'Faults',
    lead: 'Planned failures, oldest first.',
    facts: faultFacts,
    below: [
      (exchange) => html`<h2>Add fault</h2>
${actions.form(exchange, {
  control: 'faults.add',
  label: 'Add fault',
  fields: [
    { name: 'operation', label: 'Operation (e.g. organizations.list)', value: exchange.query.get('operation') ?? '' },
    { name: 'status', label: 'Status', value: '503' },
    { name: 'times', label: 'Times', value: '1' },
    { name: 'delay', label: 'Delay (e.g. 5s)' },
  ],
})}`,
    ],
  }),
];

function causeOf(exchange: PageExchange, eventId: string) {
  const { requests } = exchange.memory.of(requestLog);
  const cause = requests.find(({ events }) => events.some(({ id }) => id === eventId));
  return cause && linkTo(exchange, `${home}/requests/${cause.id}`, `${cause.method} ${cause.path.split('?')[0]}`);
}

const payloadOf = ({ memory }: PageExchange, event: EventRecord): string =>
  bodyWithoutSecrets(memory.codec, JSON.stringify(project(memory.codec, descriptorOf(eventModel), event)));
