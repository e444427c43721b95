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

/**
 * Send a request for tokens until the service answers, or until the next wait is too long for a call.
 *
 * @param maxRetries Maximum number of retries without another call.
 */
export async function sendWithRetries<Outcome extends Answer>(
  attempts: Attempts<Outcome>,
  send: () => Promise<Outcome>,
  now: () => number,
  maxRetries: number,
): Promise<Outcome> {
  for (;;) {
    const startedAt = now();
    const outcome = await send();
    const { status, reason, retryAfterMs } = outcome;
    const isLater = status === 'retry_later';
    if (!isLater && status !== 'misconfigured') {
      Object.assign(attempts, noAttempts(), { latest: outcome });
      return outcome;
    }
    const { failures, isLost } = attempts;
    const waitMs = retryAfterMs ?? scheduledWaitMs(failures, now() - startedAt);
    Object.assign(attempts, {
      latest: outcome,
      failures: failures + 1,
      waitMs: Math.min(waitMs, maxRetryAfterMs),
      isLost: isLost || (isLater && reason !== 'rate_limited'),
    });
    // A wrong configuration has to be corrected first.
    if (waitMs > maxWaitInCallMs || !isLater || failures >= maxRetries) return outcome;
    if (waitMs > 0) await pause(waitMs);
  }
}

/** Milliseconds that are left of a wait. If the clock was set back, the whole wait. */
const scheduledWaitMs = (failures: number, elapsedMs: number): number =>
  // The index is within the list.
  Math.max(0, waitsMs[Math.min(failures, waitsMs.length - 1)]! - Math.max(0, elapsedMs));

/**
 * Whether a request is sent again without another call: its refresh token may be used, and then only a retry gets the new one in
 * time. An unused refresh token waits for the next call, which may reach another process.
 */
export const isRetriedUnasked = (attempts: Attempts<Answer>, maxRetries: number): boolean =>
  attempts.isLost && attempts.latest?.status === 'retry_later' && attempts.failures <= maxRetries;
