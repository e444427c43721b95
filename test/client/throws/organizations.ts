import { company } from '../../stage.js';
import { rowsOf } from './world.js';

const event = {
  action: 'report.exported',
  occurredAt: '2026-01-01T00:00:00.000Z',
  actor: { type: 'user', id: 'ada' },
  targets: [{ type: 'invoice', id: '42' }],
  context: { location: '203.0.113.7' },
};
const january = { rangeStart: '2026-01-01T00:00:00.000Z', rangeEnd: '2026-02-01T00:00:00.000Z' };
const taken = [{ domain: 'tailspin.test', state: 'pending' as const }];
const consumer = [{ domain: 'gmail.com', state: 'pending' as const }];

export const organizationRows = [
  ...rowsOf('organizations', {
    'getOrganization NotFoundError entity_not_found': (world) => world.organizations.getOrganization('org_none'),
    'getOrganizationByExternalId NotFoundError entity_not_found': (world) =>
      world.organizations.getOrganizationByExternalId('none'),
    'createOrganization UnprocessableError domain_not_allowed': (world) =>
      world.organizations.createOrganization({ name: 'Bolt', domainData: consumer }),
    'updateOrganization NotFoundError entity_not_found': (world) =>
      world.organizations.updateOrganization({ organization: 'org_none', name: 'Acme' }),
    'deleteOrganization NotFoundError entity_not_found': (world) => world.organizations.deleteOrganization('org_none'),
    'listOrganizationRoles NotFoundError entity_not_found': (world) =>
      world.organizations.listOrganizationRoles({ organizationId: 'org_none' }),
    'getAuditLogsRetention NotFoundError entity_not_found': (world) =>
      world.organizations.getAuditLogsRetention('org_none'),
    'updateAuditLogsRetention NotFoundError entity_not_found': (world) =>
      world.organizations.updateAuditLogsRetention('org_none', { retentionPeriodInDays: 30 }),
  }),
  ...rowsOf(
    'organizations',
    {
      'createOrganization BadRequestError external_id_already_used': (world) =>
        world.organizations.createOrganization({ name: 'Bolt', externalId: 'crm-1001' }),
      'createOrganization ConflictError domain_already_exists': (world) =>
        world.organizations.createOrganization({ name: 'Bolt', domainData: taken }),
      'updateOrganization BadRequestError external_id_already_used': (world) =>
        world.organizations.updateOrganization({ organization: 'org_litware', externalId: 'crm-1001' }),
      'updateOrganization ConflictError domain_already_exists': (world) =>
        world.organizations.updateOrganization({ organization: 'org_litware', domainData: taken }),
      'updateOrganization UnprocessableError domain_not_allowed': (world) =>
        world.organizations.updateOrganization({ organization: 'org_litware', domainData: consumer }),
    },
    { seed: company },
  ),

  ...rowsOf('organizationDomains', {
    'getOrganizationDomain NotFoundError entity_not_found': (world) =>
      world.organizationDomains.getOrganizationDomain('org_domain_none'),
    'createOrganizationDomain NotFoundError entity_not_found': (world) =>
      world.organizationDomains.createOrganizationDomain({ organizationId: 'org_none', domain: 'acme.test' }),
    'verifyOrganizationDomain NotFoundError entity_not_found': (world) =>
      world.organizationDomains.verifyOrganizationDomain('org_domain_none'),
    'deleteOrganizationDomain NotFoundError entity_not_found': (world) =>
      world.organizationDomains.deleteOrganizationDomain('org_domain_none'),
  }),
  ...rowsOf(
    'organizationDomains',
    {
      'createOrganizationDomain ConflictError domain_already_exists': (world) =>
        world.organizationDomains.createOrganizationDomain({ organizationId: 'org_tailspin', domain: 'tailspin.test' }),
      'createOrganizationDomain UnprocessableError domain_not_allowed': (world) =>
        world.organizationDomains.createOrganizationDomain({ organizationId: 'org_litware', domain: 'gmail.com' }),
    },
    { seed: company },
  ),

  ...rowsOf('auditLogs', {
    'createEvent InvalidArgumentError invalid_argument (an invalid Date)': (world) =>
      world.auditLogs.createEvent('org_none', { ...event, occurredAt: new Date('the ides of March') }),
    'createEvent InvalidArgumentError invalid_argument (metadata of 51 keys)': (world) =>
      world.auditLogs.createEvent('org_none', {
        ...event,
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`key${at}`, 'value'])),
      }),
    'createEvent NotFoundError entity_not_found': (world) => world.auditLogs.createEvent('org_none', event),
    'createSchema UnprocessableError validation_error': (world) =>
      world.auditLogs.createSchema({ action: 'invoice.viewed', targets: [], metadata: { type: 'amount' } }),
    'listSchemas NotFoundError entity_not_found': (world) => world.auditLogs.listSchemas('invoice.viewed'),
    'createExport InvalidArgumentError invalid_argument': (world) =>
      world.auditLogs.createExport({ organizationId: 'org_none', ...january, rangeEnd: new Date('someday') }),
    'createExport NotFoundError entity_not_found': (world) =>
      world.auditLogs.createExport({ organizationId: 'org_none', ...january }),
    'getExport NotFoundError entity_not_found': (world) => world.auditLogs.getExport('audit_log_export_none'),
  }),
  ...rowsOf(
    'auditLogs',
    {
      // The target is missing from the schema of the action.
      'createEvent BadRequestError invalid_audit_log': (world) => world.auditLogs.createEvent('org_litware', event),
      'createExport UnprocessableError invalid_range': (world) =>
        world.auditLogs.createExport({
          organizationId: 'org_litware',
          rangeStart: january.rangeEnd,
          rangeEnd: january.rangeStart,
        }),
    },
    { seed: company },
  ),

  ...rowsOf('portal', {
    'generateLink NotFoundError entity_not_found': (world) =>
      world.portal.generateLink({ organization: 'org_none', intent: 'sso' }),
  }),
];
