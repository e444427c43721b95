import type { RawBody } from '../crypto/encoding.js';
import { hintFor } from './hints.js';
import { bodyOf, secretsOf, type VerifiedDelivery, verifySignature, type WebhookPayload } from './signed-delivery.js';
import { WebhookVerificationError } from './verification-error.js';

/** Options of `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /** The body as received: unparsed text or bytes. */
  readonly payload: RawBody;
  /** Value of the signature header as received; a list is joined into one value. */
  readonly sigHeader: string | readonly string[] | null | undefined;
  /** Secret of the webhook endpoint, including its prefix. During a rotation pass the new and the old one. */
  readonly secret: string | readonly string[] | undefined;
  /** Maximum difference between the signature's timestamp and now, in milliseconds; default 180,000. */
  readonly tolerance?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/**
 * Verify the signature of a delivery and return its event. Nothing is parsed before the signature is verified.
 *
 * Pass the body as received: parsing and serializing it changes the bytes, so the signature no longer matches.
 * A delivery may arrive twice: store the `id` of each event that you have handled. In a route, use `receive`, which also reads the
 * request, handles each event once if it has a store, and says what to respond.
 *
 * @throws {WebhookVerificationError} The delivery failed verification; `reason` is the failed check.
 * @example
 * const event = await verifyWebhook({
 *   payload: await request.text(),
 *   sigHeader: request.headers.get('Service-Signature'),
 *   secret: process.env.WEBHOOK_SECRET,
 * });
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookPayload> {
  return (await verifyServiceDelivery(options)).payload;
}

/**
 * Verify a delivery that is signed as the service does.
 *
 * @param otherHint Returns a hint if none of the common mistakes explains the mismatch.
 */
export async function verifyServiceDelivery(
  options: VerifyWebhookOptions,
  otherHint?: () => string | undefined,
): Promise<VerifiedDelivery> {
  const secrets = secretsOf(options.secret);
  const body = bodyOf(options.payload);
  const [timestamp, signatures] = partsOf(options.sigHeader);
  const verified = await verifySignature({ head: `${timestamp}.`, body, timestamp, signatures, secrets }, options);
  if (verified) return verified;
  throw new WebhookVerificationError(
    'signature_mismatch',
    'No signature of the request matches its body and the secret',
    (await hintFor(secrets, signatures, timestamp, body)) ??
      otherHint?.() ??
      'Check that the secret belongs to this endpoint and that nothing rewrote the body',
  );
}

/** The timestamp and the signatures in a header. Looks at each part once. */
function partsOf(header: VerifyWebhookOptions['sigHeader']): [timestamp: string, signatures: readonly string[]] {
  const text = String(header ?? '').trim();
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=');
    if (name.trim() === 't') timestamps.push(value.trim());
    else if (name.trim() === 'v1') signatures.push(value.trim());
  }
  // If there are several timestamps, the joined text is not a number.
  const timestamp = timestamps.join();
  if (/^\d{1,15}$/.test(timestamp) && signatures.length) return [timestamp, signatures];
  throw text
    ? new WebhookVerificationError(
        'header_malformed',
        'sigHeader must be t=<timestamp>, v1=<signature>',
        'Pass the header as received',
      )
    : new WebhookVerificationError('header_missing', 'sigHeader is missing', 'Pass the Service-Signature header');
}
