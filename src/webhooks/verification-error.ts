import { SallyportError } from '../errors/sallyport-error.js';

/** Why a webhook was refused. */
export type WebhookRefusal =
  /** The secret, or one of the secrets, is missing or blank. */
  | 'secret_missing'
  /** The body is not text or bytes: it was already parsed, or never read. */
  | 'body_already_parsed'
  /** The body was already read and is not available; from `receive` only. */
  | 'stream_consumed'
  /** The body is larger than `maxBytes`; from `receive` only. */
  | 'body_too_large'
  /** The body ended early; from `receive` only. */
  | 'body_incomplete'
  /** The signature header is missing. */
  | 'header_missing'
  /** The header lacks a timestamp or a signature, or has several timestamps. */
  | 'header_malformed'
  /** No signature matches the body, timestamp and secret. */
  | 'signature_mismatch'
  /** The signature is valid, but its timestamp differs from now by more than `tolerance`: a wrong clock, or a replay attack. */
  | 'clock_skew'
  /** The signature is valid or was checked before, but the body is not a JSON object in valid UTF-8. */
  | 'payload_malformed'
  /** The signature is valid or was checked before, but the body is not an event; never from `verifyWebhook`. */
  | 'payload_unexpected';

/** A delivery failed verification; see `reason`. Respond with status 400. */
export class WebhookVerificationError extends SallyportError<'webhook_verification_failed'> {
  static override readonly kind: string = 'WebhookVerificationError';
  /** The check that failed. */
  declare readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, what: string, next: string) {
    super('webhook_verification_failed', { what, next });
    this.reason = reason;
  }
}
