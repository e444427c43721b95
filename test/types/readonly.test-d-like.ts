/**
 * What the compiler must say about lists that callers pass. Nothing here runs: `npm run typecheck` fails when a line no longer
 * means what it should, and when an `@ts-expect-error` has become unnecessary.
 */

import type { Emulator } from '../../src/emulator/index.js';
import { eventNames, type Sallyport, webhookEventNames } from '../../src/index.js';

declare const sallyport: Sallyport;
declare const emulator: Emulator;
const { organizations, userManagement, sso, events, auditLogs, fga, webhooks } = sallyport;
const redirectUri = 'https://app.acme.test/callback';
const texts = ['one', 'two'] as const;

// A list in a request is only read, so it may be frozen. The exported lists are frozen too.
events.listEvents({ events: eventNames });
events.listEvents({ events: ['user.created', 'user.deleted'] as const });
webhooks.createWebhookEndpoint({ endpointUrl: 'https://app.acme.test/webhooks', events: webhookEventNames });
webhooks.updateWebhookEndpoint({ id: 'we_01', events: webhookEventNames });
organizations.listOrganizations({ domains: texts });
organizations.createOrganization({ name: 'Acme', domainData: [{ domain: 'acme.test', state: 'verified' }] as const });
organizations.updateOrganization({ organization: 'org_01', domains: texts });
userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', providerScopes: texts, redirectUri });
sso.getAuthorizationUrl({ provider: 'GoogleOAuth', providerScopes: texts, redirectUri });

const entry = {
  action: 'invoice.viewed',
  occurredAt: '2026-01-01T00:00:00.000Z',
  actor: { type: 'user', id: 'ada', metadata: { plan: 'free' } },
  targets: [{ type: 'invoice', id: '7' }],
  context: { location: '203.0.113.7' },
} as const;
auditLogs.createEvent('org_01', entry);
auditLogs.createSchema({ action: 'invoice.viewed', targets: [{ type: 'invoice' }] as const });
const range = { organizationId: 'org_01', rangeStart: entry.occurredAt, rangeEnd: entry.occurredAt };
auditLogs.createExport({ ...range, actions: texts, actors: texts, targets: texts });

const report = {
  type: 'report',
  relations: { editor: { inherit_if: 'any_of', rules: [{ inherit_if: 'owner' }] } },
} as const;
const viewer = { type: 'user', relations: { viewer: { allowed_types: ['user'] } } } as const;
fga.createResourceType(report);
fga.applyResourceTypes([report, viewer] as const);
const write = { resource: { resourceType: 'report', resourceId: '7' }, relation: 'viewer' } as const;
const warrant = { ...write, subject: { resourceType: 'user', resourceId: 'ada' } } as const;
fga.batchWriteWarrants([warrant] as const);
fga.check({ checks: [warrant] as const });
fga.checkBatch({ checks: [warrant] as const });
fga.batchWriteResources({ op: 'create', resources: [write] as const });

emulator.createRole({ slug: 'auditor', permissions: texts });
emulator.updateRole('role_01', { permissions: texts });
emulator.setEntitlements('org_01', texts);
emulator.setOrganizationFeatureFlags('org_01', texts);
emulator.setUserFeatureFlags('user_01', texts);

// A result belongs to the caller, who may sort it.
const organization = await organizations.getOrganization('org_01');
organization.domains.sort();

// @ts-expect-error a list of events has names
events.listEvents({ events: [7] as const });
// @ts-expect-error a list, not its item
organizations.listOrganizations({ domains: 'acme.test' });
// @ts-expect-error a target has an id
auditLogs.createEvent('org_01', { ...entry, targets: [{ type: 'invoice' }] as const });
