// Organizations: your customers, with metadata, roles and audit log retention.
//
//   npx tsx examples/organizations.ts

import { isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos', seed: 'examples/company.yaml' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const acme = await sallyport.organizations.createOrganization({
  name: 'Acme',
  externalId: 'crm-2001',
  domainData: [{ domain: 'acme.test', state: 'verified' }],
  metadata: { plan: 'enterprise', camelCase_and_snake: 'your own keys are never renamed' },
});
console.log('created', acme.id, acme.metadata);

// Pass only the fields to change.
const renamed = await sallyport.organizations.updateOrganization({ organization: acme.id, name: 'Acme Ltd' });
console.log('renamed to', renamed.name, 'still', renamed.externalId);

const byExternalId = await sallyport.organizations.getOrganizationByExternalId('crm-2001');
console.log('found by external id:', byExternalId.id === acme.id);

for await (const { name, domains } of sallyport.organizations.listOrganizations({ order: 'asc' }))
  console.log('-', name, domains.map(({ domain, state }) => `${domain} (${state})`).join(', '));

const roles = await sallyport.organizations.listOrganizationRoles({ organizationId: acme.id });
console.log('roles:', roles.map(({ slug }) => slug).join(', '));

await sallyport.organizations.updateAuditLogsRetention(acme.id, { retentionPeriodInDays: 365 });
const retention = await sallyport.organizations.getAuditLogsRetention(acme.id);
console.log('audit logs are kept for', retention.retentionPeriodInDays, 'days');

await sallyport.organizations.deleteOrganization(acme.id);
try {
  await sallyport.organizations.getOrganization(acme.id);
} catch (error) {
  if (!isSallyportError(error) || error.code !== 'not_found') throw error;
  console.log(error.message);
}

await emulator.close();
