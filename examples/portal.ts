// Admin portal: a link for an administrator of your customer, valid for five minutes.
//
//   npx tsx examples/portal.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos', seed: 'examples/company.yaml' });
const { portal } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

// Create the link on demand and redirect to it. It expires too soon for an email.
const { link } = await portal.generateLink({ organization: 'org_northwind', intent: 'sso' });
console.log('opens with', (await emulator.fetch(link)).status);

await emulator.clock.advance('6m');
console.log('six minutes later it answers', (await emulator.fetch(link)).status);

await emulator.close();
