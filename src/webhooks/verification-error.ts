import { kindOf } from '../crypto/encoding.js';
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

  constructor(reason: WebhookRefusal, what: string, next: string, options?: { readonly cause: unknown }) {
    super('webhook_verification_failed', { what, next }, options);
    this.reason = reason;
  }
}

/** The error for a body that was parsed, so that the signed bytes are lost. */
export const alreadyParsed = (body: unknown): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_already_parsed',
    `The body was already parsed (${kindOf(body)}), so its signature cannot be checked`,
    'Pass the unparsed body on this route. Express: express.raw({ type: "*/*" }) before any express.json(). Fastify: ' +
      'addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body)). ' +
      'Next, pages router: export const config = { api: { bodyParser: false } }',
  );

export const alreadyRead = (): WebhookVerificationError =>
  new WebhookVerificationError(
    'stream_consumed',
    'The body was already read, and it can be read only once',
    'Call receive first, or read request.clone() in the code that runs before it',
  );

export const tooLarge = (maxBytes: number): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_too_large',
    `The body is larger than ${maxBytes} bytes`,
    'Raise maxBytes if the service sends events as large as that',
  );

/** The error for a body that ended early, with its cause. */
export const bodyIncomplete = (cause?: unknown): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_incomplete',
    'The body ended early',
    'The sender tries again; if it happens often, check the proxies between the sender and this server',
    cause === undefined ? undefined : { cause },
  );

const setupReasons: ReadonlySet<WebhookRefusal> = new Set(['secret_missing', 'body_already_parsed', 'stream_consumed']);

/** HTTP status for a refusal: 500 when our own setup is wrong, so that the delivery is not blamed. */
export const statusOf = (reason: WebhookRefusal): 400 | 413 | 500 =>
  setupReasons.has(reason) ? 500 : reason === 'body_too_large' ? 413 : 400;
