import { macOf } from '#crypto/mac';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { kindOf, type RawBody, rawOf } from './encoding.js';

/** Options of `signWebhook`. */
export interface SignWebhookOptions {
  /** The body, exactly as it will be sent. */
  readonly payload: RawBody;
  /** Secret of the webhook endpoint, including its prefix. */
  readonly secret: string;
  /** Time of sending, in milliseconds since 1970. */
  readonly timestamp: number;
}

/**
 * Sign a delivery, to test a webhook handler. Returns the signature header, `t=<timestamp>, v1=<signature>`.
 *
 * @throws {InvalidArgumentError} The payload is not a string or bytes, the secret is blank, or the timestamp is not a whole number.
 * @example
 * const payload = JSON.stringify({ id: 'event_01', event: 'user.created', data: {} });
 * const sigHeader = await signWebhook({ payload, secret: 'whsec_test', timestamp: Date.now() });
 */
export async function signWebhook({ payload, secret, timestamp }: SignWebhookOptions): Promise<string> {
  const body = rawOf(payload);
  if (body === undefined)
    throw invalidArgument(
      'payload',
      `must be a string or bytes, not ${kindOf(payload)}`,
      'Pass the body that will be sent',
    );
  if (typeof secret !== 'string' || secret.trim() === '')
    throw invalidArgument('secret', 'must not be missing or blank', "Pass the webhook endpoint's secret");
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw invalidArgument('timestamp', 'must be a whole number of milliseconds', 'Pass Date.now()');

  return `t=${timestamp}, v1=${await macOf(secret, `${timestamp}.`, body)}`;
}

const invalidArgument = (argument: string, requirement: string, next: string) =>
  new InvalidArgumentError({ argument, what: `signWebhook cannot sign: ${argument} ${requirement}`, next });
