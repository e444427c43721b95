import { Buffer } from 'node:buffer';
import type { Hmac } from 'node:crypto';
import type { TextOrBytes } from '../encoding.js';

type NodeCrypto = typeof import('node:crypto');

let loaded: NodeCrypto | undefined;

/** Load Node's crypto module on first use, because loading it takes longer than the rest of the package. */
export function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}

/** Write a key as text. For a key in a buffer, Node 24.18 to 24.21 and 26.3 to 26.8 take 11 us longer. */
export const keyText = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');

/** The encoding of `keyText`. */
export const latin1 = { encoding: 'latin1' } as const;

/** Create an HMAC-SHA256. */
export const hmac = (key: TextOrBytes): Hmac =>
  typeof key === 'string'
    ? nodeCrypto().createHmac('sha256', key)
    : nodeCrypto().createHmac('sha256', keyText(key), latin1);

/** Return the HMAC-SHA256 of a head and a body in lower-case hexadecimal. */
export const macOf = (secret: TextOrBytes, head: string, body: TextOrBytes = ''): string =>
  // Hashing the parts in turn is quicker than joining them, and copies no bytes.
  hmac(secret).update(head).update(body).digest('hex');

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
