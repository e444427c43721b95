import { rowsOf } from './world.js';

const organizations = rowsOf('organizations');
const domains = rowsOf('organizationDomains');
const auditLogs = rowsOf('auditLogs');
const portal = rowsOf('portal');

const event = {
  action: 'invoice.viewed',
  occurredAt: '2026-05-04T08:00:00.000Z',
  actor: { type: 'user', id: 'ada' },
  targets: [{ type: 'invoice', id: '42' }],
  context: { location: '203.0.113.7' },
};
const january = { rangeStart: '2026-01-01T00:00:00.000Z', rangeEnd: '2026-02-01T00:00:00.000Z' };

export const organizationRows = [
  organizations('getOrganization', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.getOrganization('org_none'),
  ),
  organizations('getOrganizationByExternalId', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.getOrganizationByExternalId('none'),
  ),
  organizations(
    'createOrganization',
    'BadRequestError',
    'an external id that is taken',
    'external_id_already_used',
    async (world) => {
      await world.organizations.createOrganization({ name: 'Acme', externalId: '7' });
      return world.organizations.createOrganization({ name: 'Bolt', externalId: '7' });
    },
  ),
  organizations(
    'createOrganization',
    'ConflictError',
    'a domain that is taken',
    'domain_already_exists',
    async (world) => {
      await world.owner();
      return world.organizations.createOrganization({
        name: 'Bolt',
        domainData: [{ domain: 'acme.test', state: 'pending' }],
      });
    },
  ),
  organizations('createOrganization', 'UnprocessableError', 'a consumer mail domain', 'domain_not_allowed', (world) =>
    world.organizations.createOrganization({ name: 'Bolt', domainData: [{ domain: 'gmail.com', state: 'pending' }] }),
  ),
  organizations('createOrganization', 'UnprocessableError', 'an invalid domain', 'validation_error', (world) =>
    world.organizations.createOrganization({ name: 'Bolt', domainData: [{ domain: 'no domain', state: 'pending' }] }),
  ),
  organizations('updateOrganization', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.updateOrganization({ organization: 'org_none', name: 'Acme' }),
  ),
  organizations(
    'updateOrganization',
    'BadRequestError',
    'an external id that is taken',
    'external_id_already_used',
    async (world) => {
      await world.organizations.createOrganization({ name: 'Acme', externalId: '7' });
      const { id } = await world.organizations.createOrganization({ name: 'Bolt' });
      return world.organizations.updateOrganization({ organization: id, externalId: '7' });
    },
  ),
  organizations(
    'updateOrganization',
    'ConflictError',
    'a domain that is taken',
    'domain_already_exists',
    async (world) => {
      await world.owner();
      const { id } = await world.organizations.createOrganization({ name: 'Bolt' });
      return world.organizations.updateOrganization({
        organization: id,
        domainData: [{ domain: 'acme.test', state: 'pending' }],
      });
    },
  ),
  organizations(
    'updateOrganization',
    'UnprocessableError',
    'a consumer mail domain',
    'domain_not_allowed',
    async (world) => {
      const { id } = await world.organizations.createOrganization({ name: 'Bolt' });
      return world.organizations.updateOrganization({
        organization: id,
        domainData: [{ domain: 'gmail.com', state: 'pending' }],
      });
    },
  ),
  organizations('deleteOrganization', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.deleteOrganization('org_none'),
  ),
  organizations('listOrganizationRoles', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.listOrganizationRoles({ organizationId: 'org_none' }),
  ),
  organizations('getAuditLogsRetention', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.getAuditLogsRetention('org_none'),
  ),
  organizations('updateAuditLogsRetention', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizations.updateAuditLogsRetention('org_none', { retentionPeriodInDays: 30 }),
  ),

  domains('getOrganizationDomain', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizationDomains.getOrganizationDomain('org_domain_none'),
  ),
  domains('createOrganizationDomain', 'NotFoundError', 'an unknown organization', 'entity_not_found', (world) =>
    world.organizationDomains.createOrganizationDomain({ organizationId: 'org_none', domain: 'acme.test' }),
  ),
  domains(
    'createOrganizationDomain',
    'ConflictError',
    'a domain that is taken',
    'domain_already_exists',
    async (world) => {
      const { id: organizationId } = await world.owner();
      return world.organizationDomains.createOrganizationDomain({ organizationId, domain: 'acme.test' });
    },
  ),
  domains(
    'createOrganizationDomain',
    'UnprocessableError',
    'a consumer mail domain',
    'domain_not_allowed',
    async (world) => {
      const { id: organizationId } = await world.owner();
      return world.organizationDomains.createOrganizationDomain({ organizationId, domain: 'gmail.com' });
    },
  ),
  domains('verifyOrganizationDomain', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizationDomains.verifyOrganizationDomain('org_domain_none'),
  ),
  domains('deleteOrganizationDomain', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.organizationDomains.deleteOrganizationDomain('org_domain_none'),
  ),

  auditLogs('createEvent', 'InvalidArgumentError', 'metadata of 51 keys', 'invalid_argument', (world) =>
    world.auditLogs.createEvent('org_none', {
      ...event,
      metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`key${at}`, 'value'])),
    }),
  ),
  auditLogs('createEvent', 'InvalidArgumentError', 'an invalid Date', 'invalid_argument', (world) =>
    world.auditLogs.createEvent('org_none', { ...event, occurredAt: new Date('the ides of March') }),
  ),
  auditLogs('createEvent', 'NotFoundError', 'an unknown organization', 'entity_not_found', (world) =>
    world.auditLogs.createEvent('org_none', event),
  ),
  auditLogs(
    'createEvent',
    'BadRequestError',
    'a target that the schema does not know',
    'invalid_audit_log',
    async (world) => {
      const { id } = await world.owner();
      await world.auditLogs.createSchema({ action: 'invoice.viewed', targets: [{ type: 'report' }] });
      return world.auditLogs.createEvent(id, event);
    },
  ),
  auditLogs('createSchema', 'UnprocessableError', 'an invalid JSON schema', 'validation_error', (world) =>
    world.auditLogs.createSchema({ action: 'invoice.viewed', targets: [], metadata: { type: 'amount' } }),
  ),
  auditLogs('listSchemas', 'NotFoundError', 'an unknown action', 'entity_not_found', (world) =>
    world.auditLogs.listSchemas('invoice.viewed'),
  ),
  auditLogs('createExport', 'InvalidArgumentError', 'an invalid Date', 'invalid_argument', (world) =>
    world.auditLogs.createExport({ organizationId: 'org_none', ...january, rangeEnd: new Date('someday') }),
  ),
  auditLogs('createExport', 'NotFoundError', 'an unknown organization', 'entity_not_found', (world) =>
    world.auditLogs.createExport({ organizationId: 'org_none', ...january }),
  ),
  auditLogs(
    'createExport',
    'UnprocessableError',
    'a range that ends before it starts',
    'invalid_range',
    async (world) => {
      const { id: organizationId } = await world.owner();
      return world.auditLogs.createExport({
        organizationId,
        rangeStart: january.rangeEnd,
        rangeEnd: january.rangeStart,
      });
    },
  ),
  auditLogs('getExport', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.auditLogs.getExport('audit_log_export_none'),
  ),

  portal('generateLink', 'NotFoundError', 'an unknown organization', 'entity_not_found', (world) =>
    world.portal.generateLink({ organization: 'org_none', intent: 'sso' }),
  ),
];
