import {
  receive,
  signStandardWebhook,
  type VerifyStandardWebhookOptions,
  verifyStandardWebhook,
  webhookHandler,
} from 'sallyport/webhooks';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/index.js';

// The vector that the published libraries of the scheme test themselves with, typed from there.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const payload = '{"test": 2432232314}';
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const sentAt = 1_614_265_330_000;
const now = () => sentAt;
/** Of the same message with the secret of 32 times the letter a. */
const otherSecret = 'whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=';

const verify = (changed: Partial<Record<keyof VerifyStandardWebhookOptions, unknown>> = {}) =>
  // Callers without a type checker pass anything, and so do these tests.
  verifyStandardWebhook({ payload, headers, secret, now, ...changed } as VerifyStandardWebhookOptions);
const withSignature = (signature: string) => ({ headers: { ...headers, 'webhook-signature': signature } });

describe('the published vector', () => {
  test('is accepted', async () => {
    expect(await verify()).toEqual({ test: 2432232314 });
    expect(await verify({ payload: new TextEncoder().encode(payload) })).toEqual({ test: 2432232314 });
    expect(await verify({ headers: new Headers(headers) })).toEqual({ test: 2432232314 });
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verify({ headers: upper })).toEqual({ test: 2432232314 });
    expect(await verify({ secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })).toEqual({ test: 2432232314 });
  });

  test('is signed alike', async () => {
    const id = headers['webhook-id'];

    expect(await signStandardWebhook({ payload, id, secret, timestamp: sentAt + 999 })).toEqual(headers);
  });

  test.each([
    ['another body', { payload: '{"test": 2432232315}' }, 'signature_mismatch'],
    ['another id', { headers: { ...headers, 'webhook-id': 'msg_2' } }, 'signature_mismatch'],
    ['another time', { headers: { ...headers, 'webhook-timestamp': '1614265331' } }, 'signature_mismatch'],
    ['another secret', { secret: otherSecret }, 'signature_mismatch'],
    ['a later clock', { now: () => sentAt + 180_001 }, 'clock_skew'],
    ['an earlier clock', { now: () => sentAt - 180_001 }, 'clock_skew'],
    ['no id', { headers: { ...headers, 'webhook-id': undefined } }, 'header_missing'],
    ['no headers', { headers: undefined }, 'header_missing'],
    ['an id that no header can have', { headers: { ...headers, 'webhook-id': 'msg_é' } }, 'header_malformed'],
    ['a time in words', { headers: { ...headers, 'webhook-timestamp': 'today' } }, 'header_malformed'],
    [
      'a signature without a version',
      withSignature('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='),
      'header_malformed',
    ],
    ['a signature that is not Base64', withSignature('v1,%%%'), 'header_malformed'],
    ['a signature of another length', withSignature('v1,g0hM'), 'signature_mismatch'],
    ['a parsed body', { payload: { test: 1 } }, 'body_already_parsed'],
    ['no secret', { secret: undefined }, 'secret_missing'],
    ['a secret that is not Base64', { secret: 'whsec_%%%' }, 'secret_missing'],
    ['a secret without a key', { secret: 'whsec_' }, 'secret_missing'],
    ['a secret of a blank', { secret: 'whsec_ ' }, 'secret_missing'],
  ])('is refused with %s', async (_what, changed, reason) => {
    await expect(verify(changed)).rejects.toMatchObject({ code: 'webhook_verification_failed', reason });
  });

  test('is refused by the name of its scheme where all signatures are asymmetric', async () => {
    await expect(verify(withSignature('v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B'))).rejects.toMatchObject({
      reason: 'scheme_unsupported',
      message: expect.stringContaining('v1a'),
    });
    expect(await verify(withSignature(`v1a,hnO3f9T8 ${headers['webhook-signature']}`))).toEqual({ test: 2432232314 });
  });

  test('is accepted among several signatures, and with several secrets', async () => {
    const several = `v1,${'A'.repeat(43)}= ${headers['webhook-signature']} v2,abc`;

    expect(await verify({ ...withSignature(several), secret: [otherSecret, secret] })).toEqual({ test: 2432232314 });
  });
});

describe('what is signed here', () => {
  test.each([
    ['a parsed payload', { payload: {} }, 'payload'],
    ['an id with a point', { id: 'msg.1' }, 'id'],
    ['no id', { id: '' }, 'id'],
    ['a secret that is not Base64', { secret: 'whsec_%' }, 'secret'],
    ['no secret', { secret: undefined }, 'secret'],
    ['half a millisecond', { timestamp: 0.5 }, 'timestamp'],
  ])('is refused by its name: %s', async (_what, changed, argument) => {
    const given = { payload, id: 'msg_1', secret, timestamp: sentAt, ...changed };

    // Callers without a type checker pass anything.
    await expect(signStandardWebhook(given as Parameters<typeof signStandardWebhook>[0])).rejects.toMatchObject({
      code: 'invalid_argument',
      argument,
    });
  });

  test('is accepted by standardwebhooks, and what that signs is accepted here', async () => {
    const library = new Webhook(secret);
    const timestamp = Date.now();
    for (const sent of ['{}', '{"name":"Zoë"}', payload, JSON.stringify({ data: 'x'.repeat(10_000) })]) {
      const signed = await signStandardWebhook({ payload: sent, id: 'msg_1', secret, timestamp });
      expect(library.verify(sent, { ...signed })).toEqual(JSON.parse(sent));

      const theirs = library.sign('msg_2', new Date(timestamp), sent);
      const given = { ...signed, 'webhook-id': 'msg_2', 'webhook-signature': theirs };
      expect(await verify({ payload: sent, headers: given, now: Date.now })).toEqual(JSON.parse(sent));
      expect(() => library.verify(`${sent} `, { ...signed })).toThrow('No matching signature');
      await expect(verify({ payload: `${sent} `, headers: given, now: Date.now })).rejects.toMatchObject({
        reason: 'signature_mismatch',
      });
    }
  });
});

describe("receive with scheme: 'standard'", () => {
  const request = (changed: Record<string, string> = {}, body = payload) =>
    new Request('https://app.acme.test/', { method: 'POST', headers: { ...headers, ...changed }, body });
  const options = { secret: [otherSecret, secret], scheme: 'standard', now } as const;

  test('gives the message by its id, and which secret signed it', async () => {
    expect(await receive(request(), options)).toMatchObject({
      status: 'received',
      event: { test: 2432232314 },
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      secretIndex: 1,
    });
  });

  test('handles a message once by its id', async () => {
    let handled = 0;
    const handle = webhookHandler({ ...options, store: memoryStore(), handler: () => handled++ });

    for (let time = 0; time < 10; time++) expect((await handle(request())).status).toBe(200);
    expect(handled).toBe(1);
  });

  test.each([
    [
      'a missing header',
      () => new Request('https://app.acme.test/', { method: 'POST', body: payload }),
      'header_missing',
    ],
    ['another body', () => request({}, '{}'), 'signature_mismatch'],
    ['v1a alone', () => request({ 'webhook-signature': 'v1a,abc' }), 'scheme_unsupported'],
    ['too much', () => request({}, ' '.repeat(1_100_000)), 'body_too_large'],
  ])('refuses %s', async (_what, given, reason) => {
    expect((await receive(given(), options)).error).toMatchObject({ reason });
  });

  test('is suggested by the error for a request of that scheme', async () => {
    const { error } = await receive(request(), { secret, now });

    expect(error).toMatchObject({ reason: 'header_missing', message: expect.stringContaining("scheme: 'standard'") });
  });
});
