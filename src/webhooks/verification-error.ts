import { SallyportError } from '../errors/sallyport-error.js';

/** Why a webhook was refused. */
export type WebhookRefusal =
  /** The secret is absent or blank, or one in the list is. */
  | 'secret_missing'
  /** Something parsed the body before it came here, and what was signed is gone; or it was never read. */
  | 'body_already_parsed'
  /** Something read the body before it came here, and left nothing of it; from `receive` only. */
  | 'stream_consumed'
  /** The body is larger than `maxBytes`; from `receive` only. */
  | 'body_too_large'
  /** The body ended before all of it had come; from `receive` only. */
  | 'body_incomplete'
  /** There is no signature header. */
  | 'header_missing'
  /** The header lacks a timestamp or a signature, or has several timestamps. */
  | 'header_malformed'
  /** All signatures are of a scheme that is not checked here, such as `v1a` of Standard Webhooks. */
  | 'scheme_unsupported'
  /** No signature belongs to this body, timestamp and secret. */
  | 'signature_mismatch'
  /** Rightly signed, but further from now than `tolerance`: a clock is wrong, or somebody sends a recorded delivery again. */
  | 'clock_skew'
  /** Rightly signed, or verified before, but no JSON object in valid UTF-8. */
  | 'payload_malformed'
  /** Rightly signed, or verified before, but not an event; never from `verifyWebhook`. */
  | 'payload_unexpected';

/** A webhook was refused; `reason` says why. Answer the sender with status 400. */
export class WebhookVerificationError extends SallyportError<'webhook_verification_failed'> {
  static override readonly kind: string = 'WebhookVerificationError';
  /** Why it was refused. */
  declare readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, what: string, next: string) {
    super('webhook_verification_failed', { what, next });
    this.reason = reason;
  }
}
