import { type SignedMessage, utf8 } from '../encoding.js';

// The whole of a text is the key, its prefix included: it is no encoding of bytes.
const keyOf = (secret: SignedMessage): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const digits = async (key: CryptoKey, message: SignedMessage): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(message))), (byte) =>
    (byte + 256).toString(16).slice(1),
  ).join('');

/** The HMAC-SHA256 of a message under a secret, in lower-case hexadecimal. */
export const macOf = async (secret: SignedMessage, message: SignedMessage): Promise<string> =>
  digits(await keyOf(secret), message);

/** Whether one of the signatures is the one that the secret gives the message. */
export async function isAmong(
  signatures: readonly string[],
  secret: SignedMessage,
  message: SignedMessage,
): Promise<boolean> {
  const key = await keyOf(secret);
  // A stranger chooses how many signatures there are, so the message is hashed once. What is compared, in constant time by
  // the platform, are seals of the signatures' own digits.
  const seal = await crypto.subtle.sign('HMAC', key, utf8(await digits(key, message)));
  let isFound = false;
  for (const signature of signatures) isFound ||= await crypto.subtle.verify('HMAC', key, seal, utf8(signature));
  return isFound;
}
