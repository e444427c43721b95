import { within } from '../../async/time-limit.js';
import { andThen } from '../../crypto/maybe-promise.js';
import { clearCookies } from '../cookie/cookies.js';
import { cookieHeaders } from '../cookie/response-cookies.js';
import type { CookieContent, Opened, ReadResult } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';
import { signedOut } from '../read/signed-out.js';
import { clockOffsetMs, healthOf } from '../refresh/health.js';
import { type RefreshOutcome, refresh } from '../refresh/refresh.js';
import type { ActiveResult, HandleResult, RetryLaterResult, RetryReason, SessionEnd } from '../refresh/results.js';
import { transient } from '../refresh/service.js';
import type { WaitOptions } from '../refresh/shared-refreshes.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { type SessionContext, sessionCookies } from './session-context.js';

/** Milliseconds that a request with a valid session waits for a refresh. */
const maxAheadWaitMs = 1_000;

/**
 * Reasons caused by the configuration or the clock of this replica. Other replicas may still read the cookie, so it is kept. All
 * other reasons clear it.
 */
const recoverableReasons: readonly SessionEnd[] = [
  'forged',
  'unknown_password',
  'not_yet_valid',
  'lives_too_long',
  'wrong_issuer',
  'wrong_audience',
  'wrong_client',
  'unknown_key',
];

/**
 * Default `retryAfterMs` by reason; otherwise 1,000. The long values are for problems that only a configuration change can fix.
 */
const retryDelaysMs: { readonly [Reason in RetryReason]?: number } = {
  service_refused: 30_000,
  session_too_large: 30_000,
  keys_unavailable: 5_000,
};

/** Options of `handle`. */
export interface HandleOptions {
  /**
   * Keeps the runtime alive for a refresh that outlasts the response: `waitUntil` of a worker's context. Without it, some runtimes
   * cancel the refresh when the request ends.
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/** Why the session cannot be checked right now. */
interface RetryCause<Reason> {
  readonly reason: Reason;
  readonly cause: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** Implement `Sessions.handle`. Never throws for an invalid request. */
export async function handle(
  context: SessionContext,
  request: RequestLike,
  { waitUntil }: HandleOptions = {},
): Promise<HandleResult> {
  const cookies = headerOf(request, 'cookie');
  let endReason: SessionEnd | undefined;
  const keptNames: string[] = [];
  for (const opened of await openCookies(context, cookies)) {
    const { result, content, names } = opened;
    if (result.status === 'retry_later') return retryLater(result);
    if (result.status === 'active' && !(content && isNearEnd(context, result.session)))
      return activeResult(context, opened, result, cookies);
    // The service may retire a key before the tokens it signed have expired. The seal is valid, so a refresh is safe.
    if (content && (result.status !== 'signed_out' || result.reason === 'unknown_key')) {
      const isActive = result.status === 'active';
      const refreshed = await (isActive
        ? refreshAhead(context, content, { dueAt: result.session.expiresAtMs, waitUntil })
        : refresh(context, content, undefined, { waitUntil }));
      // The current token still works, so ignore a failed refresh, including invalid_grant: another replica may have spent the
      // refresh token if the service ignores idempotency keys.
      if (
        isActive &&
        (refreshed.kind === 'transient' || (refreshed.kind === 'ended' && refreshed.reason === 'invalid_grant'))
      )
        return activeResult(context, opened, result, cookies);
      if (refreshed.kind !== 'ended') return refreshResult(context, refreshed, cookies);
      endReason ??= refreshed.reason;
    } else if (result.status === 'signed_out') {
      endReason ??= result.reason;
      if (recoverableReasons.includes(result.reason)) keptNames.push(...names);
    }
  }
  context.opener.forget(cookies);
  // There was at least one cookie, and none of them has a session.
  return { ...signedOut(endReason!), headers: cookieHeaders(clearCookies(cookies, context.cookie, keptNames)) };
}

/** Refresh a session that is still valid. The request waits for one second at most. */
const refreshAhead = (context: SessionContext, content: CookieContent, waiting: WaitOptions): Promise<RefreshOutcome> =>
  within(maxAheadWaitMs, (signal) => refresh(context, content, undefined, { ...waiting, signal })).catch((cause) =>
    transient('timeout', cause),
  );

/** Open all cookies of this name, best first. Bypasses the cache if the session is due for a refresh. */
export const openCookies = (
  context: SessionContext,
  cookies: string | undefined,
): ReturnType<SessionContext['opener']['open']> =>
  andThen(context.opener.open(cookies), (all) => {
    const isUsable = all.every(
      (one) => one.content || one.result.status !== 'active' || !isNearEnd(context, one.result.session),
    );
    if (isUsable) return all;
    context.opener.forget(cookies);
    return context.opener.open(cookies);
  });

/** Whether the tokens are due for a refresh. Tokens with a short lifetime are not refreshed before half of it has passed. */
function isNearEnd({ aheadMs, now }: SessionContext, { expiresAtMs, claims }: CurrentSession): boolean {
  const lifeMs = typeof claims.iat === 'number' ? Math.max(0, expiresAtMs - claims.iat * 1_000) : Infinity;
  return expiresAtMs - now() < Math.min(aheadMs, lifeMs / 2);
}

async function activeResult(
  context: SessionContext,
  { content }: Opened,
  { session, outdatedPassword }: Extract<ReadResult, { readonly status: 'active' }>,
  cookies: string | undefined,
): Promise<ActiveResult> {
  // Reseal with the new password. If the result is too large, keep the old seal for now.
  const lines =
    outdatedPassword && content ? await sessionCookies(context, content.sealed, cookies).catch(() => []) : [];
  return { status: 'active', session, headers: cookieHeaders(lines) };
}

/** Turn the outcome of a refresh into a result. The session has not ended. */
export async function refreshResult(
  context: SessionContext,
  refreshed: Exclude<RefreshOutcome, { readonly kind: 'ended' }>,
  cookies: string | undefined,
): Promise<ActiveResult | RetryLaterResult> {
  if (refreshed.kind === 'transient') {
    // A wrong clock can only cause an unexpected response.
    const isClock = refreshed.reason === 'unexpected_answer' && clockOffsetMs(healthOf(context), context.now()) !== 0;
    context.report(isClock ? { ...refreshed, reason: 'wrong_clock' } : refreshed);
    return retryLater(refreshed);
  }
  context.opener.forget(cookies);
  try {
    const lines = await sessionCookies(context, refreshed.sealed, cookies);
    return { status: 'refreshed', session: refreshed.session, headers: cookieHeaders(lines) };
  } catch (cause) {
    return retryLater({ reason: 'session_too_large', cause });
  }
}

/** Create a `retry_later` result. */
export const retryLater = <Reason extends RetryReason>({
  reason,
  cause,
  retryAfterMs = retryDelaysMs[reason] ?? 1_000,
}: RetryCause<Reason>): RetryLaterResult & { readonly reason: Reason } => ({
  status: 'retry_later',
  session: null,
  reason,
  retryAfterMs,
  cause,
  headers: new Headers(),
});
