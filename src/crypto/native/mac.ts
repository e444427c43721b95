import { Buffer } from 'node:buffer';
import type { SignedMessage } from '../encoding.js';
import { nodeCrypto } from './node-crypto.js';

/** The HMAC-SHA256 of a message under a secret, in lower-case hexadecimal. */
export const macOf = (secret: SignedMessage, message: SignedMessage): string =>
  nodeCrypto().createHmac('sha256', secret).update(message).digest('hex');

/** Whether one of the signatures is the one that the secret gives the message. */
export function isAmong(signatures: readonly string[], secret: SignedMessage, message: SignedMessage): boolean {
  const own = Buffer.from(macOf(secret, message));
  return signatures.some((signature) => {
    const other = Buffer.from(signature);
    return other.length === own.length && nodeCrypto().timingSafeEqual(other, own);
  });
}
