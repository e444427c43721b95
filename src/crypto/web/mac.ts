import { hex, type TextOrBytes, utf8 } from '../encoding.js';

type Bytes = Uint8Array<ArrayBuffer>;
type Secret = string | Bytes;

// The whole string is the key, including its prefix. It is not decoded.
const hmacKey = (secret: Secret): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const digits = async (key: CryptoKey, message: Bytes): Promise<string> =>
  hex(await crypto.subtle.sign('HMAC', key, message));

/** Return the HMAC-SHA256 of a head and a body in lower-case hexadecimal. */
export async function macOf(secret: Secret, head: string, body: TextOrBytes = ''): Promise<string> {
  const message = messageOf(head, body);
  return digits(await hmacKey(secret), message);
}

/** Return the index of the first secret that made one of the signatures, or -1. Signatures are compared in constant time. */
export async function signerOf(
  secrets: readonly Secret[],
  signatures: readonly string[],
  head: string,
  body: TextOrBytes,
): Promise<number> {
  const message = messageOf(head, body);
  for (const [index, secret] of secrets.entries()) {
    const key = await hmacKey(secret);
    // The sender chooses the number of signatures, so the message is hashed once. `verify` compares MACs of the digits in constant
    // time.
    const expected = await crypto.subtle.sign('HMAC', key, utf8(await digits(key, message)));
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, expected, utf8(signature))) return index;
  }
  return -1;
}

/** Join a head and a body. Copies bytes before the first await, because the caller may change them afterwards. */
function messageOf(head: string, body: TextOrBytes): Bytes {
  if (typeof body === 'string') return utf8(head + body);
  const start = utf8(head);
  const message = new Uint8Array(start.length + body.length);
  message.set(start);
  message.set(body, start.length);
  return message;
}
