import { request as httpRequest } from 'node:http';
import type { EmulatorOptions } from 'sallyport/emulator';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../deferred.js';
import { sender } from '../../servers/send.js';
import { stage } from '../../stage.js';

// Two policies may apply to one request. Each test says which one decides.

/** Starts an emulator, and returns a function that sends it requests with any host name. */
async function startEmulator(options: EmulatorOptions = {}) {
  const { emulator } = await stage({ listen: true, ...options });
  const { port } = new URL(emulator.url);
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      sent.on('error', reject).end();
    });
  return { emulator, ask };
}

const allowOrigin = 'access-control-allow-origin';
const source = 'sallyport-emulator';
const replayed = 'idempotency-replayed';
const token = '/user_management/authenticate';
const preflight = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
const html = 'text/html';
const acme = { name: 'Acme' };
const key = { 'idempotency-key': '7d8e1c9e-0000-4000-8000-000000000001' };

describe('the emulator', () => {
  test('checks the host before it answers a preflight', async () => {
    const { ask } = await startEmulator();

    const wrong = await ask('OPTIONS', token, { ...preflight, host: 'evil.test' });
    const right = await ask('OPTIONS', token, { ...preflight, host: 'localhost' });

    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain('host_not_allowed');
    expect(wrong.headers[source]).toBe('stranger');
    expect(wrong.headers).not.toHaveProperty(allowOrigin);
    expect(right.status).toBe(204);
    expect(right.headers[allowOrigin]).toBe('http://localhost:3000');
  });

  test('checks the origin before it looks up the world', async () => {
    const { ask } = await startEmulator();

    const answer = await ask('GET', '/', { host: 'w7.localhost', origin: 'https://evil.test', accept: html });

    expect(answer.status).toBe(403);
    expect(answer.headers[source]).toBe('stranger');
  });

  test('returns 404 for an unknown world, and lets a local page read the reason', async () => {
    const { emulator, ask } = await startEmulator();
    const authorization = `Bearer ${emulator.credentials.apiKey}`;

    const page = await ask('GET', '/', { host: 'w7.localhost', accept: html });
    const call = await ask('GET', '/organizations', { host: 'w7.localhost', authorization });
    const asked = await ask('OPTIONS', token, { ...preflight, host: 'w7.localhost' });
    const told = await ask('POST', token, { origin: preflight.origin, host: 'w7.localhost' });
    const foreign = await ask('OPTIONS', token, { ...preflight, origin: 'https://evil.test', host: 'w7.localhost' });

    expect(page.status).toBe(404);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.text).toContain('World not found');
    for (const answer of [call, told]) {
      expect(answer.status).toBe(404);
      expect(answer.text).toContain('no_such_world');
      expect(answer.headers[source]).toBe('no-such-world');
    }
    expect(call.headers).not.toHaveProperty(allowOrigin);
    expect([asked.status, asked.headers[allowOrigin]]).toEqual([204, preflight.origin]);
    expect(told.headers[allowOrigin]).toBe(preflight.origin);
    expect([foreign.status, foreign.headers[allowOrigin]]).toEqual([403, undefined]);
  });

  test('reports an unknown world before an unknown path, and an unknown path before a missing API key', async () => {
    const { ask } = await startEmulator();

    const unknownWorld = await ask('GET', '/nowhere', { host: 'w7.localhost' });
    const unknownPath = await ask('GET', '/nowhere', { host: 'localhost' });
    const wrongMethod = await ask('PATCH', '/organizations', { host: 'localhost' });

    expect(unknownWorld.text).toContain('no_such_world');
    expect([unknownPath.status, unknownPath.headers[source]]).toEqual([404, 'no-such-path']);
    expect([wrongMethod.status, wrongMethod.headers.allow]).toEqual([405, 'GET, POST']);
  });

  test('lets a page read why a token request was rejected', async () => {
    const { emulator } = await stage({ listen: true });
    const sent = JSON.stringify({ grant_type: 'odd', client_id: emulator.credentials.clientId });

    const answer = await fetch(emulator.url + token, {
      method: 'POST',
      headers: { origin: preflight.origin, 'content-type': 'application/json' },
      body: sent,
    });

    expect(answer.status).toBe(400);
    expect(answer.headers.get(allowOrigin)).toBe('http://localhost:3000');
  });

  test("prefers the world in the URL to the client ID's world, and the client ID's world to the first world", async () => {
    const { emulator } = await stage();
    const one = await emulator.worlds.create({ name: 'one' });
    const two = await emulator.worlds.create({ name: 'two' });
    const path = (clientId: string) =>
      `/user_management/authorize?response_type=code&provider=hosted-login&client_id=${clientId}&redirect_uri=${encodeURIComponent('http://localhost:3000/callback')}`;
    const open = (url: string, accept: string) => emulator.fetch(url, { headers: { accept }, redirect: 'manual' });

    const elsewhere = await open(one.url + path(two.credentials.clientId), html);
    const atOwnAddress = await open(two.url + path(two.credentials.clientId), html);
    const shared = await open(emulator.url + path(two.credentials.clientId), html);
    const program = await open(emulator.url + path(two.credentials.clientId), 'application/json');

    expect(elsewhere.status).toBe(400);
    expect(atOwnAddress.headers.get('location')).toMatch(/^\/hosted\//);
    expect(shared.status).toBe(302);
    expect(shared.headers.get('location')).toBe(two.url + path(two.credentials.clientId));
    expect(program.headers.get('location')).toContain('/hosted/');
  });

  test('rejects an API key of another world before it parses the body', async () => {
    const { emulator } = await stage();
    const one = await emulator.worlds.create({ name: 'one' });
    const ask = sender(emulator.fetch, one.url, emulator.credentials.apiKey);

    const answer = await ask('POST /organizations', 'not JSON');

    expect([answer.status, answer.body.code]).toEqual([403, 'key_of_another_world']);
  });
});

