import { pause } from '../../async/time-limit.js';
import { checkedResponse, readJson } from '../../http/body.js';
import type { Fetch } from '../../http/fetch.js';
import { type Grant, requestTokens, type TokenClient, type TokenOutcome } from '../../oauth/grant.js';
import type { UnansweredReason } from '../../oauth/outcome.js';
import { compareClocks, type Health, hasTimedOut, healthOf, recordOutcome, retryBudget } from './health.js';
import { withoutSecrets } from './token-errors.js';

/** The outcome of a grant in a session, from the service or from the store. */
export type GrantOutcome = TokenOutcome<UnansweredReason | 'store_unavailable'>;

/** Time limits of a grant. */
export interface GrantLimits {
  /** Milliseconds for one attempt, including the body. */
  readonly timeoutMs: number;
  /** Milliseconds for all attempts and the delays between them. */
  readonly deadlineMs: number;
  /** Maximum number of attempts after the first. */
  readonly maxRetries: number;
}

/** What a token request needs. */
export interface ServiceConfig extends TokenClient {
  /** Identifies the service and the client within this process. */
  readonly scope: string;
  readonly now: () => number;
  /** Returns the `fetch` in use. */
  readonly fetcher: () => Fetch;
  readonly limits: GrantLimits;
}

/** Sends a grant. The idempotency key makes retries safe. A request that has failed before is not retried. */
export type Authenticate = (
  grant: Grant,
  idempotencyKey: string,
  flight?: { readonly hasFailed: boolean },
) => Promise<GrantOutcome>;

/** Maximum size of a response in bytes. */
const maxAnswerBytes = 1024 * 1024;
/** Maximum delay between attempts, because a user is waiting for the page. */
const maxWaitMs = 1_000;
/**
 * Delay before the second retry; later delays grow. The first retry follows immediately, because its usual cause is a stale
 * kept-alive connection.
 */
const backoffMs = 200;

/** Create the function that requests tokens with a refresh token or a code. It never rejects. */
export function authenticator(config: ServiceConfig): Authenticate {
  return (grant, idempotencyKey, flight) => {
    const health = healthOf(config);
    const attempt = (timeoutMs: number) => attemptGrant(config, health, grant, idempotencyKey, timeoutMs);
    return withRetries(config, health, attempt, flight?.hasFailed ? 0 : config.limits.maxRetries);
  };
}

async function withRetries(
  { limits: { timeoutMs, deadlineMs }, now }: ServiceConfig,
  health: Health,
  attempt: (timeoutMs: number) => Promise<TokenOutcome>,
  maxRetries: number,
): Promise<TokenOutcome> {
  const end = Date.now() + deadlineMs;
  for (let retries = 0; ; retries++) {
    const outcome = await attempt(Math.max(1, Math.min(timeoutMs, end - Date.now())));
    if (outcome.status !== 'retry_later') {
      health.retries = Math.min(retryBudget, health.retries + 1);
      return outcome;
    }
    // Only the first request that times out retries; the others give up.
    const isFurtherTimeout = outcome.reason === 'timeout' && hasTimedOut(health, now());
    recordOutcome(health, outcome, now());
    const waitMs = outcome.retryAfterMs ?? retries * backoffMs;
    const hasTime = waitMs <= maxWaitMs && Date.now() + waitMs < end;
    if (isFurtherTimeout || retries >= maxRetries || !hasTime || health.retries < 1) return outcome;
    health.retries--;
    if (waitMs > 0) await pause(waitMs);
  }
}

async function attemptGrant(
  config: ServiceConfig,
  health: Health,
  grant: Grant,
  idempotencyKey: string,
  timeoutMs: number,
): Promise<TokenOutcome> {
  const { now, fetcher, apiKey } = config;
  const outcome = await requestTokens(config, grant, {
    idempotencyKey,
    timeoutMs,
    fetch: async (url, init) => {
      // Following a redirect would send the tokens to its target.
      const response = checkedResponse(await fetcher()(url, { ...init, redirect: 'manual' }));
      health.timedOutAt = -Infinity;
      compareClocks(health, response, now());
      return response;
    },
    json: (response) => readJson(response, maxAnswerBytes),
  });
  return outcome.status === 'ok' ? outcome : withoutSecrets(outcome, { ...grant, apiKey, idempotencyKey });
}
