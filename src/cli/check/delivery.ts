import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isLoopback } from '../../emulator/command-line.js';
import { verifyWebhook } from '../../webhooks/index.js';
import { CommandError } from '../command-error.js';
import type { Courier } from './courier.js';
import { compared, NotTried, type Probe } from './finding.js';
import { orNotTried } from './stage.js';

/** The port that a tunnel forwards to. */
export const webhookPort = 4101;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Receives deliveries on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  close(): void;
}

/** Listen for deliveries, on the port of a local URL or behind a tunnel. @throws {CommandError} */
export async function receive(address: string): Promise<Receiver> {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new CommandError('--webhook-url must be an absolute URL, such as https://my-tunnel.example/webhooks.');
  }
  const received: Received[] = [];
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        if (received.length < 100) received.push({ headers: request.headers, body });
        response.end();
      },
      () => response.destroy(),
    );
  });
  const port = isLoopback(url.hostname) && url.port ? Number(url.port) : webhookPort;
  await listening(server, port);
  return {
    url: url.href,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(
        new CommandError(
          `The check cannot receive deliveries on port ${port}: ${message}. End the program that uses it.`,
        ),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });

/** Register the endpoint, before the user is made. Returns the probe of its delivery. */
export async function subscribe(courier: Courier, receiver: Receiver) {
  const endpoint = await courier
    .make('webhooks.createEndpoint', receiver.url, { body: { endpoint_url: receiver.url, events: ['user.updated'] } })
    .catch(orNotTried);
  if (!(endpoint instanceof Error)) {
    courier.secrets.add(String(endpoint.body.secret));
    await courier
      .expect('webhooks.updateEndpoint', { params: [endpoint.id], body: { events: ['user.created'] } })
      .catch(orNotTried);
  }
  return (userId: () => string): Probe => ({
    says: 'The delivery of user.created is signed over its bytes with the secret of the endpoint',
    async run() {
      if (endpoint instanceof Error) throw endpoint;
      const { now, sleep } = courier.clock;
      const id = userId();
      const find = (): Received | undefined => receiver.received.find(({ body }) => body.includes(id));
      for (const start = now(); !find() && now() - start < 30_000; ) {
        await sleep(1_000);
        courier.clock.signal.throwIfAborted();
      }
      const delivery = find();
      if (!delivery) return compared(false, 'it did not come within 30 seconds');
      const sigHeader = delivery.headers[courier.settings.dialect.signatureHeader.toLowerCase()];
      if (sigHeader === undefined)
        throw new NotTried(`the delivery has no header ${courier.settings.dialect.signatureHeader}`);
      return verifyWebhook({ payload: delivery.body, sigHeader, secret: String(endpoint.body.secret), now }).then(
        () => compared(true, 'the signature is valid'),
        ({ message }) => compared(false, message),
      );
    },
  });
}
