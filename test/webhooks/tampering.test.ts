import { expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../src/webhooks/index.js';
import fc from '../runner/property.js';
import { body, delivery, header, parsed, sentAt, signature } from './delivery.js';

const flip = (bytes: Uint8Array, bit: number): Uint8Array => {
  const flipped = Uint8Array.from(bytes);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
};
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

const bytes = new TextEncoder().encode(body);
const signatureBytes = new TextEncoder().encode(signature);

test('a body with one flipped bit is rejected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), async (bit) => {
      await expect(verifyWebhook({ ...delivery, payload: flip(bytes, bit) })).rejects.toMatchObject({
        reason: 'signature_mismatch',
      });
    }),
    { numRuns: 400 },
  );
});

test('a signature with one flipped bit is rejected', async () => {
  for (let bit = 0; bit < signatureBytes.length * 8; bit += 1) {
    const sigHeader = `t=${sentAt}, v1=${latin1(flip(signatureBytes, bit))}`;

    await expect(verifyWebhook({ ...delivery, sigHeader })).rejects.toMatchObject({ reason: 'signature_mismatch' });
  }
});

test('a timestamp with one flipped bit is rejected', async () => {
  const timestamp = new TextEncoder().encode(`${sentAt}`);
  for (let bit = 0; bit < timestamp.length * 8; bit += 1) {
    const sigHeader = `t=${latin1(flip(timestamp, bit))}, v1=${signature}`;

    await expect(verifyWebhook({ ...delivery, sigHeader })).rejects.toMatchObject({
      reason: expect.stringMatching(/^(signature_mismatch|header_malformed)$/),
    });
  }
});

test('a delivery with an arbitrary signature header is either verified or rejected with a WebhookVerificationError', async () => {
  const pieces = fc.constantFrom(
    't',
    'v1',
    '=',
    ',',
    ' ',
    `${sentAt}`,
    signature,
    header,
    '-1',
    '\u0000',
    'é',
    '__proto__',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 8 }), async (chosen) => {
      const outcome = await verifyWebhook({ ...delivery, sigHeader: chosen.join('') }).catch((error: unknown) => error);

      if (!(outcome instanceof WebhookVerificationError)) expect(outcome).toEqual(parsed);
    }),
    { numRuns: 500 },
  );
});
