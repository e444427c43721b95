import { describe, expect, test } from 'vitest';
import { SallyportError } from '../../src/errors/index.js';
import { type VerifyWebhookOptions, verifyWebhook, WebhookVerificationError } from '../../src/webhooks/index.js';
import {
  body,
  delivery,
  header,
  parsed,
  secret,
  sentAt,
  signature,
  signatureInSeconds,
  signatureOfReplaced,
} from './delivery.js';

const utf8 = new TextEncoder();
const verify = (changed: Partial<Record<keyof VerifyWebhookOptions, unknown>> = {}) =>
  // Callers without types may pass anything, and so do these tests.
  verifyWebhook({ ...delivery, ...changed } as VerifyWebhookOptions);
const refused = (reason: string) => ({ code: 'webhook_verification_failed', reason });

describe('the payload of a webhook', () => {
  const bytes = utf8.encode(body);
  const inALargerBuffer = new Uint8Array(bytes.length + 20);
  inALargerBuffer.set(bytes, 7);

  test.each([
    ['a string', body],
    ['a Uint8Array', bytes],
    ['a Node.js Buffer', Buffer.from(body)],
    ['an ArrayBuffer', bytes.buffer],
    ['a view into a larger buffer', inALargerBuffer.subarray(7, 7 + bytes.length)],
  ])('is accepted as %s', async (_kind, payload) => {
    expect(await verify({ payload })).toEqual(parsed);
  });

  test.each([
    ['a parsed object', parsed, 'Object'],
    ['an array', [parsed], 'Array'],
    ['a stream', new Response(body).body, 'ReadableStream'],
    ['a promise that was not awaited', Promise.resolve(body), 'Promise'],
    ['a Uint16Array', new Uint16Array(4), 'Uint16Array'],
    ['undefined', undefined, 'Undefined'],
    ['null', null, 'Null'],
  ])('is rejected if it is %s, with an error that says what to pass', async (_kind, payload, named) => {
    await expect(verify({ payload })).rejects.toMatchObject({
      ...refused('body_already_parsed'),
      message: `payload must be the body as received, not ${named}. Pass await request.text() or the body of express.raw().`,
    });
  });

  test('is rejected if it was parsed and serialized again', async () => {
    const payload = JSON.stringify(parsed, null, 1);

    await expect(verify({ payload })).rejects.toMatchObject(refused('signature_mismatch'));
  });

  test('is returned unchanged even if the caller overwrites the bytes during verification', async () => {
    const payload = utf8.encode(body);

    const verifying = verify({ payload });
    payload.fill(0x20);

    expect(await verifying).toEqual(parsed);
  });

  test('cannot change the prototype of the event', async () => {
    const event = await verify({
      payload: '{"__proto__":{"admin":true}}',
      sigHeader: `t=${sentAt}, v1=2e27b244f2fe95f3c0087e844325fae6ef6c12ebf037e577f415dd872d7a58db`,
    });

    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect(event.admin).toBeUndefined();
    expect(Object.keys(event)).toEqual(['__proto__']);
  });

  test('can start with a byte order mark', async () => {
    const event = await verify({
      payload: Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
      sigHeader: `t=${sentAt}, v1=72af2f5a26c5f95f8c8c2bd95141ee292d90cb2c49fcad975db4834582abda67`,
    });

    expect(event).toEqual({});
  });

  test.each([
    [
      'invalid UTF-8',
      Uint8Array.of(0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d),
      '12e567a5452be046775cedc1881ee332f0401748d4532aebac534b778d6f4578',
    ],
    ['truncated JSON', '{"id":', '59d54c4c4fb4b966214d45c05c8d8a5f8399215b39f1a25157c6f38873dacd96'],
    ['a JSON array', '[1]', 'd59df4d605c6317f095cbfa809a0260248df2080dcfe352effb0b4f969a55c3e'],
    ['empty', '', 'd870c90bf5845d0d1a84f28bb000c3cdb815413d753f06a3a22c70415aa7dd5a'],
  ])('is rejected after the signature check if it is %s', async (_what, payload, v1) => {
    await expect(verify({ payload, sigHeader: `t=${sentAt}, v1=${v1}` })).rejects.toMatchObject(
      refused('payload_malformed'),
    );
  });

  test('is not parsed before its signature is verified', async () => {
    await expect(verify({ payload: '{"id":' })).rejects.toMatchObject(refused('signature_mismatch'));
  });
});

