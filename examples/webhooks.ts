// Webhooks: register an endpoint, receive what happens, verify that it comes from the service.
//
//   npx tsx examples/webhooks.ts

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Sallyport, WebhookVerificationError } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator();
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
let secret = '';

const server = createServer(async (request, response) => {
  try {
    // The body as received: parsing it first would change what was signed.
    const payload = await text(request);
    const sigHeader = request.headers['service-signature'];
    const event = await sallyport.webhooks.constructEvent({ payload, sigHeader, secret });
    console.log('received', event.event);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
  }
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

const endpoint = await sallyport.webhooks.createWebhookEndpoint({
  endpointUrl: `http://127.0.0.1:${port}/`,
  events: ['user.created', 'user.deleted'],
});
secret = endpoint.secret;

const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
await sallyport.userManagement.deleteUser(ada.id);
await emulator.waitForDeliveries();
console.log('delivered:', emulator.deliveries.map(({ event, state }) => `${event} ${state}`).join(', '));

// Anybody can post to an address; only the service can sign.
const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"event":"user.deleted"}' });
console.log('a forged delivery is answered with', forged.status);

server.close();
await emulator.close();
