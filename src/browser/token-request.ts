import { codeChallengeOf } from '../crypto/pkce.js';
import { quotable } from '../errors/redact.js';
import { BodyTooLarge, readJson } from '../http/body.js';
import { Late, within } from '../http/time-limit.js';
import type { GrantErrorCode } from '../oauth/flow-errors.js';
import { type TokenAnswer, tokenAnswer } from '../oauth/token-answer.js';
import { type Grant, tokenRequest } from '../oauth/token-request.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import type { Page } from './page.js';
import type { RetryLaterReason } from './results.js';

/** The service cannot be asked just now. */
export interface Later {
  readonly kind: 'later';
  readonly reason: RetryLaterReason;
  readonly retryAfterMs: number;
  readonly cause?: unknown;
}

/** The service says no. */
export interface Refused {
  readonly kind: 'refused';
  /** The service's own name for it, `invalid_grant`. */
  readonly reason: GrantErrorCode;
  /** The service's own words. */
  readonly description: string;
}

/** What became of asking for tokens. */
export type TokenOutcome = { readonly kind: 'tokens'; readonly tokens: AuthenticationResponse } | Refused | Later;

/** Where and as whom to ask. */
export interface PublicClient {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly idempotencyKeys: boolean;
}

/** Largest answer that is read, in bytes. */
const longest = 1024 * 1024;
/** How long one request may take, its body included. */
const timeoutMs = 10_000;
/** When to try again if the service does not say. */
const pauseMs = 1_000;
/** The longest the service may make us wait. */
const longestPauseMs = 60_000;

/**
 * Asks for tokens as a public client: by a code and its verifier, or by a refresh token, never with a key.
 *
 * @param secret What makes the request what it is. Whoever repeats it, after a lost answer or in another tab, sends the same
 * idempotency key and gets the same tokens, so that single-use tokens are used once.
 */
export async function requestTokens(
  page: Page,
  { baseUrl, clientId, idempotencyKeys }: PublicClient,
  grant: Grant,
  secret: string,
): Promise<TokenOutcome> {
  const idempotencyKey = idempotencyKeys ? await codeChallengeOf(secret) : undefined;
  const { url, init } = tokenRequest({ baseUrl, clientId }, grant, idempotencyKey);
  try {
    return await within(timeoutMs, async (signal) => {
      const response = await page.fetch(url, {
        ...init,
        // No cookie takes part: third-party cookies may be blocked.
        credentials: 'omit',
        redirect: 'error',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal,
      });
      return outcomeOf(await tokenAnswer(response, (answer) => readJson(answer, longest)), secretsIn(grant));
    });
  } catch (cause) {
    const isTooLarge = cause instanceof BodyTooLarge;
    const reason = isTooLarge ? 'unexpected_answer' : cause instanceof Late ? 'timeout' : 'network_error';
    return { kind: 'later', reason, retryAfterMs: pauseMs, cause };
  }
}

const secretsIn = (grant: Grant): readonly (string | undefined)[] =>
  grant.grantType === 'refresh_token' ? [grant.refreshToken] : [grant.code, grant.codeVerifier];

function outcomeOf(answer: TokenAnswer, secrets: readonly (string | undefined)[]): TokenOutcome {
  if (answer.kind === 'tokens') return answer;
  const { reason, retryAfterMs } =
    answer.kind === 'unanswered' ? answer : ({ reason: 'unexpected_answer', retryAfterMs: 0 } as const);
  // A refusal without a word is not the service's: a proxy or a captive portal has answered.
  if (answer.kind === 'unanswered' || !answer.error.code)
    return { kind: 'later', reason, retryAfterMs: Math.min(retryAfterMs || pauseMs, longestPauseMs) };
  // A service that repeats what it was sent must not bring a token into a message.
  const quoted = (words: string | null): string => quotable(words ?? '', secrets.filter(Boolean) as string[]);
  return { kind: 'refused', reason: quoted(answer.error.code), description: quoted(answer.error.message) };
}
