// Organization domains: claim an email domain, publish the token, see it verified.
//
//   npx tsx examples/organization-domains.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator();
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const acme = await sallyport.organizations.createOrganization({ name: 'Acme' });
const domain = await sallyport.organizationDomains.createOrganizationDomain({
  organizationId: acme.id,
  domain: 'acme.test',
});
console.log('publish as a TXT record:', domain.verificationToken);

const started = await sallyport.organizationDomains.verifyOrganizationDomain(domain.id);
console.log('asked for verification, still', started.state);

// The service looks at DNS in its own time; the emulator is told what it would find.
await emulator.verifyDomain(domain.id, 'verified');
const verified = await sallyport.organizationDomains.getOrganizationDomain(domain.id);
console.log('now', verified.state);

await emulator.close();
