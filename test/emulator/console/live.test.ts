import { get } from 'node:http';
import { expect, test } from 'vitest';
import { stage } from '../../stage.js';

/** Starts an emulator, and returns functions that call it and read its live events. */
async function startEmulator() {
  const { emulator, send } = await stage({ listen: true, deliver: () => new Response(null) });
  const listen = async (query = '') => {
    const response = await fetch(`${emulator.url}/_emulator/live${query}`);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    /** Reads until the text contains this, and returns all text so far. */
    const until = async (wanted: string): Promise<string> => {
      while (!text.includes(wanted)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`The stream ended without ${wanted}: ${text}`);
        text += decoder.decode(value, { stream: true });
      }
      return text;
    };
    const rest = async (): Promise<string> => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value);
      return text;
    };
    await until('retry');
    return { response, until, rest, leave: () => reader.cancel() };
  };
  return { emulator, send, listen };
}

test('a live page receives the kind of each change, but not the changed data', async () => {
  const { send, listen } = await startEmulator();
  const { response, until } = await listen();

  await send('POST /user_management/users', { email: 'ada@acme.test', password: 'a quiet harbour at dawn' });
  await until('event: changes');
  const text = await until('event: requests');

  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(
    text
      .replace('retry: 500', '')
      .replace(/event: (?:requests|changes)\ndata: \{\}/g, '')
      .trim(),
  ).toBe('');
});

test('the live stream reports controls and deliveries as changes, but not requests that only read data', async () => {
  const { emulator, send, listen } = await startEmulator();
  const first = await listen();
  await emulator.clock.advance('1h');
  const advanced = await first.until('event: changes');
  await send('POST /webhook_endpoints', { endpoint_url: 'https://app.example.com/webhooks', events: [] });
  await send('POST /organizations', { name: 'Acme' });
  await emulator.waitForDeliveries();

  const second = await listen();
  await emulator.redeliver(emulator.deliveries[0]!.id);
  const redelivered = await second.until('event: changes');
  await emulator.waitForDeliveries();
  const third = await listen();
  await send('GET /organizations');
  const listed = await third.until('event: requests');

  expect([advanced, redelivered, listed].map((text) => [...new Set(text.match(/(?<=event: )\w+/g))])).toEqual([
    ['changes'],
    ['changes'],
    ['requests'],
  ]);
});

test('the live stream of an environment reports only requests in that environment', async () => {
  const { emulator, send, listen } = await startEmulator();
  const { until } = await listen(`?client_id=${emulator.production.credentials.clientId}`);

  await send('POST /organizations', { name: 'Acme' });
  await send('POST /organizations', { name: 'Live' }, { authorization: 'Bearer sk_live_sallyport_emulator' });

  expect((await until('event: requests')).match(/event: requests/g)).toHaveLength(1);
});

test('the live stream is blocked for host names and origins that are not local', async () => {
  const { emulator } = await startEmulator();
  const { port } = new URL(emulator.url);
  const statusUnder = (headers: Readonly<Record<string, string>>) =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/_emulator/live', headers }, (response) => {
        resolve([response.statusCode, response.headers['access-control-allow-origin']]);
        response.destroy();
      }).on('error', reject);
    });

  expect(await statusUnder({ host: 'evil.test' })).toEqual([403, undefined]);
  expect(await statusUnder({ host: 'emulator' })).toEqual([403, undefined]);
  expect(await statusUnder({ host: `localhost:${port}`, origin: 'https://evil.test' })).toEqual([403, undefined]);
  // A page on another port gets the answer, but its browser does not let it read it.
  expect(await statusUnder({ host: `localhost:${port}`, origin: 'http://localhost:3000' })).toEqual([200, undefined]);
});

test('the live stream ends immediately when the emulator is reset or closed', async () => {
  const { emulator, listen } = await startEmulator();
  const first = await listen();
  await emulator.reset();
  await first.rest();
  const second = await listen();

  const began = performance.now();
  await emulator.close();
  await second.rest();

  expect(performance.now() - began).toBeLessThan(900);
});

test('at most 32 pages can read live streams at a time, and a closed page makes room for a new page', async () => {
  const { emulator, listen } = await startEmulator();
  const pages = await Promise.all(Array.from({ length: 32 }, () => listen()));

  const refused = await fetch(`${emulator.url}/_emulator/live`);
  await pages[0]!.leave();
  let again = refused;
  // The server notices this when the connection has closed.
  while (again.status === 503) again = await fetch(`${emulator.url}/_emulator/live`);

  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'too_many_listeners' }]);
  expect(again.status).toBe(200);
});

test('unread messages of the same kind are merged in the live stream', async () => {
  const { emulator, send } = await stage();
  const { body } = await emulator.fetch('/_emulator/live');
  for (let sent = 0; sent < 100; sent++) await send('POST /organizations', { name: `Acme ${sent}` });

  const decoder = new TextDecoder();
  const reader = body!.getReader();
  const next = async () => decoder.decode((await reader.read()).value);
  const read = [await next(), await next()];
  const later = next();
  await send('GET /organizations');
  read.push(await later);
  await reader.cancel();

  expect(read).toEqual([
    'retry: 500\n\n',
    'event: changes\ndata: {}\n\nevent: requests\ndata: {}\n\n',
    'event: requests\ndata: {}\n\n',
  ]);
});
