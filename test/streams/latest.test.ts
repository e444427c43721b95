import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { latest } from 'sallyport/streams';
import { expect, test } from 'vitest';

test('says where the feed stands, of all events or some', async () => {
  const emulator = await createEmulator();
  const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const none = await latest(client);
  const acme = await client.organizations.createOrganization({ name: 'Acme' });
  await client.userManagement.createUser({ email: 'ada@acme.test' });

  const newest = await latest(client);
  const ofTypes = await latest(client, { types: ['organization.created'] });
  const ofOrganization = await latest(client, { organizationId: acme.id });

  expect(none).toBeUndefined();
  expect([newest?.event, ofTypes?.event, ofOrganization?.event]).toEqual([
    'user.created',
    'organization.created',
    'organization.created',
  ]);
});
