import { pause } from '../async/time-limit.js';

/**
 * Milliseconds before each retry of a request for tokens, from the start of the attempt before it. Later retries wait as long as
 * the last one. The public service accepts a used refresh token for 30 seconds, so the first three retries start within 20
 * seconds, even if every attempt times out after `attemptMs`.
 */
const waitsMs = [500, 2_000, 8_000] as const;
/** How many retries start by themselves, without another call. */
export const defaultMaxRetries = waitsMs.length;
/** Milliseconds for one attempt, including the body. */
export const attemptMs = 5_000;
/** Maximum wait that the service can request. */
const maxRetryAfterMs = 30_000;
/** Maximum wait inside a call, because a user is waiting for the page. */
const maxWaitInCallMs = 1_000;

/** The fields of an outcome that retries depend on. */
interface Answer {
  readonly status: string;
  readonly reason?: string;
  readonly retryAfterMs?: number | undefined;
}

/** The attempts at one request for tokens, up to its answer. */
export interface Attempts<Outcome> {
  /** The outcome of the latest attempt. */
  latest: Outcome | undefined;
  /** Number of consecutive attempts without an answer. */
  failures: number;
  /** Milliseconds until the request may be sent again; 0 after an answer. */
  waitMs: number;
  /** Whether the service may have handled one of them. It has not handled a request that it answers with 429. */
  isLost: boolean;
}

/** Start counting attempts. */
export const noAttempts = <Outcome>(): Attempts<Outcome> => ({
  latest: undefined,
  failures: 0,
  waitMs: 0,
  isLost: false,
});

/** How to retry a request. */
export interface RetryOptions {
  readonly now: () => number;
  /** Maximum number of retries without another call. */
  readonly maxRetries: number;
}

/** Send a request for tokens until the service answers, or until the next wait is too long for a call. */
export async function sendWithRetries<Outcome extends Answer>(
  attempts: Attempts<Outcome>,
  send: () => Promise<Outcome>,
  { now, maxRetries }: RetryOptions,
): Promise<Outcome> {
  const startedAt = now();
  const outcome = await send();
  const { status, reason, retryAfterMs } = outcome;
  if (status !== 'retry_later' && status !== 'misconfigured') {
    Object.assign(attempts, noAttempts(), { latest: outcome });
    return outcome;
  }
  const waitMs = retryAfterMs ?? scheduledWaitMs(attempts.failures, now() - startedAt);
  attempts.latest = outcome;
  attempts.failures++;
  attempts.waitMs = Math.min(waitMs, maxRetryAfterMs);
  attempts.isLost ||= status === 'retry_later' && reason !== 'rate_limited';
  // A wrong configuration has to be corrected first.
  if (waitMs > maxWaitInCallMs || status === 'misconfigured' || attempts.failures > maxRetries) return outcome;
  if (waitMs > 0) await pause(waitMs);
  return sendWithRetries(attempts, send, { now, maxRetries });
}

/** Milliseconds that are left of a wait. If the clock was set back, the whole wait. */
function scheduledWaitMs(failures: number, elapsedMs: number): number {
  const waitMs = waitsMs[failures] ?? waitsMs[waitsMs.length - 1]!;
  return Math.max(0, waitMs - Math.max(0, elapsedMs));
}

/**
 * Whether a request is sent again without another call: its refresh token may be used, and then only a retry gets the new one in
 * time. An unused refresh token waits for the next call, which may reach another process.
 */
export const isRetriedUnasked = (attempts: Attempts<Answer>, maxRetries: number): boolean =>
  attempts.isLost && attempts.latest?.status === 'retry_later' && attempts.failures <= maxRetries;
