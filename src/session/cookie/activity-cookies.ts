// The time of the user's last activity, and whether a limit has ended the session. Loaded if there are limits.
import { type PasswordRing, seal, unseal } from '../../crypto/seal.js';
import { type CookieSettings, clearCookies, laxAttributes, readCookies, writeCookies } from './cookies.js';

const activityName = (name: string): string => `${name}-activity`;
const endedName = (name: string): string => `${name}-ended`;

/** Return when the user of a session was last active, in milliseconds since 1970; 0 if that is unknown. The latest time counts. */
export async function lastActivity(
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
export async function activityCookies(
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
export const markEnded = (cookie: CookieSettings, cookieHeader: string | undefined): string[] =>
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
