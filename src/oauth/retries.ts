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
  readonly retryAfterMs?: number | undefined;
}

/** The outcome of one or more attempts. */
export interface Attempts<Outcome> {
  readonly outcome: Outcome;
  /** Number of consecutive attempts without an answer. */
  readonly failures: number;
  /** Milliseconds until the request may be sent again; 0 after an answer. */
  readonly waitMs: number;
}

/** How to retry a request. */
export interface RetryOptions {
  readonly now: () => number;
  /** Maximum number of retries without another call. */
  readonly maxRetries: number;
}

/**
 * Send a request for tokens, and again while there is no answer, until the next wait is too long for a call.
 *
 * @param failures Number of consecutive attempts without an answer before this call.
 */
export async function sendWithRetries<Outcome extends Answer>(
  send: () => Promise<Outcome>,
  failures: number,
  { now, maxRetries }: RetryOptions,
): Promise<Attempts<Outcome>> {
  const startedAt = now();
  const outcome = await send();
  if (!isFailure(outcome)) return { outcome, failures: 0, waitMs: 0 };
  const waitMs = outcome.retryAfterMs ?? scheduledWaitMs(failures, now() - startedAt);
  const attempts = { outcome, failures: failures + 1, waitMs: Math.min(waitMs, maxRetryAfterMs) };
  if (waitMs > maxWaitInCallMs || !isRetried(attempts, maxRetries)) return attempts;
  if (waitMs > 0) await pause(waitMs);
  return sendWithRetries(send, attempts.failures, { now, maxRetries });
}

/** Milliseconds that are left of a wait. If the clock was set back, the whole wait. */
function scheduledWaitMs(failures: number, elapsedMs: number): number {
  const waitMs = waitsMs[failures] ?? waitsMs[waitsMs.length - 1]!;
  return Math.max(0, waitMs - Math.max(0, elapsedMs));
}

const isFailure = ({ status }: Answer): boolean => status === 'retry_later' || status === 'misconfigured';

/** Whether a request is sent again by itself. A wrong configuration has to be corrected first. */
export const isRetried = (
  { outcome, failures }: Pick<Attempts<Answer>, 'outcome' | 'failures'>,
  maxRetries: number,
): boolean => outcome.status === 'retry_later' && failures <= maxRetries;
