import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { stage } from '../../stage.js';
import { settle } from '../../time.js';

test('the emulator serves HTTP requests at the URL that it reports', async () => {
  const { emulator, send } = await stage({ listen: true });

  const created = await send('POST /organizations', { name: 'Ünder' });

  expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(emulator.credentials.baseUrl).toBe(emulator.url);
  expect(created.status).toBe(200);
  expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect((await send(`GET /organizations/${created.body.id}`)).body).toEqual(created.body);
  expect((await send(`DELETE /organizations/${created.body.id}`)).body).toBe('');
  expect((await send('GET /nowhere')).status).toBe(404);
  expect((await fetch(`${emulator.url}/health`, { method: 'HEAD' })).status).toBe(200);
});

test('a HEAD request returns the content length of the GET response, but no body', async () => {
  const { emulator } = await stage({ listen: true, seed: { organizations: [{ id: 'org_acme', name: 'Acme' }] } });
  const fetchAcme = (method: string) =>
    fetch(`${emulator.url}/organizations/org_acme`, {
      method,
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
    });

  const [whole, head] = [await fetchAcme('GET'), await fetchAcme('HEAD')];

  expect(Number(head.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength);
  expect(await head.text()).toBe('');
});

test('an oversized request body is rejected with status 413, not with a connection reset', async () => {
  const { emulator, send } = await stage({ listen: true, maxBodyBytes: 1_000 });

  const announced = await send('POST /organizations', { name: 'x'.repeat(5_000_000) });
  const streamed = await fetch(`${emulator.url}/organizations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
    body: new Blob(['x'.repeat(100_000)]).stream(),
    // undici needs this option for a stream; the fetch types of the browser do not have it.
    ...({ duplex: 'half' } as object),
  });

  expect(announced.status).toBe(413);
  expect(streamed.status).toBe(413);
  expect((await send('GET /organizations')).status).toBe(200);
});

test.each([24_000, 700_000])(
  'the inbox page opens even if the browser sends %i bytes of cookies from other local applications',
  async (length) => {
    const { emulator } = await stage({ listen: true });
    const cookie = Array.from({ length: length / 4_000 }, (_, at) => `app${at}=${'x'.repeat(3_990)}`).join('; ');

    const page = await fetch(`${emulator.url}/_emulator/inbox`, { headers: { accept: 'text/html', cookie } });

    expect(page.status).toBe(200);
  },
);

test('the emulator fails with port_in_use if the port is taken', async () => {
  const { url } = (await stage({ listen: true })).emulator;
  const { emulator: second } = await stage();

  await expect(second.listen(Number(new URL(url).port))).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringContaining(new URL(url).host),
  });
  await expect(second.listen()).resolves.toMatch(/^http:/);
  await expect(second.listen()).rejects.toMatchObject({ code: 'already_listening' });
});

test.each([1, 2049, 6000, 6667, 10_080])(
  'the emulator refuses to listen on port %i, which browsers block',
  async (port) => {
    const { emulator } = await stage();

    await expect(emulator.listen(port)).rejects.toMatchObject({
      name: 'EmulatorError',
      code: 'cannot_listen',
      message: `The emulator cannot be used on 127.0.0.1:${port}. Browsers and fetch never connect to port ${port}, which belongs to another protocol. Choose another port; 0 picks a free one.`,
    });
    await expect(emulator.listen()).resolves.toMatch(/^http:/);
  },
);

test('closing the emulator does not wait for idle connections', async () => {
  const { emulator } = await stage({ listen: true });
  await Promise.all(Array.from({ length: 50 }, () => fetch(`${emulator.url}/health`).then((answer) => answer.text())));
  const unused = connect(Number(new URL(emulator.url).port), '127.0.0.1').resume();
  const ended = new Promise((resolve) => unused.on('close', resolve));
  await new Promise((resolve) => unused.on('connect', resolve));
  await settle();
  // Time stands still, so the time limit for requests never ends.
  vi.useFakeTimers({ toFake: ['setTimeout'] });

  await emulator.close();
  await ended;
});

test('closing the emulator drops requests that never end', async () => {
  const { emulator } = await stage({ listen: true });
  const { port } = new URL(emulator.url);
  const hanging = request({
    port,
    method: 'POST',
    path: '/organizations',
    headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
  });
  const broken = new Promise((resolve) => hanging.on('error', resolve));
  hanging.write('{"name":');
  await new Promise((resolve) => hanging.on('socket', (socket) => socket.once('connect', resolve)));

  await emulator.close();

  expect(await broken).toMatchObject({ code: 'ECONNRESET' });
});

describe('the Host header', () => {
  const statusOf = async (url: string, text: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(`${text}\r\n\r\n`);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await once(socket, 'close');
    return Number(answer.slice(9, 12));
  };

  test.each(['GET /health HTTP/1.0', 'HEAD /health HTTP/1.0', 'GET /health?from=balancer HTTP/1.0'])(
    "is optional in a load balancer's health check (%j)",
    async (line) => {
      const { emulator } = await stage({ listen: true });

      expect(await statusOf(emulator.url, line)).toBe(200);
    },
  );

  test.each([
    'GET /health HTTP/1.1',
    'GET /health HTTP/1.0\r\nHost:',
    'POST /health HTTP/1.0\r\nContent-Length: 0',
    'OPTIONS /health HTTP/1.0',
    'GET /health/ HTTP/1.0',
    'GET /healthy HTTP/1.0',
    'GET /x/../health HTTP/1.0',
    'GET /organizations HTTP/1.0',
    'GET / HTTP/1.0',
  ])('must not be missing or empty in the request %j', async (line) => {
    const { emulator } = await stage({ listen: true });

    expect(await statusOf(emulator.url, line)).toBe(400);
  });

  test('must not name a website, even in a health check', async () => {
    const { emulator } = await stage({ listen: true });

    expect(await statusOf(emulator.url, 'GET /health HTTP/1.0\r\nHost: evil.test')).toBe(403);
  });
});
