import { checkedResponse, readJson } from '../../http/body.js';
import type { Fetch } from '../../http/fetch.js';
import { type Grant, requestTokens, type TokenClient, type TokenOutcome } from '../../oauth/grant.js';
import type { UnansweredReason } from '../../oauth/outcome.js';
import { compareClocks, healthOf, recordOutcome } from './health.js';
import { withoutSecrets } from './token-errors.js';

/** The outcome of a grant in a session, from the service or from the store. */
export type GrantOutcome = TokenOutcome<UnansweredReason | 'store_unavailable'>;

/** Time limits of a grant. */
export interface GrantLimits {
  /** Milliseconds for one attempt, including the body. */
  readonly timeoutMs: number;
  /** Milliseconds that a request waits for the outcome. Retries may go on after it. */
  readonly deadlineMs: number;
  /** Maximum number of retries without a further request. */
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

/** Sends a grant once. The idempotency key makes retries safe. */
export type Authenticate = (grant: Grant, idempotencyKey: string) => Promise<GrantOutcome>;

/** Maximum size of a response in bytes. */
const maxAnswerBytes = 1024 * 1024;

/** Create the function that requests tokens with a refresh token or a code. It never rejects. */
export const authenticator =
  (config: ServiceConfig): Authenticate =>
  async (grant, idempotencyKey) => {
    const { now, fetcher, apiKey, limits } = config;
    const health = healthOf(config);
    const outcome = await requestTokens(config, grant, {
      idempotencyKey,
      timeoutMs: limits.timeoutMs,
      fetch: async (url, init) => {
        // Following a redirect would send the tokens to its target.
        const response = checkedResponse(await fetcher()(url, { ...init, redirect: 'manual' }));
        health.timedOutAt = -Infinity;
        compareClocks(health, response, now());
        return response;
      },
      json: (response) => readJson(response, maxAnswerBytes),
    });
    recordOutcome(health, outcome, now());
    return outcome.status === 'ok' ? outcome : withoutSecrets(outcome, { ...grant, apiKey, idempotencyKey });
  };
