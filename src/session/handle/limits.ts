// Loaded if there are limits.
import { activityCookies, clearActivity, lastActivity, markEnded } from '../cookie/activity-cookies.js';
import { cookieHeaders } from '../cookie/cookies.js';
import { endingOf } from '../read/enforce-limits.js';
import { type CurrentSession, withEnd } from '../read/session.js';
import { isLimitReason, limitsOf } from '../read/session-limits.js';
import type { ActiveResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import type { SessionContext } from './session-context.js';

/** Milliseconds between two writes of the last activity, at least. Longer idle limits need fewer writes: 20 in the limit. */
const minWriteMs = 60_000;

/** Remember the time of a request that the user has caused. */
export async function noteActivity(
  context: SessionContext,
  request: RequestLike,
  result: ActiveResult,
): Promise<ActiveResult> {
  const { session, headers } = result;
  const { idleMs, lifetimeMs } = limitsOf(context.sessionLimits ?? {}, session);
  if (idleMs === Infinity || !isActivity(request)) return result;
  const cookies = headerOf(request, 'cookie');
  const at = context.now();
  const last = Math.max(session.startedAtMs, await lastActivity(context, cookies, session.sessionId));
  if (at - last < Math.max(minWriteMs, idleMs / 20)) return result;
  const lines = await activityCookies(context, { sid: session.sessionId, at }, cookies);
  return {
    ...result,
    session: withEnd(session, Math.min(at + idleMs, session.startedAtMs + lifetimeMs)),
    headers: cookieHeaders([...headers.getSetCookie(), ...lines]),
  };
}

/** Whether the user opens a page, or the request may change something. */
const isActivity = (request: RequestLike): boolean => {
  const kind = requestKind(request);
  const isWrite = !['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? 'GET');
  return kind === 'navigation' || (isWrite && kind !== 'prefetch');
};

/** Say when a refreshed session ends. */
export async function withEnding(
  context: SessionContext,
  session: CurrentSession,
  cookies: string | undefined,
): Promise<CurrentSession> {
  const ending = await endingOf(context, session, cookies);
  return ending ? withEnd(session, ending.atMs) : session;
}

/** Create the further `Set-Cookie` values for a session that has ended. */
export const endedCookies = (
  { cookie }: SessionContext,
  reason: string,
  cookies: string | undefined,
): readonly string[] => [
  ...clearActivity(cookie, cookies),
  ...(isLimitReason(reason) ? markEnded(cookie, cookies) : []),
];
