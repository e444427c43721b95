import { SallyportError } from '../errors/sallyport-error.js';

/** Why a webhook was refused. */
export type WebhookRefusal =
  /** The secret is absent or blank, or one in the list is. */
  | 'secret_missing'
  /** The payload was parsed, or not read, before it came here. */
  | 'payload_not_raw'
  /** There is no signature header. */
  | 'header_missing'
  /** The header lacks a timestamp or a signature, or has several timestamps. */
  | 'header_malformed'
  /** No signature belongs to this body, timestamp and secret. */
  | 'signature_mismatch'
  /** Rightly signed, but longer ago than `tolerance`. */
  | 'timestamp_too_old'
  /** Rightly signed, but further in the future than `tolerance`. */
  | 'timestamp_in_future'
  /** Rightly signed, or verified before, but no JSON object in valid UTF-8. */
  | 'payload_malformed'
  /** Rightly signed, or verified before, but not an event; from `webhooks.constructEvent` and `webhooks.parseEvent` only. */
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
