// Loaded if there are limits.
import { lastActivity } from '../cookie/activity-cookies.js';
import type { ReaderSettings } from './reader-options.js';
import { type CurrentSession, withEnd } from './session.js';
import { type LimitReason, limitsOf } from './session-limits.js';

/** The end of a session by its limits, in milliseconds since 1970. */
export interface SessionEnding {
  readonly reason: LimitReason;
  readonly atMs: number;
}

/** Find out when a session ends by its limits; undefined if no limit applies. */
export async function endingOf(
  settings: ReaderSettings,
  session: CurrentSession,
  cookieHeader: string | null | undefined,
): Promise<SessionEnding | undefined> {
  const { idleMs, lifetimeMs } = limitsOf(settings.sessionLimits ?? {}, session);
  const { startedAtMs, sessionId } = session;
  const activeAt =
    idleMs === Infinity ? 0 : Math.max(startedAtMs, await lastActivity(settings, cookieHeader, sessionId));
  const [idleAt, lifetimeAt] = [activeAt + idleMs, startedAtMs + lifetimeMs];
  if (idleAt === Infinity && lifetimeAt === Infinity) return undefined;
  return idleAt < lifetimeAt ? { reason: 'idle', atMs: idleAt } : { reason: 'lifetime', atMs: lifetimeAt };
}

/** Return the session with its end, or the reason why it has ended. */
export async function withinLimits(
  settings: ReaderSettings,
  session: CurrentSession,
  cookieHeader: string | null | undefined,
): Promise<CurrentSession | LimitReason> {
  const ending = await endingOf(settings, session, cookieHeader);
  if (!ending) return session;
  return settings.now() < ending.atMs ? withEnd(session, ending.atMs) : ending.reason;
}
