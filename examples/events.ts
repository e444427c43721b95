// Events: list them in order, and continue from a cursor.
//
//   npx tsx examples/events.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const acme = await sallyport.organizations.createOrganization({ name: 'Acme' });
const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });

const first = sallyport.events.listEvents();
for await (const event of first) {
  switch (event.event) {
    case 'user.created':
      console.log(event.createdAt, 'user', event.data.email);
      break;
    case 'organization.created':
      console.log(event.createdAt, 'organization', event.data.name);
      break;
    default:
      console.log(event.createdAt, event.event);
  }
}

// Save the cursor with your data and continue from it next time, so that no event is lost or repeated.
const after = first.cursor;
await sallyport.userManagement.createOrganizationMembership({ userId: ada.id, organizationId: acme.id });
for await (const event of sallyport.events.listEvents(after === undefined ? {} : { after }))
  console.log('since then:', event.event);

await emulator.close();
