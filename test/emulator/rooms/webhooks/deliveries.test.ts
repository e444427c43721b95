import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEmulatorWith } from '../../../../src/emulator/command-line.js';
import type { EmulatorOptions } from '../../../../src/emulator/index.js';
import { version } from '../../../../src/version.js';
import { deferred } from '../../../deferred.js';
import { sender } from '../../../servers/send.js';
import { type Script, serve } from '../../../servers/server.js';
import { stage } from '../../../stage.js';
import { runAlone } from '../../../transport/process.js';

/** The signature that the specification describes, by another implementation. */
const signed = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

/** An emulator with a real server as its endpoint for all events. */
async function startWithReceiver({ script = [], ...options }: EmulatorOptions & { script?: Script[] } = {}) {
  const receiver = await serve(...script);
  const { emulator, send } = await stage(options);
  const { body: endpoint } = await send('POST /webhook_endpoints', { endpoint_url: receiver.url, events: [] });
  return { emulator, send, receiver, endpoint };
}

/** An emulator with deliveries to `/slow` that wait until the test releases them. */
async function startWithSlowReceiver() {
  const sent: { path: string; event: string; name: string }[] = [];
  const released = deferred<void>();
  const { emulator, send } = await stage({
    deliver: async (request) => {
      const path = new URL(request.url).pathname;
      const { event, data } = (await request.json()) as { event: string; data: { name: string } };
      sent.push({ path, event, name: data.name });
      if (path === '/slow') await released.promise;
      return new Response();
    },
  });
  return { emulator, send, sent, release: released.resolve };
}

const createOrganization = (send: Awaited<ReturnType<typeof stage>>['send'], name = 'Acme') =>
  send('POST /organizations', { name });

