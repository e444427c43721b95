import { macOf } from '#crypto/mac';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { kindOf, type RawBody, rawOf } from './encoding.js';
import { signedMessage } from './signature.js';

/** The three headers of a delivery signed by the Standard Webhooks scheme. */
export interface StandardWebhookHeaders {
  /** Id of the message; the same whenever it is sent again. */
  readonly 'webhook-id': string;
  /** When it was sent, in seconds since 1970. */
  readonly 'webhook-timestamp': string;
  /** `v1,<Base64>`; several are separated by blanks. */
  readonly 'webhook-signature': string;
}

/** What Base64 says; undefined for what is none, and for nothing. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return bytes.length ? bytes : undefined;
  } catch {
    return undefined;
  }
};

/** The key in a secret of the Standard Webhooks scheme; undefined where there is none. */
export const keyIn = (secret: string): Uint8Array<ArrayBuffer> | undefined => bytesOf(secret.replace(/^whsec_/, ''));

/** What `signStandardWebhook` takes. */
export interface SignStandardWebhookOptions {
  /** The body, exactly as it will be sent. */
  readonly payload: RawBody;
  /** Id of the message; the same whenever it is sent again. */
  readonly id: string;
  /** The secret: Base64 behind `whsec_`. */
  readonly secret: string;
  /** When it is sent, in milliseconds since 1970; the header has whole seconds. */
  readonly timestamp: number;
}

/**
 * Sign a delivery by the Standard Webhooks scheme, for tests of a webhook handler: returns its three headers.
 *
 * @throws {InvalidArgumentError} The payload is neither text nor bytes, the id is blank or has a point, the secret is not Base64, or
 * the timestamp is not a whole number.
 * @see https://www.standardwebhooks.com
 * @example
 * const payload = JSON.stringify({ type: 'invoice.paid' });
 * const headers = await signStandardWebhook({ payload, id: 'msg_1', secret: 'whsec_c2FsbHlwb3J0', timestamp: Date.now() });
 */
export async function signStandardWebhook(options: SignStandardWebhookOptions): Promise<StandardWebhookHeaders> {
  const { payload, id, secret, timestamp } = options;
  const body = rawOf(payload);
  if (body === undefined)
    throw unusable('payload', `must be text or bytes, not ${kindOf(payload)}`, 'Pass what will be sent');
  if (typeof id !== 'string' || !/^[!-~]+$/.test(id) || id.includes('.'))
    throw unusable('id', 'must be of ASCII letters, digits and signs, without a point', 'Pass an id such as msg_1');
  const key = typeof secret === 'string' ? keyIn(secret) : undefined;
  if (!key) throw unusable('secret', 'must be Base64 behind whsec_', 'Pass the secret of the receiver');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw unusable('timestamp', 'must be a whole number of milliseconds', 'Pass Date.now()');

  const seconds = `${Math.floor(timestamp / 1000)}`;
  const digits = await macOf(key, signedMessage(`${id}.${seconds}`, body));
  const signature = btoa(digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}

const unusable = (argument: string, requirement: string, next: string) =>
  new InvalidArgumentError({ argument, what: `signStandardWebhook cannot sign: ${argument} ${requirement}`, next });
