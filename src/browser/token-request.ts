import { hashOf } from '../crypto/pkce.js';
import { parsedJson } from '../http/json.js';
import { type Grant, requestTokens, type TokenOutcome } from '../oauth/grant.js';
import { isFromPortal, retryLater } from '../oauth/outcome.js';
import { type Attempts, attemptMs, noAttempts, sendWithRetries } from '../oauth/retries.js';
import { retryLaterError } from './failure.js';
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
/** How many retries a call makes itself: with two attempts, it holds the lock of the tabs for ten seconds at most. */
const maxRetriesInCall = 1;

/**
 * Request tokens as a public client: with a code and its verifier, or with a refresh token, never with an API key.
 *
 * @param secret Identifies the request. A repeated request, after a lost response or in another tab, has the same idempotency key
 * and gets the same tokens, so that single-use tokens are used once.
 * @param attempts The earlier attempts at the same request.
 * @throws {BrowserError} `retry_later`.
 */
export async function requestPublicTokens(
  page: Page,
  client: PublicClient,
  grant: Grant,
  secret: string,
  attempts: Attempts<TokenOutcome> = noAttempts(),
): Promise<FinalOutcome> {
  const idempotencyKey = client.idempotencyKeys ? await hashOf(secret) : undefined;
  const send = async (): Promise<TokenOutcome> => {
    const outcome = await requestTokens(client, grant, {
      idempotencyKey,
      timeoutMs: attemptMs,
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
    return isFromPortal(outcome) ? retryLater('unexpected_answer', undefined) : outcome;
  };
  const outcome = await sendWithRetries(attempts, send, () => page.now(), maxRetriesInCall);
  if (outcome.status !== 'retry_later') return outcome;
  const { reason, retryAfterMs, cause } = outcome;
  const isPrintable = reason !== 'network_error';
  throw retryLaterError(client.baseUrl, reason, retryAfterMs, isPrintable ? cause : causeWithoutSecret(cause, secret));
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
