import { Buffer } from 'node:buffer';
import type { SignedMessage } from '../encoding.js';
import { nodeCrypto } from './node-crypto.js';

/** Return the HMAC-SHA256 of a message in lower-case hexadecimal. */
export const macOf = (secret: SignedMessage, message: SignedMessage): string =>
  nodeCrypto().createHmac('sha256', secret).update(message).digest('hex');

/** Whether one of the signatures is the message's, compared in constant time. */
export function isAmong(signatures: readonly string[], secret: SignedMessage, message: SignedMessage): boolean {
  const expected = Buffer.from(macOf(secret, message));
  return signatures.some((signature) => {
    const actual = Buffer.from(signature);
    return actual.length === expected.length && nodeCrypto().timingSafeEqual(actual, expected);
  });
}
