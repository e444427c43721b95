import { describe, expect, test } from 'vitest';
import { type SignWebhookOptions, signWebhook, verifyWebhook } from '../../src/webhooks/index.js';
import { body, header, parsed, secret, sentAt } from './delivery.js';

const sign = (changed: Partial<Record<keyof SignWebhookOptions, unknown>> = {}) =>
  // Callers without types may pass anything, and so do these tests.
  signWebhook({ payload: body, secret, timestamp: sentAt, ...changed } as SignWebhookOptions);

describe('signWebhook()', () => {
  test('returns the signature header that the service sends', async () => {
    expect(await sign()).toBe(header);
  });

  test('returns the same signature for a string and for its bytes', async () => {
    expect(await sign({ payload: new TextEncoder().encode(body) })).toBe(header);
  });

  test('returns a header that verifyWebhook() accepts only with the signed body', async () => {
    const sigHeader = await signWebhook({ payload: body, secret: 'whsec_mine', timestamp: 5_000_000_000_000 });
    const received = { sigHeader, secret: 'whsec_mine', now: () => 5_000_000_000_000 };

    expect(await verifyWebhook({ ...received, payload: body })).toEqual(parsed);
    await expect(verifyWebhook({ ...received, payload: '{}' })).rejects.toMatchObject({ reason: 'signature_mismatch' });
  });

  test.each([
    ['a parsed payload', { payload: parsed }, 'payload'],
    ['an empty secret', { secret: '' }, 'secret'],
    ['a blank secret', { secret: ' ' }, 'secret'],
    ['a missing secret', { secret: undefined }, 'secret'],
    ['a missing timestamp', { timestamp: undefined }, 'timestamp'],
    ['a negative timestamp', { timestamp: -1 }, 'timestamp'],
    ['a fractional timestamp', { timestamp: 1.5 }, 'timestamp'],
  ])('rejects %s with an error that names the argument', async (_what, changed, argument) => {
    await expect(sign(changed)).rejects.toMatchObject({ code: 'invalid_argument', argument });
  });
});
