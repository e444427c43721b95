import { subscribed } from '../../async/diagnostics.js';
import { within } from '../../async/time-limit.js';
import {
  keepsCurrentToken,
  type Misconfigured,
  type RetryLater,
  replicaFaults,
  retryLater,
} from '../../oauth/outcome.js';
import { clearCookies, cookieHeaders } from '../cookie/cookies.js';
import { dropCookiesIf } from '../cookie/response-cookies.js';
import { sessionCookies } from '../cookie/sealed-session.js';
import { limitPolicy } from '../read/limit-policy.js';
import type { CookieContent, OpenedCookie, ReadResult } from '../read/reader.js';
import { isSuperseded } from '../read/recent-changes.js';
import { type CurrentSession, signedOut } from '../read/session.js';
import { clockOffsetMs, serviceHealth } from '../refresh/authenticator.js';
import { type RefreshOutcome, refresh } from '../refresh/refresh.js';
import type {
  ActiveResult,
  HandleResult,
  RetryLaterResult,
  RetryReason,
  SessionEnd,
  SessionResultRecord,
} from '../refresh/results.js';
import type { WaitOptions } from '../refresh/shared-refreshes.js';
import { headerOf, type RequestLike } from '../request/request.js';
import type { SignedOutEvent } from './hooks.js';
import { callSignedOut } from './run-hook.js';
import type { SessionContext } from './session-context.js';

/** Milliseconds that a request with a valid session waits for a refresh. */
const maxAheadWaitMs = 1_000;

/**
 * Default `retryAfterMs` by reason; otherwise 1,000. The long values are for problems that only a configuration change can fix.
 */
const retryDelaysMs: { readonly [Reason in RetryReason]?: number } = {
  service_refused: 30_000,
  session_too_large: 30_000,
  keys_unavailable: 5_000,
};

/** Reasons that keep the cookie. */
const recoverableReasons: readonly SessionEnd[] = replicaFaults;

