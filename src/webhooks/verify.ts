import { isAmong } from '#crypto/mac';
import { kindOf, type RawBody, rawOf } from '../crypto/encoding.js';
import { signedMessage } from '../crypto/signature.js';
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

/** A delivered event as received, with wire names. */
export type WebhookPayload = Record<string, unknown>;

/**
 * Verify the signature of a delivery and return its event. Nothing is parsed before the signature is verified.
 *
 * Pass the body as received: parsing and serializing it changes the bytes, so the signature no longer matches.
 * A delivery may arrive twice: store the `id` of each event that you have handled. In a route, use `receive`, which also reads the
 * request, handles each event once and says what to respond.
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
  const [event] = await checkDelivery(options);
  return event;
}

/**
 * Check a delivery. Returns its event, and the position of the secret that signed it.
 *
 * @param otherHeader Names another signature header of the request, for the hint.
 */
export async function checkDelivery(
  options: VerifyWebhookOptions,
  otherHeader?: () => string | undefined,
): Promise<[event: WebhookPayload, secretIndex: number]> {
  const { payload, tolerance = 180_000, now = Date.now } = options;
  const secrets = secretsOf(options.secret);
  const body = rawOf(payload);
  if (body === undefined)
    throw new WebhookVerificationError(
      'body_already_parsed',
      `payload must be the body as received, not ${kindOf(payload)}`,
      'Pass await request.text() or the body of express.raw()',
    );
  const [timestamp, signatures] = partsOf(options.sigHeader);
  const message = signedMessage(timestamp, body);

  for (const [index, one] of secrets.entries())
    if (await isAmong(signatures, one, message)) {
      checkAge(+timestamp, tolerance, now);
      // Read from the message and not from `payload`, which the caller may have changed since.
      return [payloadIn(typeof message === 'string' ? body : message.subarray(timestamp.length + 1)), index];
    }
  // Loaded for a refusal only: the hints are 0.8 KB, and the rest of this check is 1.5 KB. The error does not depend on them.
  const hint = await import('./hints.js')
    .then(({ hintFor }) => hintFor({ body, timestamp, signatures, secrets, otherHeader }))
    .catch(() => undefined);
  throw new WebhookVerificationError(
    'signature_mismatch',
    'No signature of the request matches its body and the secret',
    hint ?? 'Check that the secret belongs to this endpoint and that nothing rewrote the body',
  );
}

/** Reject a timestamp, in milliseconds or seconds, that is too far from now. */
export const checkAge = (timestamp: number, tolerance: number, now: () => number): void => {
  const age = now() - timestamp * (timestamp < 1e11 ? 1000 : 1);
  const distance = Math.abs(age);
  if (!(distance <= tolerance))
    throw new WebhookVerificationError(
      'clock_skew',
      `The timestamp is ${distance} ms ${age < 0 ? 'ahead' : 'old'}; the tolerance is ${tolerance} ms`,
      'Check the clock of this server. A replayed delivery looks the same',
    );
};

/** The secrets as a list. Rejects a missing or blank secret. */
export const secretsOf = (secret: VerifyWebhookOptions['secret']): readonly string[] => {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // Anyone can sign with an empty secret, so one blank entry makes the whole list unsafe.
  if (secrets?.length && secrets.every((one) => typeof one === 'string' && one.trim())) return secrets;
  throw new WebhookVerificationError('secret_missing', 'secret is missing or blank', 'Pass the secret of the endpoint');
};

const partsOf = (header: VerifyWebhookOptions['sigHeader']): [timestamp: string, signatures: readonly string[]] => {
  const text = String(header ?? '').trim();
  const parts = text.split(',').map((part) => part.split('=').map((piece) => piece.trim()));
  const valuesOf = (key: string) => parts.flatMap(([name, value = '']) => (name === key ? value : []));
  // If there are several timestamps, the joined text is not a number.
  const timestamp = valuesOf('t').join();
  const signatures = valuesOf('v1');
  if (/^\d{1,15}$/.test(timestamp) && signatures.length) return [timestamp, signatures];
  throw text
    ? new WebhookVerificationError(
        'header_malformed',
        'sigHeader must be t=<timestamp>, v1=<signature>',
        'Pass the header as received',
      )
    : new WebhookVerificationError('header_missing', 'sigHeader is missing', 'Pass the Service-Signature header');
};

/** Parse the JSON object in a body. Rejects any other body. */
export const payloadIn = (body: RawBody | WebhookPayload): WebhookPayload => {
  try {
    const raw = rawOf(body);
    const text = typeof raw === 'object' ? new TextDecoder('utf-8', { fatal: true }).decode(raw) : raw;
    const value: unknown = text === undefined ? body : JSON.parse(text);
    if (kindOf(value) === 'Object') return value as WebhookPayload;
  } catch {
    // Drop the parser's error, because it quotes the body.
  }
  throw new WebhookVerificationError(
    'payload_malformed',
    'The payload must be a JSON object in UTF-8',
    'Check the sender',
  );
};
