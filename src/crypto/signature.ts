import { macOf } from '#crypto/mac';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { kindOf, type RawBody, rawOf, type SignedMessage, utf8 } from './encoding.js';

/** What is signed: the timestamp as it stands in the header, a point, and the body. Bytes are copied. */
export const signedMessage = (timestamp: string, body: string | Uint8Array): SignedMessage => {
  const head = `${timestamp}.`;
  if (typeof body === 'string') return head + body;
  const message = new Uint8Array(head.length + body.length);
  message.set(utf8(head));
  message.set(body, head.length);
  return message;
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
  const body = rawOf(payload);
  if (body === undefined)
    throw unusable('payload', `must be text or bytes, not ${kindOf(payload)}`, 'Pass what will be sent');
  if (typeof secret !== 'string' || secret.trim() === '')
    throw unusable('secret', 'must not be missing or blank', "Pass the webhook endpoint's secret");
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw unusable('timestamp', 'must be a whole number of milliseconds', 'Pass Date.now()');

  return `t=${timestamp}, v1=${await macOf(secret, signedMessage(`${timestamp}`, body))}`;
}

const unusable = (argument: string, requirement: string, next: string) =>
  new InvalidArgumentError({ argument, what: `signWebhook cannot sign: ${argument} ${requirement}`, next });
