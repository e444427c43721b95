import { Sallyport } from 'sallyport';
import { on } from 'sallyport/streams';
import {
  type ReceiveOptions,
  receive,
  signWebhook,
  type WebhookProblem,
  type WebhookRequest,
  WebhookVerificationError,
  webhookHandler,
} from 'sallyport/webhooks';
import { describe, expect, test } from 'vitest';
import { body, header, parsed, secret, sentAt, signature, signatureOfReplaced } from './delivery.js';

const now = () => sentAt;
const request = (init: { headers?: Record<string, string>; body?: BodyInit } = {}) =>
  new Request('https://app.acme.test/webhooks', {
    method: 'POST',
    headers: { 'service-signature': header },
    body,
    ...init,
  });
const received = (given: WebhookRequest = request(), options: Partial<ReceiveOptions> = {}) =>
  receive(given, { secret, now, ...options });
/** Returns the reason and the message of a refusal. */
const refusal = async (given?: WebhookRequest, options?: Partial<ReceiveOptions>) => {
  const result = await received(given, options);
  expect(result.status).toBe('refused');
  expect(result.event).toBeUndefined();
  expect(result.error).toBeInstanceOf(WebhookVerificationError);
  const { reason, message } = result.error as WebhookVerificationError;
  return { reason, message, httpStatus: result.httpStatus, text: result.text };
};

test('receive() rejects with an unexpected error that the client throws', async () => {
  const client = { webhooks: { parseEvent: () => Promise.reject(new TypeError('the decoder is broken')) } };

  await expect(receive(request(), { secret, now, client })).rejects.toThrow('the decoder is broken');
});

test('handlers by event type cause a compiler error if receive() is called without a client', async () => {
  const handler = on({ 'user.created': () => undefined });

  // @ts-expect-error Without a client the event has its wire names, and is not an Event.
  expect(await receive(request(), { secret, now, handler })).toMatchObject({ status: 'handled' });
  // With a client it compiles.
  const withClient = (client: Sallyport) => receive(request(), { secret, client, handler });
  expect(withClient).toBeTypeOf('function');
});

describe('a signed delivery', () => {
  test('is returned with the status "received", the event id and an HTTP response', async () => {
    expect(await received()).toMatchObject({
      status: 'received',
      event: parsed,
      id: 'event_01',
      secretIndex: 0,
      isDuplicate: false,
      httpStatus: 200,
      text: 'received',
    });
  });

  test('is passed to the handler once, with the event id', async () => {
    const calls: unknown[] = [];
    const result = await received(request(), { handler: (event, { id, attempt }) => calls.push([event, id, attempt]) });

    expect(calls).toEqual([[parsed, 'event_01', 1]]);
    expect(result).toMatchObject({ status: 'handled', httpStatus: 200 });
  });

  test('is parsed into a typed Event if a client is passed', async () => {
    const names: string[] = [];
    const client = new Sallyport({ clientId: 'client_42', baseUrl: 'https://api.acme.test' });
    const user = { object: 'user', id: 'user_01', email: 'ada@acme.test', first_name: 'Ada' };
    const payload = JSON.stringify({
      id: 'event_02',
      event: 'user.created',
      data: user,
      created_at: parsed.created_at,
    });
    const sigHeader = await signWebhook({ payload, secret, timestamp: sentAt });

    const result = await receive(request({ headers: { 'service-signature': sigHeader }, body: payload }), {
      secret,
      now,
      client,
      handler: on({ 'user.created': (event) => names.push(`${event.data.firstName} at ${event.createdAt}`) }),
    });

    expect(names).toEqual(['Ada at 2026-11-20T10:00:00.000Z']);
    expect(result.event?.data).toMatchObject({ firstName: 'Ada' });
  });

  test('is returned with the index of the secret that matches the signature', async () => {
    const old = () => request({ headers: { 'service-signature': `t=${sentAt}, v1=${signatureOfReplaced}` } });

    expect(await received(request(), { secret: [secret, 'whsec_replaced'] })).toMatchObject({ secretIndex: 0 });
    expect(await received(old(), { secret: [secret, 'whsec_replaced'] })).toMatchObject({ secretIndex: 1 });
    expect(await refusal(old())).toMatchObject({ reason: 'signature_mismatch' });
  });

  test.each(['Service-Signature', 'WorkOS-Signature'])('can carry the signature in the header %s', async (name) => {
    const delivery = () => request({ headers: { [name]: header } });

    expect(await received(delivery())).toMatchObject({ status: 'received' });
    expect(await received(delivery(), { signatureHeader: name })).toMatchObject({ status: 'received' });
  });

  test('is rejected if it has the signature headers of two dialects', async () => {
    const both = request({ headers: { 'service-signature': header, 'workos-signature': header } });

    expect(await refusal(both)).toMatchObject({
      reason: 'header_malformed',
      httpStatus: 400,
      message:
        'The request has Service-Signature and WorkOS-Signature headers. Pass the one that the service sends as signatureHeader.',
    });
  });

  test('is rejected if the signature is not in the header named by signatureHeader', async () => {
    const other = request({ headers: { 'workos-signature': header } });

    expect(await refusal(other, { signatureHeader: 'Service-Signature' })).toMatchObject({
      reason: 'header_missing',
      message: expect.stringContaining(
        "It has workos-signature: if the service sent it, pass signatureHeader: 'workos-signature'.",
      ),
    });
  });

  test("must have the signature header of the client's dialect", async () => {
    const client = new Sallyport({ clientId: 'client_42', baseUrl: 'https://api.acme.test', dialect: 'workos' });
    const take = (name: string, options: { signatureHeader?: string } = {}) =>
      receive(request({ headers: { [name]: header } }), { secret, now, client, ...options });

    expect(await take('workos-signature')).toMatchObject({ status: 'received' });
    expect(await take('service-signature')).toMatchObject({ error: { reason: 'header_missing' } });
    expect(await take('acme-signature', { signatureHeader: 'Acme-Signature' })).toMatchObject({ status: 'received' });
  });
});

