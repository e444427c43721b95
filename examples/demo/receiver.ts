import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Event, Sallyport } from 'sallyport';

/** A webhook endpoint that verifies and records deliveries. */
export interface Receiver {
  readonly url: string;
  /** Deliveries with a valid signature, in order of arrival. */
  readonly received: readonly Event[];
  /** Number of rejected requests. */
  readonly refused: number;
  /** The signing secret of the endpoint. */
  secret: string;
  close(): void;
}

export async function receive(sallyport: Sallyport): Promise<Receiver> {
  const received: Event[] = [];
  let refused = 0;
  const server = createServer(async (request, response) => {
    try {
      const payload = await text(request);
      const sigHeader = request.headers['service-signature'];
      received.push(await sallyport.webhooks.constructEvent({ payload, sigHeader, secret: receiver.secret }));
      response.writeHead(204).end();
    } catch {
      refused += 1;
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    get refused() {
      return refused;
    },
    secret: '',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