describe('the emulator', () => {
  const large = { name: 'x'.repeat(1024 * 1024) };

  test('reports a missing API key before an oversized body', async () => {
    const { send } = await stage();

    const strange = await send('POST /organizations', large, { authorization: undefined });
    const known = await send('POST /organizations', large);

    expect([strange.status, strange.body.code]).toEqual([401, 'missing_api_key']);
    expect([known.status, known.body.code]).toEqual([413, 'payload_too_large']);
  });

  test('checks the permissions of an API key before it parses the body', async () => {
    const { emulator, send } = await stage();
    await emulator.addApiKey({ value: 'sk_test_reader', deny: ['POST /organizations'] });

    const answer = await send('POST /organizations', 'not JSON', { authorization: 'Bearer sk_test_reader' });

    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  });

  test('does not use up a fault on a request with malformed JSON', async () => {
    const { emulator, send } = await stage();
    await emulator.faults.add({ operation: 'organizations.create', status: 503, times: 1 });

    const answer = await send('POST /organizations', 'not JSON');

    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_json']);
    expect(emulator.faults.list()).toHaveLength(1);
  });

  test('applies a fault before it validates the body, and stores a validation error for the idempotency key', async () => {
    const { emulator, send } = await stage();

    const first = await send('POST /organizations', { name: 5 }, key);
    const again = await send('POST /organizations', { name: 5 }, key);
    await emulator.faults.add({ operation: 'organizations.create', status: 503, times: 1 });
    const failed = await send('POST /organizations', { name: 5 });

    expect([first.status, again.status, again.headers.get(replayed)]).toEqual([422, 422, 'true']);
    expect(failed.status).toBe(503);
  });
});

