import { Late, pause, within } from '../../async/time-limit.js';
import { readJson } from '../../http/body.js';
import { checkedResponse } from '../../http/response.js';
import { type GrantRefusal, tokenAnswer, type UnansweredReason } from '../../oauth/token-answer.js';
import { type Grant, type TokenClient, tokenRequest } from '../../oauth/token-request.js';
import type { AuthenticationResponse } from '../../service/authentication.js';
import type { SentGrant } from '../read/token-errors.js';
import { compareClocks, hasTimedOut, healthOf, retryBudget } from './health.js';

/** Why the response of the service is not known. */
export type TransientReason =
  /** The connection failed, perhaps after the service had handled the request. */
  | 'network_error'
  | 'timeout'
  | UnansweredReason
  /** The service rejects the client id, the API key or the URL: the configuration is wrong, not the session. */
  | 'service_refused'
  /** Another process has held the lock of the refresh for too long, or the service refused a refresh while the store was down. */
  | 'store_unavailable';

/** Outcome of a token request. */
export type GrantOutcome =
  | { readonly kind: 'tokens'; readonly tokens: AuthenticationResponse }
  | {
      readonly kind: 'rejected';
      readonly error: GrantRefusal;
      /** Set if the store was down. Use this instead of the rejection, because another replica may have the new tokens. */
      readonly transient?: Transient<TransientReason>;
    }
  | Transient<TransientReason>;

/** The outcome is not known yet. */
export interface Transient<Reason> {
  readonly kind: 'transient';
  readonly reason: Reason;
  /** Contains no tokens or keys. */
  readonly cause: unknown;
  /** Delay requested by the service, or undefined if there is none. */
  readonly retryAfterMs: number | undefined;
}

/** Create a transient outcome. */
export const transient = <Reason>(reason: Reason, cause: unknown, retryAfterMs?: number): Transient<Reason> => ({
  kind: 'transient',
  reason,
  cause,
  retryAfterMs,
});

/** Create the outcome for a client that the service rejects. */
export const serviceRefused = async ({ status, code }: GrantRefusal): Promise<Transient<'service_refused'>> =>
  transient('service_refused', (await import('../read/token-errors.js')).rejectedClientError(status, code));

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
  readonly fetcher: () => typeof fetch;
  readonly limits: GrantLimits;
}

/** Sends a grant. The idempotency key makes retries safe. A request that has failed before is not retried. Never rejects. */
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

/** Create the function that requests tokens with a refresh token or a code. */
export function authenticator(config: ServiceConfig): Authenticate {
  const { fetcher, now } = config;
  const { timeoutMs, deadlineMs, maxRetries } = config.limits;
  return async (grant, idempotencyKey, flight) => {
    const { url, init } = tokenRequest(config, grant, idempotencyKey);
    const sentGrant = { ...grant, apiKey: config.apiKey, idempotencyKey };
    const health = healthOf(config);
    const attempt = async (signal: AbortSignal): Promise<GrantOutcome> => {
      // Following a redirect would send the tokens to its target.
      const response = checkedResponse(await fetcher()(url, { ...init, redirect: 'manual', signal }));
      health.timedOutAt = -Infinity;
      compareClocks(health, response, now());
      return outcomeOfResponse(response, sentGrant);
    };
    const end = Date.now() + deadlineMs;
    for (let retries = 0; ; retries++) {
      const remainingMs = Math.max(1, Math.min(timeoutMs, end - Date.now()));
      const outcome = await within(remainingMs, attempt).catch((cause) => outcomeOfError(cause, sentGrant));
      if (outcome.kind !== 'transient' || outcome.reason === 'service_refused') {
        health.retries = Math.min(retryBudget, health.retries + 1);
        return outcome;
      }
      // Only the first request that times out retries; the others give up.
      const hadTimedOut = hasTimedOut(health, now());
      if (outcome.reason === 'timeout') health.timedOutAt = now();
      if (flight?.hasFailed || retries >= maxRetries || (hadTimedOut && outcome.reason === 'timeout')) return outcome;
      const waitMs = outcome.retryAfterMs ?? retries * backoffMs;
      if (waitMs > maxWaitMs || Date.now() + waitMs >= end || health.retries < 1) return outcome;
      health.retries--;
      if (waitMs > 0) await pause(waitMs);
    }
  };
}

async function outcomeOfError(thrown: unknown, sent: SentGrant): Promise<GrantOutcome> {
  if (thrown instanceof Late) return transient('timeout', thrown);
  const failures = await import('../read/token-errors.js').catch(() => undefined);
  return transient('network_error', failures?.causeWithoutSecrets(thrown, sent));
}

async function outcomeOfResponse(response: Response, sent: SentGrant): Promise<GrantOutcome> {
  const answer = await tokenAnswer(response, (answer) => readJson(answer, maxAnswerBytes));
  if (answer.kind === 'tokens') return answer;
  const { refusalWithoutSecrets, noTokensError } = await import('../read/token-errors.js');
  if (answer.kind === 'unanswered') return transient(answer.reason, noTokensError(response), answer.retryAfterMs);
  const error = refusalWithoutSecrets(answer.error, sent);
  return answer.kind === 'refused' ? serviceRefused(error) : { kind: answer.kind, error };
}
