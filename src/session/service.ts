import { readJson } from '../http/body.js';
import { checkedResponse } from '../http/response.js';
import { Late, pause, within } from '../http/time-limit.js';
import { type GrantRefusal, tokenAnswer, type UnansweredReason } from '../oauth/token-answer.js';
import { type Grant, type TokenClient, tokenRequest } from '../oauth/token-request.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import type { Sent } from './failures.js';
import { compareClocks, healthOf, isLate, mostRetries } from './health.js';

/** Why it is not known what the service would say. */
export type TransientReason =
  /** The connection failed, perhaps after the service had done what was asked. */
  | 'network_error'
  | 'timeout'
  | UnansweredReason
  /** The service does not accept client id, API key or address: a fault of the configuration and not of the session. */
  | 'service_refused'
  /** Somebody holds the lock of the refresh for too long, or the service refused a refresh while the store was down. */
  | 'store_unavailable';

/** What asking for tokens comes to. */
export type GrantOutcome =
  | { readonly kind: 'tokens'; readonly tokens: AuthenticationResponse }
  | {
      readonly kind: 'rejected';
      readonly error: GrantRefusal;
      /** What it counts for where another replica may have the new tokens: the store was down. */
      readonly transient?: Transient<TransientReason>;
    }
  | Transient<TransientReason>;

/** Not known yet. */
export interface Transient<Reason> {
  readonly kind: 'transient';
  readonly reason: Reason;
  /** Holds no token and no key. */
  readonly cause: unknown;
  /** As the service asks; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;
}

/** Says that something is not known yet, and why. */
export const transient = <Reason>(reason: Reason, cause: unknown, retryAfterMs?: number): Transient<Reason> => ({
  kind: 'transient',
  reason,
  cause,
  retryAfterMs,
});

/** What the service answers to somebody whom it does not know. */
export const refused = async ({ status, code }: GrantRefusal): Promise<Transient<'service_refused'>> =>
  transient('service_refused', (await import('./failures.js')).unknownClient(status, code));

/** How long a grant may take. */
export interface GrantLimits {
  /** Milliseconds for one attempt, its body included. */
  readonly timeoutMs: number;
  /** Milliseconds for all attempts and the waits between them. */
  readonly deadlineMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
}

/** What asking for tokens needs. */
export interface ServiceConfig extends TokenClient {
  /** Tells services and clients apart in what the process knows of them. */
  readonly scope: string;
  readonly now: () => number;
  /** The function that fetches. */
  readonly fetcher: () => typeof fetch;
  readonly limits: GrantLimits;
}

/** Sends a grant; the idempotency key makes that safe to repeat, but what has failed before is sent once. Never rejects. */
export type Authenticate = (
  grant: Grant,
  idempotencyKey: string,
  flight?: { readonly hasFailed: boolean },
) => Promise<GrantOutcome>;

/** Largest answer that is read, in bytes. */
const longest = 1024 * 1024;
/** The longest wait between attempts: somebody waits for a page. */
const longestWaitMs = 1_000;
/** Wait before the second retry, growing with each; the first comes at once, for most often a kept connection had gone stale. */
const backoffMs = 200;

/**
 * The one request that sessions make of the service: tokens for a refresh token or a code.
 */
export function authenticator(config: ServiceConfig): Authenticate {
  const { fetcher, now } = config;
  const { timeoutMs, deadlineMs, maxRetries } = config.limits;
  return async (grant, idempotencyKey, flight) => {
    const { url, init } = tokenRequest(config, grant, idempotencyKey);
    const sent = { ...grant, apiKey: config.apiKey, idempotencyKey };
    const health = healthOf(config);
    const attempt = async (signal: AbortSignal): Promise<GrantOutcome> => {
      // Followed, a redirect would carry the tokens to wherever it points.
      const response = checkedResponse(await fetcher()(url, { ...init, redirect: 'manual', signal }));
      health.lateAt = -Infinity;
      compareClocks(health, response, now());
      return outcomeOf(response, sent);
    };
    const end = Date.now() + deadlineMs;
    for (let retries = 0; ; retries++) {
      const remainingMs = Math.max(1, Math.min(timeoutMs, end - Date.now()));
      const outcome = await within(remainingMs, attempt).catch((cause) => failed(cause, sent));
      if (outcome.kind !== 'transient' || outcome.reason === 'service_refused') {
        health.retries = Math.min(mostRetries, health.retries + 1);
        return outcome;
      }
      // The first who waits in vain tries again, and those who come after it leave it at that.
      const wasLate = isLate(health, now());
      if (outcome.reason === 'timeout') health.lateAt = now();
      if (flight?.hasFailed || retries >= maxRetries || (wasLate && outcome.reason === 'timeout')) return outcome;
      const waitMs = outcome.retryAfterMs ?? retries * backoffMs;
      if (waitMs > longestWaitMs || Date.now() + waitMs >= end || health.retries < 1) return outcome;
      health.retries--;
      if (waitMs > 0) await pause(waitMs);
    }
  };
}

async function failed(thrown: unknown, sent: Sent): Promise<GrantOutcome> {
  if (thrown instanceof Late) return transient('timeout', thrown);
  const words = await import('./failures.js').catch(() => undefined);
  return transient('network_error', words?.causeWithoutSecrets(thrown, sent));
}

async function outcomeOf(response: Response, sent: Sent): Promise<GrantOutcome> {
  const answer = await tokenAnswer(response, (answer) => readJson(answer, longest));
  if (answer.kind === 'tokens') return answer;
  const { refusalWithoutSecrets, unanswered } = await import('./failures.js');
  if (answer.kind === 'unanswered') return transient(answer.reason, unanswered(response), answer.retryAfterMs);
  const error = refusalWithoutSecrets(answer.error, sent);
  return answer.kind === 'refused' ? refused(error) : { kind: answer.kind, error };
}
