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

/** Milliseconds that a request with a good session waits for the next tokens. */
const aheadWaitMs = 1_000;

/**
 * What may be the fault of how this replica is configured, or of its clock, and is then set right: its neighbours may well
 * read the cookie. Anything else is for good, and the cookie is cleared.
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

/** Milliseconds until it is worth trying again, where nobody says; 1,000 for what is not named. The long ones take a person. */
const retryMs: { readonly [Reason in RetryReason]?: number } = {
  service_refused: 30_000,
  session_too_large: 30_000,
  keys_unavailable: 5_000,
};

/** What `handle` takes for one request. */
export interface HandleOptions {
  /**
   * Has the runtime wait for a refresh that is still under way when the request has been answered: `waitUntil` of a worker's
   * context. Without it some runtimes drop the refresh together with the request.
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/** Why it is not known who is signed in. */
interface Unknown<Reason> {
  readonly reason: Reason;
  readonly cause: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** `Sessions.handle`. No request makes it throw. */
export async function handle(
  kit: SessionKit,
  request: RequestLike,
  { waitUntil }: HandleOptions = {},
): Promise<HandleResult> {
  const cookies = headerOf(request, 'cookie');
  let end: SessionEnd | undefined;
  const spared: string[] = [];
  // Most often there is one.
  for (const opened of await openedOf(kit, cookies)) {
    const { result, content, names } = opened;
    if (result.status === 'retry_later') return later(result);
    if (result.status === 'active' && !(content && isNearEnd(kit, result.session)))
      return activeOf(kit, opened, result, cookies);
    // A key may be retired before the tokens it signed have expired. The seal is ours, so the service may be asked.
    if (content && (result.status !== 'signed_out' || result.reason === 'unknown_key')) {
      const isActive = result.status === 'active';
      const refreshed = await (isActive
        ? ahead(kit, content, { dueAt: result.session.expiresAt, waitUntil })
        : refresh(kit, content, undefined, { waitUntil }));
      // The token is good for a while yet: a failure is of no interest. Nor is that the refresh token was spent already, by
      // another replica where the service does not honour idempotency keys.
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
  // There was at least one, and it had ended.
  return { ...signedOut(end!), headers: cookieHeaders(clearCookies(cookies, kit.cookie, spared)) };
}

/** New tokens for a session that is good for a while yet: nobody has to wait for long. */
const ahead = (kit: SessionKit, content: CookieContent, waiting: Waiting): Promise<Refreshed> =>
  within(aheadWaitMs, (signal) => refresh(kit, content, undefined, { ...waiting, signal })).catch((cause) =>
    transient('timeout', cause),
  );

/** What has the cookie's name, opened, the best first; also where a session was remembered but is to be refreshed. */
export const openedOf = (kit: SessionKit, cookies: string | undefined): ReturnType<SessionKit['opener']['open']> =>
  whenThere(kit.opener.open(cookies), (all) => {
    const isIn = all.every(
      (one) => one.content || one.result.status !== 'active' || !isNearEnd(kit, one.result.session),
    );
    if (isIn) return all;
    kit.opener.forget(cookies);
    return kit.opener.open(cookies);
  });

/** Whether it is time for new tokens. Of tokens that live shortly anyway, only the second half of their life. */
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
  // Sealed anew it outlives the old password. Where it would have become too long, the old seal does for now.
  const lines = outdatedPassword && content ? await sessionCookies(kit, content.sealed, cookies).catch(() => []) : [];
  return { status: 'active', session, headers: cookieHeaders(lines) };
}

/** What a refresh that has not ended the session means for the request that asked for it. */
export async function resultOf(
  kit: SessionKit,
  refreshed: Exclude<Refreshed, { readonly kind: 'ended' }>,
  cookies: string | undefined,
): Promise<ActiveResult | RetryLaterResult> {
  if (refreshed.kind === 'transient') {
    // What failed otherwise has a cause of its own, whatever our clock shows.
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

/** The result where it is not known who is signed in. */
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