describe('a rejected delivery', () => {
  test.each([
    [
      'header_missing',
      400,
      { headers: {} },
      'The request has no Service-Signature or WorkOS-Signature header. Check that it comes from',
    ],
    ['header_malformed', 400, { headers: { 'service-signature': signature } }, 'must be t=<timestamp>, v1=<signature>'],
    ['signature_mismatch', 400, { body: '{"id":"event_02"}' }, 'Check that the secret belongs to this endpoint'],
    ['body_too_large', 413, { body: ' '.repeat(2_000_000) }, 'larger than 1048576 bytes. Raise maxBytes'],
  ] as const)('has the reason %s and a message with advice', async (reason, httpStatus, init, words) => {
    expect(await refusal(request(init))).toEqual({
      reason,
      httpStatus,
      text: reason,
      message: expect.stringContaining(words),
    });
  });

  test('has the reason body_too_large if the body exceeds maxBytes', async () => {
    expect(await received(request(), { maxBytes: body.length + 1 })).toMatchObject({ status: 'received' });
    expect(await refusal(request(), { maxBytes: 100 })).toMatchObject({ reason: 'body_too_large' });
  });

  test('has the reason stream_consumed if the body was already read', async () => {
    const read = request();
    await read.text();

    expect(await refusal(read)).toMatchObject({ reason: 'stream_consumed', httpStatus: 500 });
  });

  test('has the reason body_incomplete if the body ends early', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body.slice(0, 20)));
        controller.error(new Error('connection lost'));
      },
    });
    const cut = new Request('https://app.acme.test/', {
      method: 'POST',
      headers: { 'service-signature': header },
      body: broken,
      // fetch needs this option for a stream, and the compiler's types lack it.
      ...({ duplex: 'half' } as object),
    });
    const { error } = await received(cut);

    expect(error).toMatchObject({ reason: 'body_incomplete', cause: { message: 'connection lost' } });
  });

  test.each([
    ['too far ahead', sentAt - 200_000, 'The timestamp is 200000 ms ahead; the tolerance is 180000 ms'],
    [
      'too old',
      sentAt + 200_000,
      'The timestamp is 200000 ms old; the tolerance is 180000 ms. Check the clock of this server',
    ],
  ])('has the reason clock_skew and a message with the offset if the timestamp is %s', async (_way, at, words) => {
    expect(await refusal(request(), { now: () => at })).toMatchObject({
      reason: 'clock_skew',
      httpStatus: 400,
      message: expect.stringContaining(words),
    });
  });

  test('has the reason secret_missing and status code 500 if no secret is configured', async () => {
    const unread = request();

    expect(await refusal(unread, { secret: undefined })).toMatchObject({ reason: 'secret_missing', httpStatus: 500 });
    expect(await refusal(unread, { secret: [secret, ' '] })).toMatchObject({ reason: 'secret_missing' });
    expect(unread.bodyUsed).toBe(false);
  });

  test('has an unread body if the signature header is missing', async () => {
    const unread = request({ headers: {} });

    expect(await refusal(unread)).toMatchObject({ reason: 'header_missing' });
    expect(unread.bodyUsed).toBe(false);
  });

  test.each([
    ['payload_malformed', 'is not JSON', 'no JSON'],
    ['payload_unexpected', 'lacks required event fields', '{"event":"user.created"}'],
  ])('has the reason %s if the signed payload %s', async (reason, _, payload) => {
    const sigHeader = await signWebhook({ payload, secret, timestamp: sentAt });
    const given = request({ headers: { 'service-signature': sigHeader }, body: payload });

    expect(await refusal(given)).toMatchObject({ reason, httpStatus: 400 });
  });

  test('is reported to onProblem without a call to the handler', async () => {
    const problems: WebhookProblem[] = [];
    const calls: unknown[] = [];
    await received(request({ headers: {} }), {
      onProblem: (problem) => problems.push(problem),
      handler: (event) => calls.push(event),
    });

    expect(problems).toMatchObject([{ code: 'refused', cause: { reason: 'header_missing' } }]);
    expect(calls).toEqual([]);
  });
});

