import { within } from '../http/time-limit.js';
import { clearCookies } from './cookies.js';
import { cookieHeaders, type SessionKit, sessionCookies } from './kit.js';
import type { Opened, ReadResult } from './reader.js';
import { type Refreshed, refresh } from './refresh.js';
import { headerOf, type RequestLike } from './request.js';
import type {
  ActiveResult,
  HandleResult,
  RetryLaterResult,
  RetryReason,
  SessionEnd,
  SignedOutResult,
} from './results.js';
import type { CurrentSession } from './session.js';

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

/** `Sessions.handle`. No request makes it throw. */
export async function handle(kit: SessionKit, request: RequestLike): Promise<HandleResult> {
  const cookies = headerOf(request, 'cookie');
  const opened = await openedOf(kit, cookies);
  const { result, content } = opened;

  if (result.status === 'active') {
    if (!content || !isNearEnd(kit, result.session)) return activeOf(kit, opened, result, cookies);
    // The token is good for a while yet: nobody has to wait for long, and a failure is of no interest.
    const refreshed = await within(aheadWaitMs, () => refresh(kit, content)).catch(() => undefined);
    if (!refreshed || refreshed.kind === 'transient') return activeOf(kit, opened, result, cookies);
    return resultOf(kit, refreshed, cookies);
  }
  if (result.status === 'retry_later') return later(result.reason, result.cause, result.retryAfterMs);
  // A key may be retired before the tokens it signed have expired. The seal is ours, so the service may be asked.
  if (result.status === 'signed_out' && !(content && result.reason === 'unknown_key'))
    return signedOut(kit, result.reason, cookies);
  // What has expired was opened.
  return resultOf(kit, await refresh(kit, content!), cookies);
}

/** The cookie, opened; also where the session was remembered but is to be refreshed. */
export async function openedOf(kit: SessionKit, cookies: string | undefined): Promise<Opened> {
  const opened = await kit.opener.open(cookies);
  if (opened.content || opened.result.status !== 'active' || !isNearEnd(kit, opened.result.session)) return opened;
  kit.opener.forget(cookies);
  return kit.opener.open(cookies);
}

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

/** What a refresh means for the request that asked for it. */
export async function resultOf(
  kit: SessionKit,
  refreshed: Refreshed,
  cookies: string | undefined,
): Promise<HandleResult> {
  if (refreshed.kind === 'transient') return later(refreshed.reason, refreshed.cause, refreshed.retryAfterMs);
  kit.opener.forget(cookies);
  if (refreshed.kind === 'ended') return signedOut(kit, refreshed.reason, cookies);
  try {
    const lines = await sessionCookies(kit, refreshed.sealed, cookies);
    return { status: 'refreshed', session: refreshed.session, headers: cookieHeaders(lines) };
  } catch (cause) {
    return later('session_too_large', cause);
  }
}

const later = (reason: RetryReason, cause: unknown, retryAfterMs = retryMs[reason] ?? 1_000): RetryLaterResult => ({
  status: 'retry_later',
  session: null,
  reason,
  retryAfterMs,
  cause,
  headers: new Headers(),
});

const signedOut = ({ cookie }: SessionKit, reason: SessionEnd, cookies: string | undefined): SignedOutResult => ({
  status: 'signed_out',
  session: null,
  reason,
  headers: cookieHeaders(mayComeBack.includes(reason) ? [] : clearCookies(cookies, cookie)),
});
