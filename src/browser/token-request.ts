import { hashOf } from '../crypto/pkce.js';
import { parsedJson } from '../http/json.js';
import { type Grant, requestTokens, type TokenOutcome } from '../oauth/grant.js';
import { isFromPortal } from '../oauth/outcome.js';
import { retryLater } from './failure.js';
import type { Page } from './page.js';

/** The service, and the client that requests tokens. */
export interface PublicClient {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly idempotencyKeys: boolean;
}

/** A final answer of the service: tokens or a rejection. */
export type FinalOutcome = Exclude<TokenOutcome, { readonly status: 'retry_later' }>;

/** Maximum response size in bytes. */
const maxBytes = 1024 * 1024;
/** How long one request may take, including its body. */
const timeoutMs = 10_000;

/**
 * Request tokens as a public client: with a code and its verifier, or with a refresh token, never with an API key.
 *
 * @param secret Identifies the request. A repeated request, after a lost response or in another tab, has the same idempotency key
 * and gets the same tokens, so that single-use tokens are used once.
 * @throws {BrowserError} `retry_later`.
 */
export async function requestPublicTokens(
  page: Page,
  { baseUrl, clientId, idempotencyKeys }: PublicClient,
  grant: Grant,
  secret: string,
): Promise<FinalOutcome> {
  const outcome = await requestTokens({ baseUrl, clientId }, grant, {
    idempotencyKey: idempotencyKeys ? await hashOf(secret) : undefined,
    timeoutMs,
    fetch: (url, init) =>
      page.fetch(url, {
        ...init,
        // Cookies are not needed, and third-party cookies may be blocked.
        credentials: 'omit',
        redirect: 'error',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
      }),
    json: jsonIn,
  });
  if (outcome.status === 'retry_later') {
    const { reason, retryAfterMs, cause } = outcome;
    const isPrintable = reason !== 'network_error';
    throw retryLater(baseUrl, reason, retryAfterMs, isPrintable ? cause : causeWithoutSecret(cause, secret));
  }
  if (outcome.status !== 'ok' && isFromPortal(outcome)) throw retryLater(baseUrl, 'unexpected_answer');
  return outcome;
}

/** Return the error of a failed `fetch`, or undefined if its text contains a part of a secret. */
function causeWithoutSecret(thrown: unknown, secret: string): Error | undefined {
  const text = String(thrown);
  const repeats = (part: string): boolean => part.length > 5 && text.includes(part);
  return secret.split(/\W+/).some(repeats) ? undefined : new Error(text);
}

/** Parse the body of a response as JSON. Returns undefined if it is invalid or too large. */
async function jsonIn(response: Response): Promise<unknown> {
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > maxBytes) controller.terminate();
      else controller.enqueue(chunk);
    },
  });
  // A custom fetch may return another kind of body.
  const limited = response.body?.pipeThrough?.(limit);
  const text = await (limited ? new Response(limited) : response).text();
  return Math.max(size, text.length) > maxBytes ? undefined : parsedJson(text);
}
