import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { bytesOf, kindOf, type RawBody, utf8 } from './encoding.js';

/** What is signed: the timestamp as it stands in the header, a point, and the bytes of the body. A copy of them. */
export const signedMessage = (timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = utf8(`${timestamp}.`);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
};

// The whole secret is the key, its prefix included: it is a text and not an encoding of bytes.
const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

/** The signature in lower-case hexadecimal. */
const signatureOf = async (key: CryptoKey, message: Uint8Array<ArrayBuffer>): Promise<string> => {
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** The HMAC-SHA256 of a text under a secret, in lower-case hexadecimal. */
export const macOf = async (secret: string, text: string): Promise<string> =>
  signatureOf(await keyOf(secret), utf8(text));

/** Whether one of the signatures is the one that one of the secrets gives the message. */
export const isSigned = async (
  message: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
  signatures: readonly string[],
): Promise<boolean> => {
  for (const secret of secrets) {
    const key = await keyOf(secret);
    // A stranger chooses how many signatures there are, so the message is hashed once a secret. What is compared, in
    // constant time by the platform, are seals of the signatures' own digits.
    const seal = await crypto.subtle.sign('HMAC', key, utf8(await signatureOf(key, message)));
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, seal, utf8(signature))) return true;
  }
  return false;
};

/** What `signWebhook` takes. */
export interface SignWebhookOptions {
  /** The body, exactly as it will be sent. */
  readonly payload: RawBody;
  /** Secret of the webhook endpoint, its prefix included. */
  readonly secret: string;
  /** When it is sent, in milliseconds since 1970. */
  readonly timestamp: number;
}

/**
 * Sign a delivery, for tests of a webhook handler: returns its signature header, `t=<timestamp>, v1=<signature>`.
 *
 * @throws {InvalidArgumentError} The payload is neither text nor bytes, the secret is blank, or the timestamp is not a whole number.
 * @example
 * const payload = JSON.stringify({ id: 'event_01', event: 'user.created', data: {} });
 * const sigHeader = await signWebhook({ payload, secret: 'whsec_test', timestamp: Date.now() });
 */
export async function signWebhook({ payload, secret, timestamp }: SignWebhookOptions): Promise<string> {
  const body = bytesOf(payload);
  if (!body) throw unusable('payload', `must be text or bytes, not ${kindOf(payload)}`, 'Pass what will be sent');
  if (typeof secret !== 'string' || secret.trim() === '')
    throw unusable('secret', 'must not be missing or blank', "Pass the webhook endpoint's secret");
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw unusable('timestamp', 'must be a whole number of milliseconds', 'Pass Date.now()');

  return `t=${timestamp}, v1=${await signatureOf(await keyOf(secret), signedMessage(`${timestamp}`, body))}`;
}

const unusable = (argument: string, requirement: string, next: string) =>
  new InvalidArgumentError({ argument, what: `signWebhook cannot sign: ${argument} ${requirement}`, next });
