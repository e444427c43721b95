import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { verifyWebhook } from 'sallyport/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../servers/server.js';
import { stage } from '../../../stage.js';
import { certificateFor } from '../../chain/certificate.js';

interface Received {
  readonly path: string;
  readonly host: string | undefined;
  readonly signature: string;
  readonly body: string;
}

const ownCertificate = certificateFor('tests.invalid');

/** An application in development, with a self-signed certificate. */
async function application({ status = 200, headers = {}, host = '127.0.0.1' } = {}) {
  const requests: Received[] = [];
  const server: Server = createServer(ownCertificate, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { host: name, 'service-signature': signature } = request.headers;
    requests.push({ path: request.url ?? '', host: name, signature: String(signature), body });
    response.writeHead(status, headers).end();
  });
  await once(server.listen(0, host), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { requests, port: (server.address() as AddressInfo).port };
}

/** Deliver one event to an endpoint, and return its secret and the first attempt. */
async function deliverTo(endpoint: string) {
  const { emulator, send } = await stage();
  const { body } = await send('POST /webhook_endpoints', { endpoint_url: endpoint, events: [] });
  await send('POST /organizations', { name: 'Zoë' });
  await emulator.waitForDeliveries();
  const [delivery] = emulator.deliveries;
  return { secret: body.secret as string, attempt: delivery!.attempts[0]!, state: delivery!.state };
}

describe('a webhook to an HTTPS application with a self-signed certificate', () => {
  test.each(['localhost', '127.0.0.1', '127.9.9.9', 'app.localhost'])('arrives at https://%s', async (name) => {
    const { requests, port } = await application({ host: name === '127.9.9.9' ? name : '127.0.0.1' });

    const { secret, attempt } = await deliverTo(`https://${name}:${port}/hook?from=here`);

    expect(attempt).toMatchObject({ status: 200 });
    expect(requests).toMatchObject([{ path: '/hook?from=here', host: `${name}:${port}` }]);
    const [{ body, signature }] = requests as [Received];
    const event = await verifyWebhook({
      payload: body,
      sigHeader: signature,
      secret,
      now: () => Date.parse('2026-01-01T00:00:00.000Z'),
    });
    expect(event).toMatchObject({ event: 'organization.created', data: { name: 'Zoë' } });
  });

  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const hasIpv6 = addresses.some(({ address }) => address === '::1');

  test.skipIf(!hasIpv6)('arrives even if the application listens only on ::1', async () => {
    const { requests, port } = await application({ host: '::1' });

    const { attempt } = await deliverTo(`https://[::1]:${port}/hook`);

    expect(attempt).toMatchObject({ status: 200 });
    expect(requests).toMatchObject([{ host: `[::1]:${port}` }]);
  });

  const elsewhere = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;

  test.skipIf(elsewhere === undefined)('fails if the address is not a loopback address', async () => {
    const { requests, port } = await application({ host: '0.0.0.0' });

    const { attempt, state } = await deliverTo(`https://${elsewhere}:${port}/hook`);

    expect(attempt.error).toMatch(/certificate.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    expect([state, requests]).toEqual(['pending', []]);
  });

  test('does not follow redirects', async () => {
    const target = await serve();
    const { requests, port } = await application({ status: 307, headers: { location: target.url } });

    const { attempt } = await deliverTo(`https://localhost:${port}/hook`);

    expect(attempt).toMatchObject({ status: 307, error: 'redirects are not followed' });
    expect([requests.length, target.requests.length]).toEqual([1, 0]);
  });

  test.each([
    ['delivered', 204],
    ['pending', 404],
  ])('is marked as %s after a response with status %i', async (state, status) => {
    const { port } = await application({ status });

    expect(await deliverTo(`https://localhost:${port}/`)).toMatchObject({ attempt: { status }, state });
  });

  test('fails if the response has the invalid status 777', async () => {
    const { port } = await application({ status: 777 });

    const { attempt, state } = await deliverTo(`https://localhost:${port}/`);

    expect(attempt.error).toContain('status');
    expect(state).toBe('pending');
  });
});

describe('if fetch uses a proxy,', () => {
  /** `fetch` uses the second dispatcher since Node 26, and the first in earlier versions. */
  const dispatchers = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];
  /** Make every `fetch` of this process fail as if its proxy refused the request. */
  function proxyRefuses() {
    const global = globalThis as unknown as Record<symbol, unknown>;
    const refuses = {
      dispatch: () => {
        throw new Error('the proxy refused');
      },
    };
    for (const name of dispatchers) {
      const before = global[name];
      global[name] = refuses;
      onTestFinished(() => {
        if (before) global[name] = before;
        else delete global[name];
      });
    }
  }

  test.each(['localhost', '127.0.0.1'])('webhooks to http://%s are still sent directly', async (name) => {
    const { url, requests } = await serve();
    proxyRefuses();

    const { attempt } = await deliverTo(url.replace('127.0.0.1', name));

    expect(attempt).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(1);
  });

  test.each(['http://192.0.2.1/hook', 'https://app.invalid/hook'])(
    'webhooks to %s are sent through the proxy',
    async (endpoint) => {
      proxyRefuses();

      const { attempt } = await deliverTo(endpoint);

      expect(attempt.error).toContain('the proxy refused');
    },
  );
});

test.each([
  ['http://localhost:PORT/', 'ECONNREFUSED'],
  ['https://localhost:PORT/', 'ECONNREFUSED'],
])('a webhook to %s fails with %s if no server listens on the port', async (endpoint, code) => {
  const server = createTcpServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  const { attempt } = await deliverTo(endpoint.replace('PORT', String(port)));

  expect(attempt.error).toContain(code);
});

test('a webhook to an HTTPS URL fails with a TLS error if the application serves plain HTTP', async () => {
  const server = createHttpServer((_, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());

  const { attempt } = await deliverTo(`https://localhost:${(server.address() as AddressInfo).port}/`);

  expect(attempt.error).toMatch(/wrong version number|packet length too long|EPROTO/);
});
