import { codeChallengeOf } from '../crypto/pkce.js';
import { parsedJson } from '../http/json.js';
import { Late, within } from '../http/time-limit.js';
import { type TokenAnswer, tokenAnswer } from '../oauth/token-answer.js';
import { type Grant, tokenRequest } from '../oauth/token-request.js';
import { retryLater } from './failure.js';
import type { Page } from './page.js';

/** Where and as whom to ask. */
export interface PublicClient {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly idempotencyKeys: boolean;
}

/** What the service has said: tokens or no. */
export type DefiniteAnswer = Exclude<TokenAnswer, { readonly kind: 'unanswered' }>;

/** Largest answer that is read, in bytes. */
const longest = 1024 * 1024;
/** How long one request may take, its body included. */
const timeoutMs = 10_000;

/**
 * Asks for tokens as a public client: by a code and its verifier, or by a refresh token, never with a key.
 *
 * @param secret What makes the request what it is. A request that is repeated, after a lost answer or in another tab, has the same
 * idempotency key and gets the same tokens, so that single-use tokens are used once.
 * @throws {BrowserError} `retry_later`.
 */
export async function requestTokens(
  page: Page,
  { baseUrl, clientId, idempotencyKeys }: PublicClient,
  grant: Grant,
  secret: string,
): Promise<DefiniteAnswer> {
  const idempotencyKey = idempotencyKeys ? await codeChallengeOf(secret) : undefined;
  const { url, init } = tokenRequest({ baseUrl, clientId }, grant, idempotencyKey);
  const answer = await within(timeoutMs, async (signal) => {
    const response = await page.fetch(url, {
      ...init,
      // No cookie takes part: third-party cookies may be blocked.
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal,
    });
    return tokenAnswer(response, jsonIn);
  }).catch((cause) => {
    if (cause instanceof Late) throw retryLater(baseUrl, 'timeout', undefined, cause);
    throw retryLater(baseUrl, 'network_error', undefined, printableCause(cause, secret));
  });
  if (answer.kind === 'unanswered') throw retryLater(baseUrl, answer.reason, answer.retryAfterMs);
  // A refusal without a word is not the service's: a proxy or a captive portal has answered.
  if (answer.kind !== 'tokens' && !answer.error.code) throw retryLater(baseUrl, 'unexpected_answer');
  return answer;
}

/** The words of a failed `fetch`; undefined if they repeat a part of a secret, in whichever encoding. */
function printableCause(thrown: unknown, secret: string): Error | undefined {
  const words = String(thrown);
  const repeats = (part: string): boolean => part.length > 5 && words.includes(part);
  return secret.split(/\W+/).some(repeats) ? undefined : new Error(words);
}

/** What an answer says as JSON; one that is too large ends early, and says nothing. */
async function jsonIn(answer: Response): Promise<unknown> {
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > longest) controller.terminate();
      else controller.enqueue(chunk);
    },
  });
  // A fetch that is not the platform's may have another kind of body.
  const limited = answer.body?.pipeThrough?.(limit);
  const text = await (limited ? new Response(limited) : answer).text();
  return Math.max(size, text.length) > longest ? undefined : parsedJson(text);
}
