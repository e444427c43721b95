import { latest } from 'sallyport/streams';
import { expect, test } from 'vitest';
import { stage } from '../stage.js';

test('latest() returns the newest event, optionally filtered by event type or organization', async () => {
  const { sallyport: client } = await stage();
  const none = await latest(client);
  const acme = await client.organizations.createOrganization({ name: 'Acme' });
  await client.userManagement.createUser({ email: 'ada@acme.test' });

  const newest = await latest(client);
  const ofTypes = await latest(client, { events: ['organization.created'] });
  const ofOrganization = await latest(client, { organizationId: acme.id });

  expect(none).toBeUndefined();
  expect([newest?.event, ofTypes?.event, ofOrganization?.event]).toEqual([
    'user.created',
    'organization.created',
    'organization.created',
  ]);
});
