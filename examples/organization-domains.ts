// Organization domains: add an email domain, publish the token, and see it verified.
//
//   npx tsx examples/organization-domains.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const acme = await sallyport.organizations.createOrganization({ name: 'Acme' });
const domain = await sallyport.organizationDomains.createOrganizationDomain({
  organizationId: acme.id,
  domain: 'acme.test',
});
console.log('publish as a TXT record:', domain.verificationToken);

const started = await sallyport.organizationDomains.verifyOrganizationDomain(domain.id);
console.log('verification requested, still', started.state);

// The real service checks DNS later. The emulator sets the result directly.
await emulator.verifyDomain(domain.id, 'verified');
const verified = await sallyport.organizationDomains.getOrganizationDomain(domain.id);
console.log('now', verified.state);

await emulator.close();
