// Webhooks: register an endpoint, verify signatures, and handle each event once. The webhooks folder has the same code for each
// framework.
//
//   npx tsx examples/webhooks.ts

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { memoryStore } from 'sallyport/stores';
import { on } from 'sallyport/streams';
import { receive } from 'sallyport/webhooks';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const secrets: string[] = [];
const store = memoryStore();
const handler = on({
  'user.created': (event) => console.log('welcome', event.data.email),
  'user.deleted': (event) => console.log('goodbye', event.data.email),
});

const server = createServer(async (request, response) => {
  const { status, httpStatus, text } = await receive(request, { secret: secrets, client: sallyport, store, handler });
  if (status !== 'handled') console.log('answered with', httpStatus, text);
  response.writeHead(httpStatus).end(text);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

const endpoint = await sallyport.webhooks.createWebhookEndpoint({
  endpointUrl: `http://127.0.0.1:${port}/`,
  events: ['user.created', 'user.deleted'],
});
secrets.push(endpoint.secret);

const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
await emulator.waitForDeliveries();

// A delivery may arrive twice.
await emulator.faults.add({ of: 'webhooks', copies: 2, times: 1 });
await sallyport.userManagement.deleteUser(ada.id);
await emulator.waitForDeliveries();
console.log('delivered:', emulator.deliveries.map(({ event, state }) => `${event} ${state}`).join(', '));

// Anyone can post to the URL, but only the service can sign.
await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"event":"user.deleted"}' });

server.close();
await emulator.close();
