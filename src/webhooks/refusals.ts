import { kindOf } from '../crypto/encoding.js';
import { type WebhookRefusal, WebhookVerificationError } from './verification-error.js';

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
  withCause(
    new WebhookVerificationError(
      'body_incomplete',
      'The body ended early',
      'The sender tries again; if it happens often, check the proxies between the sender and this server',
    ),
    cause,
  );

/** Set `cause` as a non-enumerable property, like the `Error` constructor. */
function withCause<Failure extends Error>(error: Failure, cause: unknown): Failure {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
  return error;
}

const setupReasons: ReadonlySet<WebhookRefusal> = new Set(['secret_missing', 'body_already_parsed', 'stream_consumed']);

/** HTTP status for a refusal: 500 when our own setup is wrong, so that the delivery is not blamed. */
export const statusOf = (reason: WebhookRefusal): 400 | 413 | 500 =>
  setupReasons.has(reason) ? 500 : reason === 'body_too_large' ? 413 : 400;
