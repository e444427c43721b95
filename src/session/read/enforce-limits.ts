// Loaded if there are limits.

import { type PasswordRing, seal, unseal } from '../../crypto/seal.js';
import {
  type CookieSettings,
  clearCookies,
  cookieHeaders,
  laxAttributes,
  readCookies,
  writeCookies,
} from '../cookie/cookies.js';
import { withCheckOf } from '../cookie/response-cookies.js';
import { headerOf, mayChange, type RequestLike } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import type { ReaderSettings } from './reader-options.js';
import { type CurrentSession, withEnd } from './session.js';
import { isLimitReason, type LimitReason, limitsOf } from './session-limits.js';

/** Settings to write cookies. Readers do not have them. */
type WritingSettings = ReaderSettings & { readonly cookie: CookieSettings };

/** A result with a session. */
interface SessionResult {
  readonly session: CurrentSession;
  readonly headers: Headers;
}

/** Milliseconds between two writes of the last activity, at least. Longer idle limits need fewer writes: 20 in the limit. */
const minWriteMs = 60_000;

/** Return the session with the time when it ends, or the reason why it has ended. */
export async function withinLimits(
  settings: ReaderSettings,
  session: CurrentSession,
  cookieHeader: string | null | undefined,
): Promise<CurrentSession | LimitReason> {
  const { idleMs, lifetimeMs } = limitsOf(settings.limits, session);
  const idleAt = idleMs === Infinity ? Infinity : (await activeAt(settings, session, cookieHeader)) + idleMs;
  const lifetimeAt = session.startedAtMs + lifetimeMs;
  if (settings.now() >= idleAt) return 'idle';
  return settings.now() >= lifetimeAt ? 'lifetime' : withEnd(session, Math.min(idleAt, lifetimeAt));
}

/** Return when the user of a session was last active. Signing in counts. */
const activeAt = async (
  settings: ReaderSettings,
  { startedAtMs, sessionId }: CurrentSession,
  cookieHeader: string | null | undefined,
): Promise<number> => Math.max(startedAtMs, await lastActivity(settings, cookieHeader, sessionId));

/** Remember the time of a request that the user has caused. */
export async function noteActivity<Result extends SessionResult>(
  settings: WritingSettings,
  request: RequestLike,
  result: Result,
): Promise<Result> {
  const { idleMs } = limitsOf(settings.limits, result.session);
  if (idleMs === Infinity || !isActivity(request)) return result;
  const passedMs = settings.now() - (await activeAt(settings, result.session, headerOf(request, 'cookie')));
  return passedMs < Math.max(minWriteMs, idleMs / 20) ? result : writeActivity(settings, request, result);
}

/** Write the time of the last activity into the cookies of a result, if there is an idle limit. */
export async function writeActivity<Result extends SessionResult>(
  settings: WritingSettings,
  request: RequestLike,
  result: Result,
): Promise<Result> {
  const { session, headers } = result;
  const { idleMs, lifetimeMs } = limitsOf(settings.limits, session);
  if (idleMs === Infinity) return result;
  const at = settings.now();
  const lines = await activityCookies(settings, { sid: session.sessionId, at }, headerOf(request, 'cookie'));
  return {
    ...result,
    session: withEnd(session, Math.min(at + idleMs, session.startedAtMs + lifetimeMs)),
    headers: withCheckOf(headers, cookieHeaders([...headers.getSetCookie(), ...lines])),
  };
}

/** Whether the user opens a page, or the request may change something. */
const isActivity = (request: RequestLike): boolean => {
  const kind = requestKind(request);
  return kind === 'navigation' || (mayChange(request) && kind !== 'prefetch' && kind !== 'part');
};

/** Create the further `Set-Cookie` values for a session that has ended. */
export const endedCookies = (
  { cookie }: WritingSettings,
  reason: string,
  cookies: string | undefined,
): readonly string[] => [
  ...clearActivity(cookie, cookies),
  ...(isLimitReason(reason) ? markEnded(cookie, cookies) : []),
];

const activityName = (name: string): string => `${name}-activity`;
const endedName = (name: string): string => `${name}-ended`;

/** Return when the user of a session was last active, in milliseconds since 1970; 0 if that is unknown. The latest time counts. */
async function lastActivity(
  { ring, cookieName, now }: { readonly ring: PasswordRing; readonly cookieName: string; readonly now: () => number },
  cookieHeader: string | null | undefined,
  sessionId: string,
): Promise<number> {
  let latest = 0;
  for (const { text } of readCookies(cookieHeader, activityName(cookieName))) {
    const unsealed = await unseal(text, ring, { now: now() });
    const { sid, at } = Object(unsealed.status === 'ok' && unsealed.value);
    if (sid === sessionId && typeof at === 'number' && at > latest) latest = at;
  }
  return latest;
}

/** Create the `Set-Cookie` values for the time of the last activity. */
async function activityCookies(
  { ring, cookie }: { readonly ring: PasswordRing; readonly cookie: CookieSettings },
  activity: { readonly sid: string; readonly at: number },
  cookieHeader: string | undefined,
): Promise<string[]> {
  const text = await seal(activity, ring);
  return writeCookies(text, cookieHeader, { ...cookie, name: activityName(cookie.name) }) ?? [];
}

/** Create the `Set-Cookie` values that clear the time of the last activity. */
export const clearActivity = (cookie: CookieSettings, cookieHeader: string | undefined): string[] =>
  clearCookies(cookieHeader, { ...cookie, name: activityName(cookie.name) });

/** Create the `Set-Cookie` values that make the next sign-in ask for the user again. */
const markEnded = (cookie: CookieSettings, cookieHeader: string | undefined): string[] =>
  writeCookies('1', cookieHeader, endedSettings(cookie)) ?? [];

/** A link of another site may start the next sign-in, and browsers would not send a strict cookie with it. */
const endedSettings = (session: CookieSettings): CookieSettings => ({
  ...session,
  name: endedName(session.name),
  attributes: laxAttributes(session),
});

/** Whether the next sign-in must ask for the user again. */
export const isMarkedEnded = (cookie: CookieSettings, cookieHeader: string | undefined): boolean =>
  readCookies(cookieHeader, endedName(cookie.name)).length > 0;

/** Create the `Set-Cookie` values that remove what is known of an earlier session. */
export const clearLimitCookies = (cookie: CookieSettings, cookieHeader: string | undefined): string[] => [
  ...clearActivity(cookie, cookieHeader),
  ...clearCookies(cookieHeader, endedSettings(cookie)),
];