/** Options of `handle`. */
export interface HandleOptions {
  /**
   * Keeps the runtime alive for a refresh that outlasts the response: `waitUntil` of a worker's context. Without it, some runtimes
   * cancel the refresh when the request ends.
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/** Why the session cannot be checked right now. */
export interface RetryCause<Reason> {
  readonly reason: Reason;
  readonly cause: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** Implement `Sessions.handle`. Never throws for an invalid request. */
export async function handle(
  context: SessionContext,
  request: RequestLike,
  options?: HandleOptions,
): Promise<HandleResult> {
  const { result } = await handleCookies(context, request, options);
  if (!result.session)
    subscribed<SessionResultRecord>('session:result')?.publish({ status: result.status, reason: result.reason });
  return result.session ? (await limitPolicy(context)).noteActivity(context, request, result) : result;
}

/** Handle the cookies of a request, and return the one with the session. */
export async function handleCookies(
  context: SessionContext,
  request: RequestLike,
  { waitUntil }: HandleOptions = {},
): Promise<OpenedCookie<HandleResult>> {
  const cookies = headerOf(request, 'cookie');
  const reasons: SessionEnd[] = [];
  const keptNames: string[] = [];
  const ended: [CurrentSession, SessionEnd][] = [];
  for (const opened of await openCookies(context, cookies)) {
    const handled = await handleOne(context, opened, request, waitUntil);
    if (handled.result.status !== 'signed_out') return handled;
    const { reason } = handled.result;
    reasons.push(reason);
    if (recoverableReasons.includes(reason)) keptNames.push(...handled.names);
    if (handled.ended) ended.push([handled.ended, reason]);
  }
  context.opener.forget(cookies);
  // Only reasons that end a session come with one.
  for (const [session, reason] of ended) await callSignedOut(context, session, reason as SignedOutEvent['reason']);
  // There was at least one cookie, and none of them has a session.
  const [reason] = reasons as [SessionEnd];
  const lines = clearCookies(cookies, context.cookie, keptNames);
  if (lines.length > 0) lines.push(...(await limitPolicy(context)).endedCookies(context, reason, cookies));
  return { result: { ...signedOut(reason), headers: cookieHeaders(lines) }, names: [] };
}

async function handleOne(
  context: SessionContext,
  opened: OpenedCookie,
  request: RequestLike,
  waitUntil: HandleOptions['waitUntil'],
): Promise<OpenedCookie<HandleResult>> {
  const { result, content } = opened;
  if (result.status === 'retry_later') return { ...opened, result: retryLaterResult(result) };
  // The service may retire a key before the tokens it signed have expired. The seal is valid, so a refresh is safe.
  if (result.status === 'signed_out' && !(content && result.reason === 'unknown_key'))
    return { ...opened, result: endedResult(result.reason) };
  if (result.status !== 'active')
    // Only cached results have no content, and these are active.
    return handleOutcome(context, await refresh(context, content!, undefined, { waitUntil }), request, opened);
  const current = async () => ({ ...opened, result: await activeResult(context, opened, result, request) });
  if (!content || !isNearEnd(context, result.session)) return current();
  const outcome = await refreshAhead(context, content, { dueAt: result.session.expiresAtMs, waitUntil });
  return keepsCurrentToken(outcome) ? current() : handleOutcome(context, outcome, request, opened);
}

/** Refresh a session that is still valid. The request waits for one second at most. */
const refreshAhead = (context: SessionContext, content: CookieContent, waiting: WaitOptions): Promise<RefreshOutcome> =>
  within(maxAheadWaitMs, (signal) => refresh(context, content, undefined, { ...waiting, signal })).catch((cause) =>
    retryLater('timeout', cause),
  );

/** Create the result for a cookie without a session. */
const endedResult = (reason: SessionEnd): HandleResult => ({ ...signedOut(reason), headers: new Headers() });

/** Open all cookies of this name, best first. Bypasses the cache if the session is due for a refresh. */
export async function openCookies(
  context: SessionContext,
  cookies: string | undefined,
): Promise<readonly [OpenedCookie, ...OpenedCookie[]]> {
  const all = await context.opener.open(cookies);
  const isUsable = all.every(
    (one) => one.content || one.result.status !== 'active' || !isNearEnd(context, one.result.session),
  );
  if (isUsable) return all;
  context.opener.forget(cookies);
  return context.opener.open(cookies);
}

/** Whether the tokens are due for a refresh. Tokens with a short lifetime are not refreshed before half of it has passed. */
function isNearEnd({ aheadMs, now }: SessionContext, { expiresAtMs, claims }: CurrentSession): boolean {
  const lifeMs = typeof claims.iat === 'number' ? Math.max(0, expiresAtMs - claims.iat * 1_000) : Infinity;
  return expiresAtMs - now() < Math.min(aheadMs, lifeMs / 2);
}

async function activeResult(
  context: SessionContext,
  { content }: OpenedCookie,
  { session, outdatedPassword }: Extract<ReadResult, { readonly status: 'active' }>,
  request: RequestLike,
): Promise<ActiveResult> {
  // Reseal with the new password. If the result is too large, keep the old seal for now.
  const lines =
    outdatedPassword && content
      ? await sessionCookies(context, content.sealed, headerOf(request, 'cookie')).catch(() => [])
      : [];
  return { status: 'active', session, headers: lateHeaders(context, session, lines) };
}

/** Turn the outcome of a refresh into a result. */
const handleOutcome = async (
  context: SessionContext,
  outcome: RefreshOutcome,
  request: RequestLike,
  { result: { session } }: OpenedCookie,
): Promise<OpenedCookie<HandleResult>> =>
  outcome.status === 'ended'
    ? { result: endedResult(outcome.reason), names: [], ended: session ?? undefined }
    : { result: await refreshResult(context, outcome, request), content: contentOf(context, outcome), names: [] };

/** Return the content of the cookie that a refresh brings. */
const contentOf = ({ ring }: SessionContext, outcome: RefreshOutcome): CookieContent | undefined =>
  outcome.status === 'ok' ? { sealed: outcome.sealed, entry: ring.first() } : undefined;

/** Turn the outcome of a refresh into a result. The session has not ended. */
export async function refreshResult(
  context: SessionContext,
  outcome: Exclude<RefreshOutcome, { readonly status: 'ended' }>,
  request: RequestLike,
): Promise<ActiveResult | RetryLaterResult> {
  if (outcome.status !== 'ok') {
    const failure = retryCauseOf(outcome);
    // A wrong clock can only cause an unexpected response.
    const isClock =
      failure.reason === 'unexpected_answer' && clockOffsetMs(serviceHealth(context), context.now()) !== 0;
    context.report(isClock ? { ...failure, reason: 'wrong_clock' } : failure);
    return retryLaterResult(failure);
  }
  const cookies = headerOf(request, 'cookie');
  context.opener.forget(cookies);
  let lines: string[];
  try {
    lines = await sessionCookies(context, outcome.sealed, cookies);
  } catch (cause) {
    return retryLaterResult({ reason: 'session_too_large', cause });
  }
  const session = await withEndOf(context, outcome.session, cookies);
  const result = { status: 'refreshed', session, headers: lateHeaders(context, session, lines) } as const;
  context.refreshed.set(request, { result, content: contentOf(context, outcome), names: [] });
  return result;
}

/** Create the headers of a result. Its cookies are dropped if the session ends or moves on before they are sent. */
function lateHeaders(context: SessionContext, { claims }: CurrentSession, lines: readonly string[]): Headers {
  const headers = cookieHeaders(lines);
  // Limits add the time of the last activity later.
  const maySet = lines.length > 0 || context.limits;
  return maySet ? dropCookiesIf(headers, () => isSuperseded(context, claims)) : headers;
}

/** Return a refreshed session with the time when limits end it. If that is now, the next request ends it. */
async function withEndOf(
  context: SessionContext,
  session: CurrentSession,
  cookies: string | undefined,
): Promise<CurrentSession> {
  const limited = await (await limitPolicy(context)).withinLimits(context, session, cookies);
  return typeof limited === 'string' ? session : limited;
}

/** Return the public reason of an outcome that keeps the session. */
const retryCauseOf = <Reason extends RetryReason>(
  outcome: Misconfigured | RetryLater<Reason>,
): RetryCause<Reason | 'service_refused'> =>
  outcome.status === 'misconfigured' ? { reason: 'service_refused', cause: outcome.cause } : outcome;

/** Create a `retry_later` result. */
export const retryLaterResult = <Reason extends RetryReason>({
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