describe('a handler that throws', () => {
  const failure = new Error('the database is down');
  const handler = () => Promise.reject(failure);

  test("makes receive() reject with the handler's error", async () => {
    await expect(received(request(), { handler })).rejects.toBe(failure);
  });

  test('results in status code 500 if an onProblem callback is set', async () => {
    const problems: WebhookProblem[] = [];

    expect(await received(request(), { handler, onProblem: (problem) => problems.push(problem) })).toMatchObject({
      status: 'failed',
      httpStatus: 500,
      text: 'failed',
      error: failure,
    });
    expect(problems).toEqual([
      {
        code: 'failed',
        message: `The handler failed for the event event_01: ${failure.message}`,
        cause: failure,
        id: 'event_01',
      },
    ]);
  });
});

describe('receive()', () => {
  test.each([undefined, null, 'text', {}, { headers: {} }, { body: '{}' }])(
    'rejects %j as the request',
    async (given) => {
      // Callers without types may pass anything.
      await expect(receive(given as WebhookRequest, { secret })).rejects.toMatchObject({
        code: 'invalid_argument',
        argument: 'request',
      });
    },
  );

  test.each([
    ['scheme', 'svix'],
    ['header', ''],
    ['name', 'a b'],
    ['maxBytes', 0],
    ['leaseMs', Number.NaN],
    ['leaseMs', '5000'],
    ['rememberMs', -1],
    ['handler', {}],
    ['once', new Map()],
    ['tolerance', Number.NaN],
    ['tolerance', '3m'],
    ['header', 'Service Signature'],
  ])('rejects an invalid value of the option %s', async (option, value) => {
    await expect(received(request(), { [option]: value } as Partial<ReceiveOptions>)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(option),
    });
  });
});

describe('webhookHandler()', () => {
  const route = webhookHandler({ secret, now, handler: () => undefined });

  test.each([undefined, 'handle'])('rejects %j as the handler', (handler) => {
    // The compiler would refuse this.
    const make = () => webhookHandler({ secret, handler: handler as never });

    expect(make).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('handler') }),
    );
  });

  test.each([
    ['React Router, SvelteKit, Astro and Cloudflare Pages', () => ({ request: request(), params: {} })],
    ['Fresh and h3', () => ({ req: request(), params: {} })],
  ])('accepts the route arguments of %s', async (_frameworks, given) => {
    expect((await route(given())).status).toBe(200);
  });

  test('returns a Response', async () => {
    const response = await route(request());

    expect(response.status).toBe(200);
    expect(await response.text()).toBe('handled');
  });

  test('responds to an unsigned request with status code 400 and the reason', async () => {
    const response = await route(request({ headers: {} }));

    expect(response.status).toBe(400);
    expect(await response.text()).toBe('header_missing');
  });
});
