import { kindOf } from '../crypto/encoding.js';
import { type WebhookRefusal, WebhookVerificationError } from './verification-error.js';

/** The refusal of a body that is gone, or of which only what it says is left. */
export const alreadyParsed = (body: unknown): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_already_parsed',
    `The body was parsed before it came here (${kindOf(body)}), and what was signed is gone`,
    'Take the body as it is on this route. Express: express.raw({ type: "*/*" }) before any express.json(). Fastify: ' +
      'addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body)). ' +
      'Next, pages router: export const config = { api: { bodyParser: false } }',
  );

export const alreadyRead = (): WebhookVerificationError =>
  new WebhookVerificationError(
    'stream_consumed',
    'The body was read before it came here, and it can be read only once',
    'Call receive first, or have whoever reads before it take request.clone()',
  );

export const tooLarge = (maxBytes: number): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_too_large',
    `The body is larger than ${maxBytes} bytes`,
    'Raise maxBytes if the service sends events as large as that',
  );

/** The refusal of a body that broke off, with what it broke off by. */
export const brokenOff = (cause?: unknown): WebhookVerificationError =>
  withCause(
    new WebhookVerificationError(
      'body_incomplete',
      'The body ended before all of it had come',
      'The sender tries again; if it happens often, look at what stands between the two',
    ),
    cause,
  );

/** Sets the cause as the constructor of an error does. */
function withCause<Failure extends Error>(error: Failure, cause: unknown): Failure {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
  return error;
}

const own: ReadonlySet<WebhookRefusal> = new Set(['secret_missing', 'body_already_parsed', 'stream_consumed']);

/** What a refusal is answered with: 500 where the receiver has to be mended, so that nobody takes the delivery for a bad one. */
export const statusOf = (reason: WebhookRefusal): 400 | 413 | 500 =>
  own.has(reason) ? 500 : reason === 'body_too_large' ? 413 : 400;
