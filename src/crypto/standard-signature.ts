import { macOf } from '#crypto/mac';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { kindOf, type RawBody, rawOf } from './encoding.js';

/** The three headers of a delivery signed with the Standard Webhooks scheme. */
export interface StandardWebhookHeaders {
  /** Id of the message; the same for every attempt. */
  readonly 'webhook-id': string;
  /** Time of sending, in seconds since 1970. */
  readonly 'webhook-timestamp': string;
  /** `v1,<Base64>`; several are separated by spaces. */
  readonly 'webhook-signature': string;
}

/** Decode Base64. Returns undefined if it is invalid or empty. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return bytes.length ? bytes : undefined;
  } catch {
    return undefined;
  }
};

/** Decode the key in a Standard Webhooks secret, or return undefined. */
export const keyIn = (secret: string): Uint8Array<ArrayBuffer> | undefined => bytesOf(secret.replace(/^whsec_/, ''));

/** Options of `signStandardWebhook`. */
export interface SignStandardWebhookOptions {
  /** The body, exactly as it will be sent. */
  readonly payload: RawBody;
  /** Id of the message; the same for every attempt. */
  readonly id: string;
  /** The secret: `whsec_` and Base64. */
  readonly secret: string;
  /** Time of sending, in milliseconds since 1970. The header has whole seconds. */
  readonly timestamp: number;
}

/**
 * Sign a delivery with the Standard Webhooks scheme, to test a webhook handler. Returns its three headers.
 *
 * @throws {InvalidArgumentError} The payload is not a string or bytes, the id is blank or contains a dot, the secret is not
 * Base64, or the timestamp is not a whole number.
 * @see https://www.standardwebhooks.com
 * @example
 * const payload = JSON.stringify({ type: 'invoice.paid' });
 * const headers = await signStandardWebhook({ payload, id: 'msg_1', secret: 'whsec_c2FsbHlwb3J0', timestamp: Date.now() });
 */
export async function signStandardWebhook(options: SignStandardWebhookOptions): Promise<StandardWebhookHeaders> {
  const { payload, id, secret, timestamp } = options;
  const body = rawOf(payload);
  if (body === undefined)
    throw unusable('payload', `must be a string or bytes, not ${kindOf(payload)}`, 'Pass the body that will be sent');
  if (typeof id !== 'string' || !/^[!-~]+$/.test(id) || id.includes('.'))
    throw unusable('id', 'must be printable ASCII without spaces and dots', 'Pass an id such as msg_1');
  const key = typeof secret === 'string' ? keyIn(secret) : undefined;
  if (!key) throw unusable('secret', 'must be whsec_ and Base64', 'Pass the secret of the receiver');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw unusable('timestamp', 'must be a whole number of milliseconds', 'Pass Date.now()');

  const seconds = `${Math.floor(timestamp / 1000)}`;
  const digits = await macOf(key, `${id}.${seconds}.`, body);
  const signature = btoa(digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}

const unusable = (argument: string, requirement: string, next: string) =>
  new InvalidArgumentError({ argument, what: `signStandardWebhook cannot sign: ${argument} ${requirement}`, next });
