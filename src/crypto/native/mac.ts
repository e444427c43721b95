import { Buffer } from 'node:buffer';
import type { TextOrBytes } from '../encoding.js';
import { nodeCrypto } from './node-crypto.js';

/** Return the HMAC-SHA256 of a head and a body in lower-case hexadecimal. */
export const macOf = (secret: TextOrBytes, head: string, body: TextOrBytes = ''): string =>
  // Hashing the parts in turn is quicker than joining them, and copies no bytes.
  nodeCrypto().createHmac('sha256', secret).update(head).update(body).digest('hex');

/** Return the index of the first secret that made one of the signatures, or -1. Signatures are compared in constant time. */
export const signerOf = (
  secrets: readonly TextOrBytes[],
  signatures: readonly string[],
  head: string,
  body: TextOrBytes,
): number =>
  secrets.findIndex((secret) => {
    const expected = Buffer.from(macOf(secret, head, body));
    return signatures.some((signature) => {
      const actual = Buffer.from(signature);
      return actual.length === expected.length && nodeCrypto().timingSafeEqual(actual, expected);
    });
  });
