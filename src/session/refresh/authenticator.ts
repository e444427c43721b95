import { checkedResponse, readJson } from '../../http/body.js';
import type { Fetch, FetchResponse } from '../../http/fetch.js';
import { getOrCreate, processCache } from '../../http/process-cache.js';
import { type Grant, requestTokens, type TokenClient, type TokenOutcome } from '../../oauth/grant.js';
import type { UnansweredReason } from '../../oauth/outcome.js';
import { withoutSecrets } from './token-errors.js';

/** The outcome of a grant in a session, from the service or from the store. */
export type GrantOutcome = TokenOutcome<UnansweredReason | 'store_unavailable'>;

/** How long and how often to ask for an outcome. */
export interface RetryPolicy {
  /** Milliseconds for one attempt, including the body. */
  readonly timeoutMs: number;
  /** Milliseconds that a request waits for the outcome. Retries may go on after it. */
  readonly deadlineMs: number;
  /** Maximum number of retries without a further request. */
  readonly maxRetries: number;
}

/** A service and a client of it, in this process. */
export interface ServiceScope {
  /** Identifies both. */
  readonly scope: string;
  /** Returns the `fetch` in use. */
  readonly fetcher: () => object;
}

/** What a token request needs. */
export interface ServiceConfig extends TokenClient, ServiceScope {
  readonly now: () => number;
  readonly fetcher: () => Fetch;
  readonly retryPolicy: RetryPolicy;
}

/** Sends a grant once. The idempotency key makes retries safe. */
export type Authenticate = (grant: Grant, idempotencyKey: string) => Promise<GrantOutcome>;

/** Maximum size of a response in bytes. */
const maxAnswerBytes = 1024 * 1024;

/** Create the function that requests tokens with a refresh token or a code. It never rejects. */
export const authenticator =
  (config: ServiceConfig): Authenticate =>
  async (grant, idempotencyKey) => {
    const { now, fetcher, apiKey, retryPolicy } = config;
    const health = serviceHealth(config);
    const outcome = await requestTokens(config, grant, {
      idempotencyKey,
      timeoutMs: retryPolicy.timeoutMs,
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

/** How a service has recently responded to this process. */
export interface Health {
  /** Retries left in the budget. */
  retries: number;
  /** When a request last timed out, in milliseconds since 1970. */
  timedOutAt: number;
  /** Clock offset of the service in milliseconds, and when it was measured. */
  clock?: { readonly aheadMs: number; readonly at: number };
}

/**
 * Size of the retry budget. Each retry takes one and each answer returns one, so that retries cannot overload a service that is
 * down.
 */
const retryBudget = 40;
/** How long to remember a timeout or a measured clock offset. */
const memoryMs = 30_000;
/** How long to wait for a service that has recently timed out. */
const shortWaitMs = 1_000;
/** Clock differences to ignore: `Date` has whole seconds, and responses take time to arrive. */
const negligibleOffsetMs = 5_000;

const healths = processCache<Health>();

/** Get the health of a service, by `fetch` function and scope. */
export const serviceHealth = ({ fetcher, scope }: ServiceScope): Health =>
  getOrCreate(healths(fetcher()), scope, () => ({ retries: retryBudget, timedOutAt: -Infinity }));

// If our clock jumped in either direction, forget everything.
const isRecent = (at: number, now: number) => Math.abs(now - at) < memoryMs;

/** Take a retry from the budget. Returns false if none is left. */
export function takeRetry(health: Health): boolean {
  if (health.retries < 1) return false;
  health.retries--;
  return true;
}

/** Limit a wait to one second if the service has recently timed out. */
export const waitLimitMs = ({ timedOutAt }: Health, ms: number, now: number): number =>
  isRecent(timedOutAt, now) ? Math.min(ms, shortWaitMs) : ms;

/** Get the clock offset of the service in milliseconds: negative if it is behind our clock, 0 if the difference is negligible. */
export const clockOffsetMs = ({ clock }: Health, now: number): number =>
  clock && isRecent(clock.at, now) && Math.abs(clock.aheadMs) > negligibleOffsetMs ? clock.aheadMs : 0;

/** Whether the clock of the service was measured lately, and agrees with ours. */
export const agreesWithUs = ({ clock }: Health, now: number): boolean =>
  clock !== undefined && isRecent(clock.at, now) && Math.abs(clock.aheadMs) <= negligibleOffsetMs;

/** Remember whether the latest request timed out, and return a retry to the budget after an answer. */
export function recordOutcome(
  health: Health,
  { status, reason }: { readonly status: string; readonly reason?: string },
  now: number,
): void {
  if (status !== 'retry_later') health.retries = Math.min(retryBudget, health.retries + 1);
  if (status === 'ok' || status === 'ended') health.timedOutAt = -Infinity;
  else if (reason === 'timeout') health.timedOutAt = now;
}

/** Measure the clock offset with the `Date` header of a response. */
export function compareClocks(health: Health, { headers }: FetchResponse, now: number): void {
  const date = Date.parse(headers.get('date') ?? '');
  if (date) health.clock = { aheadMs: date - now, at: now };
}