describe('the signature header of a webhook', () => {
  const wrong = '0'.repeat(64);

  test.each([
    ['with a space after the comma', header],
    ['without spaces', `t=${sentAt},v1=${signature}`],
    ['with whitespace around every part', `  t = ${sentAt} ,\tv1 = ${signature}  `],
    ['with the signature before the timestamp', `v1=${signature}, t=${sentAt}`],
    ['with additional unknown schemes', `v0=${wrong}, t=${sentAt}, v2=x, v1=${signature}, flag`],
    ['with the matching signature first', `t=${sentAt}, v1=${signature}, v1=${wrong}`],
    ['with the matching signature last', `v1=${wrong}, v1=zz, v1=, t=${sentAt}, v1=${signature}`],
    ['with empty parts', `,t=${sentAt},,v1=${signature},`],
    ['as an array with one value', [header]],
    ['as an array of its parts', [`t=${sentAt}`, `v1=${signature}`]],
  ])('is accepted %s', async (_form, sigHeader) => {
    expect(await verify({ sigHeader })).toEqual(parsed);
  });

  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \t '],
    ['an empty array', []],
  ])('is reported as missing if it is %s', async (_what, sigHeader) => {
    await expect(verify({ sigHeader })).rejects.toMatchObject({
      ...refused('header_missing'),
      message: 'sigHeader is missing. Pass the Service-Signature header.',
    });
  });

  test.each([
    ['has no timestamp', `v1=${signature}`],
    ['has no signature', `t=${sentAt}`],
    ['has no signature of a known scheme', `t=${sentAt}, v0=${signature}`],
    ['has two timestamps', `t=${sentAt}, t=${sentAt}, v1=${signature}`],
    ['has an empty timestamp', `t=, v1=${signature}`],
    ['has a negative timestamp', `t=-${sentAt}, v1=${signature}`],
    ['has a timestamp with a fraction', `t=${sentAt}.0, v1=${signature}`],
    ['has a timestamp in exponent form', `t=1.7951688e12, v1=${signature}`],
    ['has a hexadecimal timestamp', `t=0x1a1fa4e6200, v1=${signature}`],
    ['has a timestamp of 400 digits', `t=${'9'.repeat(400)}, v1=${signature}`],
    ['is only a signature', signature],
  ])('is reported as malformed if it %s', async (_what, sigHeader) => {
    await expect(verify({ sigHeader })).rejects.toMatchObject(refused('header_malformed'));
  });

  test.each([
    ['too short', signature.slice(0, 62)],
    ['too long', `${signature}00`],
    ['of odd length', signature.slice(0, 63)],
    ['empty', ''],
    ['followed by characters that are not hexadecimal', `${signature}zz`],
    ['not hexadecimal', `${signature.slice(0, 62)}zz`],
    ['in uppercase', signature.toUpperCase()],
    ['encoded as Base64', '3dVnmZIGvGXhRVJ2txWESNZjCO20go5YauNKfZTA768='],
    ['made for another body', '2e27b244f2fe95f3c0087e844325fae6ef6c12ebf037e577f415dd872d7a58db'],
  ])('is rejected if the signature is %s', async (_what, v1) => {
    await expect(verify({ sigHeader: `t=${sentAt}, v1=${v1}` })).rejects.toMatchObject(refused('signature_mismatch'));
  });

  test('with a thousand signatures is rejected within one second of CPU time', async () => {
    const payload = new Uint8Array(8_000_000);
    const sigHeader = `t=${sentAt}${`,v1=${wrong}`.repeat(1000)}`;
    const started = process.cpuUsage();

    await expect(verify({ payload, sigHeader })).rejects.toMatchObject(refused('signature_mismatch'));

    // A thousand hashes of eight megabytes would take many seconds of CPU time.
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

describe('the timestamp of a webhook', () => {
  test('can be in seconds', async () => {
    expect(await verify({ sigHeader: `t=1795168800, v1=${signatureInSeconds}` })).toEqual(parsed);
  });

  test.each([
    ['180,000 ms old', sentAt + 180_000],
    ['180,000 ms ahead', sentAt - 180_000],
  ])('is accepted if it is %s', async (_when, at) => {
    expect(await verify({ now: () => at })).toEqual(parsed);
  });

  test.each([
    [
      '180,001 ms old',
      sentAt + 180_001,
      'clock_skew',
      'The timestamp is 180001 ms old; the tolerance is 180000 ms. Check the clock of this server. A replayed delivery looks the same.',
    ],
    [
      '180,001 ms ahead',
      sentAt - 180_001,
      'clock_skew',
      'The timestamp is 180001 ms ahead; the tolerance is 180000 ms. Check the clock of this server. A replayed delivery looks the same.',
    ],
  ])('is rejected if it is %s', async (_when, at, reason, message) => {
    await expect(verify({ now: () => at })).rejects.toMatchObject({
      ...refused(reason),
      message: expect.stringContaining(message),
    });
  });

  test('in seconds is rejected if it is too old', async () => {
    const sigHeader = `t=1795168800, v1=${signatureInSeconds}`;

    await expect(verify({ sigHeader, now: () => sentAt + 180_001 })).rejects.toMatchObject(refused('clock_skew'));
  });

  test('cannot be changed without invalidating the signature', async () => {
    const sigHeader = `t=${sentAt + 1}, v1=${signature}`;

    await expect(verify({ sigHeader })).rejects.toMatchObject(refused('signature_mismatch'));
  });

  test('is compared with the system clock by default', async () => {
    await expect(verify({ now: undefined, tolerance: 0 })).rejects.toMatchObject({
      code: 'webhook_verification_failed',
    });
    expect(await verify({ now: undefined, tolerance: Number.POSITIVE_INFINITY })).toEqual(parsed);
  });

  test('is checked with a tolerance in milliseconds', async () => {
    const now = () => sentAt + 1000;

    expect(await verify({ now, tolerance: 1000 })).toEqual(parsed);
    await expect(verify({ now, tolerance: 999 })).rejects.toMatchObject(refused('clock_skew'));
  });

  test.each([
    ['NaN', Number.NaN],
    ['negative', -1],
    ['a string', 'soon'],
    ['an object', {}],
  ])('is rejected if the tolerance is %s', async (_kind, tolerance) => {
    await expect(verify({ tolerance })).rejects.toMatchObject(refused('clock_skew'));
  });
});

describe('the webhook secret', () => {
  test('can be an array that contains the signing secret', async () => {
    expect(await verify({ secret: ['whsec_replaced', secret] })).toEqual(parsed);
    expect(await verify({ secret: [secret, 'whsec_replaced'] })).toEqual(parsed);
  });

  test('can match any of the signatures in the header', async () => {
    const sigHeader = `t=${sentAt}, v1=${signatureOfReplaced}, v1=${signature}`;

    expect(await verify({ sigHeader, secret: 'whsec_replaced' })).toEqual(parsed);
    expect(await verify({ sigHeader, secret })).toEqual(parsed);
  });

  test('is encoded as UTF-8 if it contains non-ASCII characters', async () => {
    const sigHeader = `t=${sentAt}, v1=6ed32aad3302e1e22a6d1addb4f2cb98de1e42aaa379918ccbc3167c6d23ab8c`;

    expect(await verify({ sigHeader, secret: 'pässwörd' })).toEqual(parsed);
  });

  test.each([
    ['the secret of another endpoint', 'whsec_replaced'],
    ['missing its prefix', 'sallyport'],
    ['followed by a line break', `${secret}\n`],
    ['an array without the signing secret', ['whsec_replaced', 'whsec_third']],
  ])('causes a signature mismatch if it is %s', async (_what, other) => {
    await expect(verify({ secret: other })).rejects.toMatchObject(refused('signature_mismatch'));
  });

  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \n'],
    ['an empty array', []],
    ['an array with an empty secret', [secret, '']],
    ['an array with an undefined secret', [secret, undefined]],
    ['a number', 12345],
    ['an object', { secret }],
  ])('is rejected with the reason secret_missing if it is %s', async (_what, missing) => {
    const unsigned = { payload: undefined, sigHeader: undefined, tolerance: Number.NaN };

    await expect(verify({ secret: missing })).rejects.toMatchObject(refused('secret_missing'));
    await expect(verify({ secret: missing, ...unsigned })).rejects.toMatchObject(refused('secret_missing'));
  });

  test('must not be empty, even if the signature was made with an empty secret', async () => {
    const sigHeader = `t=${sentAt}, v1=fe60e5cc3b466e6b5e34cb9e292f283c207035fea1df2ba955d1ef11bd785bfa`;

    await expect(verify({ sigHeader, secret: '' })).rejects.toMatchObject(refused('secret_missing'));
    await expect(verify({ sigHeader, secret: [secret, ''] })).rejects.toMatchObject(refused('secret_missing'));
  });
});

describe('a verification error', () => {
  const refusals: [string, Parameters<typeof verify>[0]][] = [
    ['a parsed payload', { payload: parsed }],
    ['a missing signature header', { sigHeader: undefined }],
    ['a malformed signature header', { sigHeader: signature }],
    ['a changed payload', { payload: `${body} ` }],
    ['an old timestamp', { now: () => sentAt + 200_000 }],
    ['an empty secret', { secret: [secret, ''] }],
  ];

  test.each(refusals)('about %s reveals no secret, signature or payload', async (_problem, changed) => {
    const error: unknown = await verify(changed).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toBeInstanceOf(SallyportError);
    const { inspect } = await import('node:util');
    const printed = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
    for (const hidden of [secret, signature, 'Zoë', 'event_01']) expect(printed).not.toContain(hidden);
  });

  test('includes the reason when serialized as JSON', async () => {
    const error: unknown = await verify({ sigHeader: '' }).catch((thrown: unknown) => thrown);

    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'WebhookVerificationError',
      message: 'sigHeader is missing. Pass the Service-Signature header.',
      code: 'webhook_verification_failed',
      reason: 'header_missing',
    });
  });
});
