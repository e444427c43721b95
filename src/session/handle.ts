import { whenThere } from '../crypto/soon.js';
import { within } from '../http/time-limit.js';
import { cookieHeaders } from './carried-cookies.js';
import { clearCookies } from './cookies.js';
import { aheadOfUs, healthOf } from './health.js';
import { type SessionKit, sessionCookies } from './kit.js';
import type { CookieContent, Opened, ReadResult } from './reader.js';
import { type Refreshed, refresh } from './refresh.js';
import { headerOf, type RequestLike } from './request.js';
import type { ActiveResult, HandleResult, RetryLaterResult, RetryReason, SessionEnd } from './results.js';
import { transient } from './service.js';
import type { CurrentSession } from './session.js';
import type { Waiting } from './shared-refreshes.js';
import { signedOut } from './signed-out.js';

/** Milliseconds that a request with a valid session waits for a refresh. */
const aheadWaitMs = 1_000;

/**
 * Reasons caused by the configuration or the clock of this replica. Other replicas may still read the cookie, so it is kept. All
 * other reasons clear it.
 */
const mayComeBack: readonly SessionEnd[] = [
  'forged',
  'unknown_password',
  'not_yet_valid',
  'lives_too_long',
  'wrong_issuer',
  'wrong_audience',
  'wrong_client',
  'unknown_key',
];

/** Default `retryAfterMs` by reason; otherwise 1,000. Long values are for problems that need a change of the configuration. */
const retryMs: { readonly [Reason in RetryReason]?: number } = {
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
interface Unknown<Reason> {
  readonly reason: Reason;
  readonly cause: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** Implements `Sessions.handle`. No request makes it throw. */
export async function handle(
  kit: SessionKit,
  request: RequestLike,
  { waitUntil }: HandleOptions = {},
): Promise<HandleResult> {
  const cookies = headerOf(request, 'cookie');
  let end: SessionEnd | undefined;
  const spared: string[] = [];
  for (const opened of await openedOf(kit, cookies)) {
    const { result, content, names } = opened;
    if (result.status === 'retry_later') return later(result);
    if (result.status === 'active' && !(content && isNearEnd(kit, result.session)))
      return activeOf(kit, opened, result, cookies);
    // The service may retire a key before the tokens it signed have expired. The seal is valid, so a refresh is safe.
    if (content && (result.status !== 'signed_out' || result.reason === 'unknown_key')) {
      const isActive = result.status === 'active';
      const refreshed = await (isActive
        ? ahead(kit, content, { dueAt: result.session.expiresAt, waitUntil })
        : refresh(kit, content, undefined, { waitUntil }));
      // The current token still works, so ignore a failed refresh, including invalid_grant: another replica may have spent the
      // refresh token if the service ignores idempotency keys.
      if (
        isActive &&
        (refreshed.kind === 'transient' || (refreshed.kind === 'ended' && refreshed.reason === 'invalid_grant'))
      )
        return activeOf(kit, opened, result, cookies);
      if (refreshed.kind !== 'ended') return resultOf(kit, refreshed, cookies);
      end ??= refreshed.reason;
    } else if (result.status === 'signed_out') {
      end ??= result.reason;
      if (mayComeBack.includes(result.reason)) spared.push(...names);
    }
  }
  kit.opener.forget(cookies);
  // The list has at least one entry, and all of them had ended.
  return { ...signedOut(end!), headers: cookieHeaders(clearCookies(cookies, kit.cookie, spared)) };
}

/** Refresh a session that is still valid. The request waits for one second at most. */
const ahead = (kit: SessionKit, content: CookieContent, waiting: Waiting): Promise<Refreshed> =>
  within(aheadWaitMs, (signal) => refresh(kit, content, undefined, { ...waiting, signal })).catch((cause) =>
    transient('timeout', cause),
  );

/** Open all cookies of this name, best first. Bypasses the cache if the session is due for a refresh. */
export const openedOf = (kit: SessionKit, cookies: string | undefined): ReturnType<SessionKit['opener']['open']> =>
  whenThere(kit.opener.open(cookies), (all) => {
    const isIn = all.every(
      (one) => one.content || one.result.status !== 'active' || !isNearEnd(kit, one.result.session),
    );
    if (isIn) return all;
    kit.opener.forget(cookies);
    return kit.opener.open(cookies);
  });

/** Whether the tokens are due for a refresh. Tokens with a short lifetime are not refreshed before half of it has passed. */
function isNearEnd({ aheadMs, now }: SessionKit, { expiresAt, claims }: CurrentSession): boolean {
  const lifeMs = typeof claims.iat === 'number' ? Math.max(0, expiresAt - claims.iat * 1_000) : Infinity;
  return expiresAt - now() < Math.min(aheadMs, lifeMs / 2);
}

async function activeOf(
  kit: SessionKit,
  { content }: Opened,
  { session, outdatedPassword }: Extract<ReadResult, { readonly status: 'active' }>,
  cookies: string | undefined,
): Promise<ActiveResult> {
  // Reseal with the new password. If the result is too large, keep the old seal for now.
  const lines = outdatedPassword && content ? await sessionCookies(kit, content.sealed, cookies).catch(() => []) : [];
  return { status: 'active', session, headers: cookieHeaders(lines) };
}

/** Turn the outcome of a refresh into a result. The session has not ended. */
export async function resultOf(
  kit: SessionKit,
  refreshed: Exclude<Refreshed, { readonly kind: 'ended' }>,
  cookies: string | undefined,
): Promise<ActiveResult | RetryLaterResult> {
  if (refreshed.kind === 'transient') {
    // Only an unexpected answer can be caused by the clock.
    const isClock = refreshed.reason === 'unexpected_answer' && aheadOfUs(healthOf(kit), kit.now()) !== 0;
    kit.report(isClock ? { ...refreshed, reason: 'wrong_clock' } : refreshed);
    return later(refreshed);
  }
  kit.opener.forget(cookies);
  try {
    const lines = await sessionCookies(kit, refreshed.sealed, cookies);
    return { status: 'refreshed', session: refreshed.session, headers: cookieHeaders(lines) };
  } catch (cause) {
    return later({ reason: 'session_too_large', cause });
  }
}

/** Create a `retry_later` result. */
export const later = <Reason extends RetryReason>({
  reason,
  cause,
  retryAfterMs = retryMs[reason] ?? 1_000,
}: Unknown<Reason>): RetryLaterResult & { readonly reason: Reason } => ({
  status: 'retry_later',
  session: null,
  reason,
  retryAfterMs,
  cause,
  headers: new Headers(),
});
