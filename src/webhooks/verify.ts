import { isAmong } from '#crypto/mac';
import { kindOf, type RawBody, rawOf } from '../crypto/encoding.js';
import { signedMessage } from '../crypto/signature.js';
import { WebhookVerificationError } from './verification-error.js';

/** What `verifyWebhook` takes. */
export interface VerifyWebhookOptions {
  /** The body as received: text or bytes, not parsed. */
  readonly payload: RawBody;
  /** Value of the signature header, as the request has it; several values count as one. */
  readonly sigHeader: string | readonly string[] | null | undefined;
  /** Secret of the webhook endpoint, prefix included; while it is being replaced, the old and the new one. */
  readonly secret: string | readonly string[] | undefined;
  /** Milliseconds by which the signature's timestamp may differ from now, either way; default 180,000. */
  readonly tolerance?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** A delivered event as received: its fields by their wire names. */
export type WebhookPayload = Record<string, unknown>;

/**
 * Check the signature of a delivery and return its event. The event is parsed only after its signature was found right.
 *
 * Pass the body as it was received: a body that was parsed and serialized again has other bytes and another signature.
 * A delivery may come twice: remember the `id` of the events you have handled.
 *
 * @throws {WebhookVerificationError} The delivery is not what the service sent; `reason` says which check failed.
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
      // Read from the message and not from `payload`, which its owner may have changed since.
      return [payloadIn(typeof message === 'string' ? body : message.subarray(timestamp.length + 1)), index];
    }
  // Loaded for a refusal only: it is 0.8 KB, and the rest of this check is 1.5 KB.
  const hints = await import('./hints.js');
  throw await hints.mismatch({ body, timestamp, signatures, secrets, otherHeader });
}

/** Refuses what was signed too long before or after now; its timestamp is in milliseconds or in seconds. */
export const checkAge = (timestamp: number, tolerance: number, now: () => number): void => {
  const age = now() - timestamp * (timestamp < 1e11 ? 1000 : 1);
  const distance = Math.abs(age);
  if (!(distance <= tolerance))
    throw new WebhookVerificationError(
      'clock_skew',
      `The timestamp is ${distance} ms ${age < 0 ? 'ahead' : 'old'}; tolerance is ${tolerance} ms`,
      'Check the clock: replays look the same',
    );
};

/** The secrets as a list, of which none is blank. */
export const secretsOf = (secret: VerifyWebhookOptions['secret']): readonly string[] => {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // Anyone can sign with an empty secret, so one blank entry of a list makes the whole list worthless.
  if (secrets?.length && secrets.every((one) => typeof one === 'string' && one.trim())) return secrets;
  throw new WebhookVerificationError('secret_missing', 'secret is missing or blank', 'Pass the secret of the endpoint');
};

const partsOf = (header: VerifyWebhookOptions['sigHeader']): [timestamp: string, signatures: readonly string[]] => {
  const text = String(header ?? '').trim();
  const parts = text.split(',').map((part) => part.split('=').map((piece) => piece.trim()));
  const valuesOf = (wanted: string) => parts.flatMap(([name, value = '']) => (name === wanted ? value : []));
  // Two timestamps joined are no digits.
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

/** The object that a body holds; what holds none is refused. */
export const payloadIn = (body: RawBody | WebhookPayload): WebhookPayload => {
  try {
    const raw = rawOf(body);
    const text = typeof raw === 'object' ? new TextDecoder('utf-8', { fatal: true }).decode(raw) : raw;
    const value: unknown = text === undefined ? body : JSON.parse(text);
    if (kindOf(value) === 'Object') return value as WebhookPayload;
  } catch {
    // What either of the two throws would quote the body; the error below says enough.
  }
  throw new WebhookVerificationError(
    'payload_malformed',
    'The payload must be a JSON object in UTF-8',
    'Check the sender',
  );
};