describe('the emulator', () => {
  test('applies a fault instead of replaying a stored response, and does not store the faulty response', async () => {
    const { emulator, send } = await stage();
    await emulator.faults.add({ operation: 'organizations.create', status: 503, times: 1 });

    const failed = await send('POST /organizations', acme, key);
    const made = await send('POST /organizations', acme, key);
    await emulator.faults.add({ operation: 'organizations.create', status: 503, times: 1 });
    const failedAgain = await send('POST /organizations', acme, key);
    const repeated = await send('POST /organizations', acme, key);

    expect([failed.status, made.status, failedAgain.status, repeated.status]).toEqual([503, 200, 503, 200]);
    expect(made.headers.get(replayed)).toBeNull();
    expect(failedAgain.headers.get(replayed)).toBeNull();
    expect(repeated.headers.get(replayed)).toBe('true');
    expect(repeated.body.id).toBe(made.body.id);
  });

  test('stores the original response to a request that took effect, even if a fault replaces the response', async () => {
    const { emulator, send } = await stage();
    await emulator.faults.add({ operation: 'organizations.create', status: 500, times: 1, carriedOut: true });

    const failed = await send('POST /organizations', acme, key);
    const repeated = await send('POST /organizations', acme, key);

    expect([failed.status, repeated.status]).toEqual([500, 200]);
    expect(repeated.headers.get(replayed)).toBe('true');
    expect(emulator.served.get('organizations.create')).toBe(1);
  });

  test('applies a rate limit before a fault or a stored response, and does not store the 429 response', async () => {
    const { emulator, send } = await stage();
    const made = await send('POST /organizations', acme, key);
    await emulator.setRateLimit('all_requests', { requests: 1 });
    const allowed = await send('POST /organizations', acme, key);
    await emulator.faults.add({ operation: 'organizations.create', status: 503, times: 1 });

    const limited = await send('POST /organizations', acme, key);
    await emulator.clock.advance('2m');
    const failed = await send('POST /organizations', acme, key);
    await emulator.clock.advance('2m');
    const repeated = await send('POST /organizations', acme, key);

    expect([allowed.status, limited.status, failed.status, repeated.status]).toEqual([200, 429, 503, 200]);
    expect(repeated.body.id).toBe(made.body.id);
    expect(repeated.headers.get(replayed)).toBe('true');
  });

  test('applies no rate limits or faults to a control request, but stores the response for the idempotency key', async () => {
    const { emulator, send } = await stage();
    await emulator.setRateLimit('all_requests', { requests: 1 });
    await emulator.faults.add({ path: '/*', status: 503 });
    const line = 'POST /_emulator/clock/advance';

    const answers = [];
    for (let at = 0; at < 3; at++) answers.push(await send(line, { by: '1m' }, key));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get(replayed))).toEqual([null, 'true', 'true']);
    expect(answers[2]!.headers.get(source)).toBe('control');
    expect(answers[2]!.headers.get('cache-control')).toBe('no-store');
    expect(emulator.clock.iso()).toBe('2026-01-01T00:01:00.000Z');
  });
});

describe('a reset', () => {
  test('lets a running request finish in the old world, and emits no events for the request', async () => {
    const { emulator, events, send } = await stage();
    let finish = (): void => undefined;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"name":'));
        finish = () => {
          controller.enqueue(new TextEncoder().encode('"Acme"}'));
          controller.close();
        };
      },
    });
    const sent = emulator.fetch(`${emulator.url}/organizations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);

    await new Promise((resolve) => setImmediate(resolve));
    await emulator.reset();
    finish();
    const answer = await sent;

    expect(answer.status).toBe(200);
    expect((await send('GET /organizations')).body.data).toEqual([]);
    expect(events).toEqual([]);
  });

  test('replaces a delayed response with a 503 response', async () => {
    const { emulator, send } = await stage();
    await emulator.faults.add({ operation: 'organizations.create', delay: '5s' });
    const sent = send('POST /organizations', acme);

    await new Promise((resolve) => setImmediate(resolve));
    await emulator.reset();

    const answer = await sent;
    expect([answer.status, answer.body.code, answer.headers.get(source)]).toEqual([503, 'closed', 'control']);
  });

  test('cancels the retries of an unfinished webhook delivery, and removes the delivery from the list', async () => {
    const { promise: answer, resolve: finish } = deferred<Response>();
    let deliveries = 0;
    const { emulator, send } = await stage({
      deliver: () => {
        deliveries += 1;
        return answer;
      },
    });
    await send('POST /webhook_endpoints', { endpoint_url: 'https://app.acme.test/webhooks', events: [] });
    await send('POST /organizations', acme);
    await expect.poll(() => deliveries).toBe(1);

    await emulator.reset();
    finish(new Response(null, { status: 500 }));
    await emulator.clock.advance('3d');

    expect(emulator.deliveries).toEqual([]);
    expect(deliveries).toBe(1);
  });

  test('rejects a call that waits for an event or a message', async () => {
    const { emulator } = await stage();
    const event = expect(emulator.events.waitFor({ event: 'user.created' })).rejects.toMatchObject({ code: 'closed' });
    const message = expect(emulator.inbox.waitFor({ to: 'ada@acme.test' })).rejects.toMatchObject({ code: 'closed' });

    await emulator.reset();

    await Promise.all([event, message]);
  });

  test('ends the stream to a live page, and the next stream reports changes in the new world', async () => {
    const { emulator, send } = await stage({ listen: true });
    const open = async () => (await fetch(`${emulator.url}/_emulator/live`)).body!.getReader();
    const read = async (page: ReadableStreamDefaultReader<Uint8Array>) =>
      new TextDecoder().decode((await page.read()).value);
    const before = await open();
    expect(await read(before)).toBe('retry: 500\n\n');

    await emulator.reset();
    const after = await open();
    await read(after);
    await send('POST /organizations', acme);

    while (!(await before.read()).done);
    expect(await read(after)).toContain('event: ');
    await after.cancel();
  });
});