describe('a webhook delivery', () => {
  test('contains exactly the bytes of the event in the event list', async () => {
    const { emulator, send, receiver } = await startWithReceiver();

    await createOrganization(send, 'Zoë & Söhne');
    await emulator.waitForDeliveries();

    const [received] = receiver.requests;
    const { apiKey } = emulator.credentials;
    const listed = await emulator.fetch('/events', { headers: { authorization: `Bearer ${apiKey}` } });
    expect(JSON.parse(received!.body)).toMatchObject({ object: 'event', event: 'organization.created' });
    expect(await listed.text()).toContain(`"data":[${received!.body}]`);
  });

  test.each([
    ['spec', 'service-signature'],
    ['workos', 'workos-signature'],
  ] as const)("in the %s dialect is signed with the endpoint's secret (header %s)", async (dialect, header) => {
    const { emulator, send, receiver, endpoint } = await startWithReceiver({ dialect });

    await createOrganization(send);
    await emulator.waitForDeliveries();

    const { method, headers, body } = receiver.requests[0]!;
    // 2026-01-01T00:00:00.000Z in milliseconds.
    expect(headers[header]).toBe(`t=1767225600000, v1=${signed(endpoint.secret, '1767225600000', body)}`);
    expect(headers[header]).not.toContain(signed('whsec_other', '1767225600000', body));
    expect(method).toBe('POST');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['user-agent']).toBe(`sallyport-emulator/${version}`);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  test('is sent only to enabled endpoints that subscribe to the event type', async () => {
    const { emulator, send, receiver } = await startWithReceiver();
    const second = await serve();
    const third = await serve();
    const fourth = await serve();
    const add = (endpoint_url: string, ...events: string[]) =>
      send('POST /webhook_endpoints', { endpoint_url, events });
    await add(second.url, 'organization.created');
    await add(third.url, 'organization.deleted');
    const { body: disabled } = await add(fourth.url);
    await send(`PATCH /webhook_endpoints/${disabled.id}`, { status: 'disabled' });

    await createOrganization(send);
    await emulator.waitForDeliveries();

    expect([receiver, second, third, fourth].map(({ requests }) => requests.length)).toEqual([1, 1, 0, 0]);
    expect(second.requests[0]!.body).toBe(receiver.requests[0]!.body);
  });

  test('arrives after every earlier delivery for the same object', async () => {
    const { emulator, send, receiver } = await startWithReceiver();
    const { body: organization } = await createOrganization(send, 'Name 0');

    for (let n = 1; n < 30; n++) await send(`PUT /organizations/${organization.id}`, { name: `Name ${n}` });
    await emulator.waitForDeliveries();

    const names = Array.from({ length: 30 }, (_, n) => `Name ${n}`);
    expect(receiver.requests.map(({ body }) => JSON.parse(body).data.name)).toEqual(names);
  });

  test('waits while ten deliveries to the same endpoint are running, but not for deliveries to other endpoints', async () => {
    const { emulator, send, sent, release } = await startWithSlowReceiver();
    for (const path of ['slow', 'fast'])
      await send('POST /webhook_endpoints', { endpoint_url: `https://acme.test/${path}`, events: [] });

    for (let n = 0; n < 12; n++) await createOrganization(send, `Organization ${n}`);
    await expect.poll(() => sent.filter(({ path }) => path === '/fast')).toHaveLength(12);
    const slow = sent.filter(({ path }) => path === '/slow').length;
    release();
    await emulator.waitForDeliveries();

    expect(slow).toBe(10);
    expect(sent.filter(({ path }) => path === '/slow')).toHaveLength(12);
    expect(emulator.deliveries.filter(({ state }) => state === 'delivered')).toHaveLength(24);
  });

  test('waits for earlier events of the same object, but not for events of other objects', async () => {
    const { emulator, send, sent, release } = await startWithSlowReceiver();
    await send('POST /webhook_endpoints', { endpoint_url: 'https://acme.test/slow', events: [] });

    const { body: organization } = await createOrganization(send, 'One');
    await send(`PUT /organizations/${organization.id}`, { name: 'One, renamed' });
    await createOrganization(send, 'Two');
    await expect.poll(() => sent).toHaveLength(2);
    const meanwhile = sent.map(({ name }) => name);
    release();
    await emulator.waitForDeliveries();

    expect(meanwhile).toEqual(['One', 'Two']);
    expect(sent.map(({ name }) => name)).toEqual(['One', 'Two', 'One, renamed']);
  });

  test('about a group membership waits for earlier events of the user and the group', async () => {
    const { emulator, send, sent, release } = await startWithSlowReceiver();
    const directory = await emulator.createDirectory({ name: 'Acme', type: 'okta scim v2.0' });
    await send('POST /webhook_endpoints', { endpoint_url: 'https://acme.test/slow', events: [] });

    const user = await emulator.createDirectoryUser({ directoryId: directory.id, email: 'ada@acme.test' });
    const group = await emulator.createDirectoryGroup({ directoryId: directory.id, name: 'Staff' });
    await emulator.addUserToGroup({ userId: user.id, groupId: group.id });
    await expect.poll(() => sent).toHaveLength(2);
    const meanwhile = sent.map(({ event }) => event);
    release();
    await emulator.waitForDeliveries();

    expect(meanwhile).toEqual(['dsync.user.created', 'dsync.group.created']);
    expect(sent.map(({ event }) => event)).toEqual([
      'dsync.user.created',
      'dsync.group.created',
      'dsync.group.user_added',
    ]);
  });
});

describe('the webhook delivery log', () => {
  test('contains the state and the attempts of a delivery', async () => {
    const { emulator, send, receiver, endpoint } = await startWithReceiver({ script: [{ status: 204 }] });

    await createOrganization(send);
    await emulator.waitForDeliveries();

    expect(emulator.deliveries).toEqual([
      {
        id: expect.stringMatching(/^delivery_[0-9A-Z]{26}$/),
        endpointId: endpoint.id,
        eventId: JSON.parse(receiver.requests[0]!.body).id,
        event: 'organization.created',
        attempts: [{ at: '2026-01-01T00:00:00.000Z', status: 204 }],
        state: 'delivered',
      },
    ]);
  });

  test('contains the reason why an attempt failed', async () => {
    const { emulator, send, receiver } = await startWithReceiver();
    await receiver.close();

    await createOrganization(send);
    await emulator.waitForDeliveries();

    expect(emulator.deliveries).toMatchObject([
      { state: 'pending', attempts: [{ error: expect.stringContaining('ECONNREFUSED') }] },
    ]);
    expect(emulator.deliveries[0]!.attempts[0]).not.toHaveProperty('status');
  });
});

describe('a failed webhook delivery', () => {
  test('is attempted twelve times, with a wait that doubles after each attempt', async () => {
    const { emulator, send, receiver, endpoint } = await startWithReceiver({ script: [{ status: 500 }] });
    await createOrganization(send);
    await emulator.waitForDeliveries();
    expect(emulator.deliveries).toMatchObject([{ state: 'pending', attempts: [{ status: 500 }] }]);

    await emulator.clock.advance('10d');

    const [delivery] = emulator.deliveries;
    expect(delivery!.state).toBe('failed');
    expect(delivery!.attempts.map(({ at }) => at)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:02:00.000Z',
      '2026-01-01T00:06:00.000Z',
      '2026-01-01T00:14:00.000Z',
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T01:02:00.000Z',
      '2026-01-01T02:06:00.000Z',
      '2026-01-01T04:14:00.000Z',
      '2026-01-01T08:30:00.000Z',
      '2026-01-01T17:02:00.000Z',
      '2026-01-02T10:06:00.000Z',
      '2026-01-03T20:14:00.000Z',
    ]);
    expect(receiver.requests).toHaveLength(12);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    const last = receiver.requests.at(-1)!;
    // 2026-01-03T20:14:00.000Z in milliseconds.
    expect(last.headers['service-signature']).toBe(
      `t=1767471240000, v1=${signed(endpoint.secret, '1767471240000', last.body)}`,
    );
  });

  test('is not retried before the scheduled time, or after a successful retry', async () => {
    const { emulator, send, receiver } = await startWithReceiver({ script: [{ status: 503 }, { status: 200 }] });
    await createOrganization(send);
    await emulator.waitForDeliveries();

    await emulator.clock.advance(2 * 60_000 - 1);
    const early = receiver.requests.length;
    await emulator.clock.advance(1);
    await emulator.clock.advance('10d');

    expect(early).toBe(1);
    expect(receiver.requests).toHaveLength(2);
    expect(emulator.deliveries).toMatchObject([
      {
        state: 'delivered',
        attempts: [
          { at: '2026-01-01T00:00:00.000Z', status: 503 },
          { at: '2026-01-01T00:02:00.000Z', status: 200 },
        ],
      },
    ]);
  });

  test.each([301, 302, 307, 308, 400, 404, 410, 429])('is retried after a response with status %i', async (status) => {
    const elsewhere = await serve();
    const { emulator, send, receiver } = await startWithReceiver({
      script: [{ status, headers: { location: elsewhere.url } }, { status: 200 }],
    });
    await createOrganization(send);
    await emulator.waitForDeliveries();
    const [first] = emulator.deliveries;

    await emulator.clock.advance('2m');

    expect(first).toMatchObject({ state: 'pending', attempts: [{ status }] });
    expect(first!.attempts[0]!.error).toBe(status < 400 ? 'redirects are not followed' : undefined);
    expect(elsewhere.requests).toEqual([]);
    expect(receiver.requests).toHaveLength(2);
    expect(emulator.deliveries[0]!.state).toBe('delivered');
  });

  test('is recorded as timed out if the endpoint does not respond within five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sent = deferred<AbortSignal>();
    const { emulator, send } = await startWithReceiver({
      deliver: ({ signal }) => {
        sent.resolve(signal);
        return new Promise(() => undefined);
      },
    });
    await createOrganization(send);
    const signal = await sent.promise;

    await vi.advanceTimersByTimeAsync(4_999);
    const before = emulator.deliveries[0]!.attempts.length;
    await vi.advanceTimersByTimeAsync(1);
    await emulator.waitForDeliveries();

    expect(before).toBe(0);
    expect(emulator.deliveries).toMatchObject([
      { state: 'pending', attempts: [{ error: 'timed out after 5 seconds' }] },
    ]);
    expect(signal.aborted).toBe(true);
  });

  test('is reported to onFailure with the cause and the configured wait until the next attempt', async () => {
    const failures: object[] = [];
    const statuses = [307, 500, 500, 200];
    const emulator = await createEmulatorWith(
      {
        clock: '2026-01-01T00:00:00.000Z',
        deliver: () => {
          const status = statuses.shift();
          if (status === undefined) throw new Error('connection refused');
          return new Response(null, { status });
        },
      },
      {
        deliveries: {
          answerWithinMs: 30_000,
          firstWaitMs: 2_000,
          onFailure: (failure) => failures.push(failure),
        },
      },
    );
    const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
    await send('POST /webhook_endpoints', { endpoint_url: 'https://acme.test/hook?key=secret', events: [] });

    await createOrganization(send, 'One');
    await emulator.waitForDeliveries();
    await emulator.clock.advance('14s');
    await createOrganization(send, 'Two');
    await emulator.waitForDeliveries();
    await emulator.clock.advance('2h');

    expect(emulator.deliveries.map(({ attempts }) => attempts.length)).toEqual([4, 12]);
    expect(emulator.deliveries[0]!.attempts.map(({ at }) => at)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:02.000Z',
      '2026-01-01T00:00:06.000Z',
      '2026-01-01T00:00:14.000Z',
    ]);
    const event = 'organization.created';
    expect(failures.slice(0, 4)).toEqual([
      { event, status: 307, error: 'redirects are not followed', retryInMs: 2_000 },
      { event, status: 500, retryInMs: 4_000 },
      { event, status: 500, retryInMs: 8_000 },
      { event, error: 'connection refused', retryInMs: 2_000 },
    ]);
    expect(failures.slice(4).at(-1)).toEqual({ event, error: 'connection refused', retryInMs: undefined });
    expect(failures).toHaveLength(15);
  });

  test('is recorded as timed out if the endpoint does not respond within the configured time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sent = deferred<void>();
    const deliver = (): Promise<Response> => {
      sent.resolve();
      return new Promise(() => undefined);
    };
    const emulator = await createEmulatorWith(
      { clock: '2026-01-01T00:00:00.000Z', deliver },
      { deliveries: { answerWithinMs: 30_000, firstWaitMs: 2_000 } },
    );
    const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
    await send('POST /webhook_endpoints', { endpoint_url: 'https://acme.test/hook', events: [] });
    await createOrganization(send);
    await sent.promise;

    await vi.advanceTimersByTimeAsync(29_999);
    const before = emulator.deliveries[0]!.attempts.length;
    await vi.advanceTimersByTimeAsync(1);
    await emulator.waitForDeliveries();

    expect(before).toBe(0);
    expect(emulator.deliveries[0]!.attempts).toMatchObject([{ error: 'timed out after 30 seconds' }]);
  });

  test("is retried at the endpoint's current URL", async () => {
    const { emulator, send, receiver, endpoint } = await startWithReceiver({ script: [{ status: 500 }] });
    const moved = await serve();
    await createOrganization(send);
    await emulator.waitForDeliveries();

    await send(`PATCH /webhook_endpoints/${endpoint.id}`, { endpoint_url: moved.url });
    await emulator.clock.advance('2m');

    expect(receiver.requests).toHaveLength(1);
    expect(moved.requests).toHaveLength(1);
  });

  test.each([
    ['disabled', 'PATCH'],
    ['deleted', 'DELETE'],
  ])('is not retried if the endpoint is %s', async (_, method) => {
    const { emulator, send, receiver, endpoint } = await startWithReceiver({ script: [{ status: 500 }] });
    await createOrganization(send);
    await emulator.waitForDeliveries();

    await send(`${method} /webhook_endpoints/${endpoint.id}`, method === 'PATCH' ? { status: 'disabled' } : undefined);
    const stopped = emulator.deliveries[0]!.state;
    if (method === 'PATCH') await send(`PATCH /webhook_endpoints/${endpoint.id}`, { status: 'enabled' });
    await emulator.clock.advance('3d');

    expect(stopped).toBe('failed');
    expect(receiver.requests).toHaveLength(1);
  });

  test('does not delay later events of the same object', async () => {
    const { emulator, send, receiver } = await startWithReceiver({ script: [{ status: 500 }, { status: 200 }] });

    const { body: organization } = await createOrganization(send, 'One');
    await send(`PUT /organizations/${organization.id}`, { name: 'One, renamed' });
    await emulator.waitForDeliveries();
    await emulator.clock.advance('2m');

    expect(receiver.requests.map(({ body }) => JSON.parse(body).data.name)).toEqual(['One', 'One, renamed', 'One']);
    expect(emulator.deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  test('does not delay events of other objects', async () => {
    const { emulator, send, receiver } = await startWithReceiver({ script: [{ status: 500 }, { status: 200 }] });

    await createOrganization(send, 'One');
    await createOrganization(send, 'Two');
    await emulator.waitForDeliveries();

    expect(receiver.requests).toHaveLength(2);
    expect(emulator.deliveries.map(({ state }) => state)).toEqual(['pending', 'delivered']);
  });
});

describe('a manual redelivery', () => {
  test('of a failed delivery sends the same request body again', async () => {
    const { emulator, send, receiver } = await startWithReceiver({ script: [{ status: 500 }] });
    await createOrganization(send);
    await emulator.waitForDeliveries();
    await emulator.clock.advance('3d');
    receiver.answer({ status: 200 });

    const delivery = await emulator.redeliver(emulator.deliveries[0]!.id);

    expect(delivery.state).toBe('delivered');
    expect(delivery.attempts).toHaveLength(13);
    expect(delivery.attempts[12]).toEqual({ at: '2026-01-04T00:00:00.000Z', status: 200 });
    expect(receiver.requests[12]!.body).toBe(receiver.requests[0]!.body);
  });

  test('is not retried after a failure', async () => {
    const { emulator, send, receiver } = await startWithReceiver({ script: [{ status: 500 }] });
    await createOrganization(send);
    await emulator.waitForDeliveries();
    await emulator.clock.advance('3d');

    const delivery = await emulator.redeliver(emulator.deliveries[0]!.id);
    await emulator.clock.advance('3d');

    expect(delivery.state).toBe('failed');
    expect(receiver.requests).toHaveLength(13);
  });

  test('does not cancel the scheduled retries unless the redelivery succeeds', async () => {
    const { emulator, send, receiver } = await startWithReceiver({
      script: [{ status: 500 }, { status: 500 }, { status: 500 }, { status: 200 }],
    });
    await createOrganization(send);
    await emulator.waitForDeliveries();
    const { id } = emulator.deliveries[0]!;

    const again = await emulator.redeliver(id);
    await emulator.clock.advance('2m');
    const retried = emulator.deliveries[0]!;
    const delivered = await emulator.redeliver(id);
    await emulator.clock.advance('3d');

    expect(again).toMatchObject({ state: 'pending', attempts: [{ status: 500 }, { status: 500 }] });
    expect(retried).toMatchObject({ state: 'pending', attempts: [{}, {}, { at: '2026-01-01T00:02:00.000Z' }] });
    expect(delivered.state).toBe('delivered');
    expect(receiver.requests).toHaveLength(4);
  });

  test('does not change the state of a successful delivery, even if the redelivery fails', async () => {
    const { emulator, send, receiver } = await startWithReceiver({ script: [{ status: 200 }, { status: 500 }] });
    await createOrganization(send);
    await emulator.waitForDeliveries();

    const delivery = await emulator.redeliver(emulator.deliveries[0]!.id);

    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }, { status: 500 }] });
    expect(receiver.requests[1]!.body).toBe(receiver.requests[0]!.body);
  });

  test('requires a known delivery and an enabled endpoint', async () => {
    const { emulator, send, endpoint } = await startWithReceiver();
    await createOrganization(send);
    await emulator.waitForDeliveries();
    const { id } = emulator.deliveries[0]!;

    await expect(emulator.redeliver('delivery_none')).rejects.toMatchObject({ status: 404 });
    await send(`PATCH /webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    await expect(emulator.redeliver(id)).rejects.toMatchObject({ code: 'endpoint_disabled' });
    await send(`DELETE /webhook_endpoints/${endpoint.id}`);
    await expect(emulator.redeliver(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('with webhook delivery in the background,', () => {
  test('a receiver that never responds does not delay requests', async () => {
    const { emulator, send } = await startWithReceiver({ deliver: () => new Promise(() => undefined) });

    const { status } = await createOrganization(send);

    expect(status).toBe(200);
    expect(emulator.deliveries).toMatchObject([{ state: 'pending', attempts: [] }]);
    await emulator.close();
  });

  test('an error thrown by the `deliver` function is recorded, and the delivery is retried', async () => {
    const bodies: string[] = [];
    const { emulator, send } = await startWithReceiver({
      deliver: async (request) => {
        bodies.push(await request.text());
        if (bodies.length === 1) throw new Error('out of order');
        return new Response('thanks', { status: 202 });
      },
    });
    await createOrganization(send);
    await emulator.waitForDeliveries();

    await emulator.clock.advance('2m');

    expect(emulator.deliveries).toMatchObject([
      { state: 'delivered', attempts: [{ error: 'out of order' }, { status: 202 }] },
    ]);
    expect(bodies[1]).toBe(bodies[0]);
  });

  test('the emulator reads every response body to make the connection reusable', async () => {
    const response = new Response('thanks');
    const { emulator, send } = await startWithReceiver({ deliver: () => response });

    await createOrganization(send);
    await emulator.waitForDeliveries();

    expect(response.bodyUsed).toBe(true);
  });

  test('waitForDeliveries returns immediately if no webhook was sent', async () => {
    const { emulator } = await stage();

    await emulator.waitForDeliveries();

    expect(emulator.deliveries).toEqual([]);
  });

  test.each(['reset', 'close'] as const)('emulator.%s() cancels running and scheduled deliveries', async (end) => {
    const signals: AbortSignal[] = [];
    const { emulator, send } = await startWithReceiver({
      deliver: ({ signal }) => {
        if (signals.push(signal) === 1) return new Response(null, { status: 500 });
        return new Promise(() => undefined);
      },
    });
    await createOrganization(send, 'Organization 0');
    await emulator.waitForDeliveries();
    for (let n = 1; n <= 12; n++) await createOrganization(send, `Organization ${n}`);
    await expect.poll(() => signals).toHaveLength(11);

    await emulator[end]();
    await emulator.waitForDeliveries();
    await emulator.clock.advance('3d');

    expect(signals).toHaveLength(11);
    expect(signals.slice(1).every(({ aborted }) => aborted)).toBe(true);
  });

  test('waiting deliveries fail if the endpoint is disabled, but running deliveries continue', async () => {
    const { emulator, send, sent, release } = await startWithSlowReceiver();
    const { body: endpoint } = await send('POST /webhook_endpoints', {
      endpoint_url: 'https://acme.test/slow',
      events: [],
    });
    for (let n = 0; n < 12; n++) await createOrganization(send, `Organization ${n}`);
    await expect.poll(() => sent).toHaveLength(10);

    await send(`PATCH /webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    release();
    await emulator.waitForDeliveries();

    expect(sent).toHaveLength(10);
    expect(emulator.deliveries.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 10 }, () => 'delivered'),
      'failed',
      'failed',
    ]);
  });

  test('the emulator continues the pending deliveries of a restored snapshot in order', async () => {
    const { emulator, send, sent, release } = await startWithSlowReceiver();
    await send('POST /webhook_endpoints', { endpoint_url: 'https://acme.test/slow', events: [] });
    const { body: organization } = await createOrganization(send, 'One');
    await send(`PUT /organizations/${organization.id}`, { name: 'One, renamed' });
    await expect.poll(() => sent).toHaveLength(1);

    await emulator.restore(emulator.snapshot());
    release();
    await emulator.waitForDeliveries();

    expect(sent.map(({ name }) => name)).toEqual(['One', 'One', 'One, renamed']);
    expect(emulator.deliveries.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });

  test('a reset removes all endpoints, and endpoints created afterwards receive deliveries', async () => {
    const { emulator, send, receiver } = await startWithReceiver();
    await createOrganization(send);
    await emulator.waitForDeliveries();

    await emulator.reset();
    await createOrganization(send);
    const before = emulator.deliveries;
    await send('POST /webhook_endpoints', { endpoint_url: receiver.url, events: [] });
    await createOrganization(send);
    await emulator.waitForDeliveries();

    expect(before).toEqual([]);
    expect(emulator.deliveries).toMatchObject([{ state: 'delivered' }]);
    expect(receiver.requests).toHaveLength(2);
  });

  test('a scheduled retry does not keep the process alive', async () => {
    const script = `
      import { createEmulator } from './src/emulator/index.js';
      const emulator = await createEmulator({ deliver: () => new Response(null, { status: 500 }) });
      const post = (path, body) => emulator.fetch(path, {
        method: 'POST',
        headers: { authorization: 'Bearer ' + emulator.credentials.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await post('/webhook_endpoints', { endpoint_url: 'http://127.0.0.1:9/', events: [] });
      await post('/organizations', { name: 'Acme' });
      await emulator.waitForDeliveries();
      console.log(emulator.deliveries[0].state);
    `;

    expect(await runAlone(script)).toEqual({ stdout: 'pending\n', stderr: '', code: 0 });
  });
});
