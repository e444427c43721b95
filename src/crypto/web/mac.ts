import { type SignedMessage, utf8 } from '../encoding.js';

// The whole string is the key, including its prefix. It is not decoded.
const keyOf = (secret: SignedMessage): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const digits = async (key: CryptoKey, message: SignedMessage): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(message))), (byte) =>
    (byte + 256).toString(16).slice(1),
  ).join('');

/** Return the HMAC-SHA256 of a message in lower-case hexadecimal. */
export const macOf = async (secret: SignedMessage, message: SignedMessage): Promise<string> =>
  digits(await keyOf(secret), message);

/** Whether one of the signatures is the message's, compared in constant time. */
export async function isAmong(
  signatures: readonly string[],
  secret: SignedMessage,
  message: SignedMessage,
): Promise<boolean> {
  const key = await keyOf(secret);
  // The sender chooses the number of signatures, so the message is hashed once. `verify` compares MACs of the digits in constant
  // time.
  const expected = await crypto.subtle.sign('HMAC', key, utf8(await digits(key, message)));
  let isFound = false;
  for (const signature of signatures) isFound ||= await crypto.subtle.verify('HMAC', key, expected, utf8(signature));
  return isFound;
}
