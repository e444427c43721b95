import { within } from '../../async/time-limit.js';
import { uncheckedClaims } from '../../crypto/access-token.js';
import { printableCause } from '../../errors/printable-cause.js';
import { redactor } from '../../errors/redact.js';
import { discard } from '../../http/body.js';
import { isText } from '../../http/json.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { logoutUrl } from '../../oauth/logout-url.js';
import { type CookieValue, readCookies } from '../cookie/cookies.js';
import { unsealSession } from '../cookie/sealed-session.js';
import type { SessionContext } from '../handle/session-context.js';
import type { CurrentSession } from '../read/session.js';
import { type ChangeClaims, noteEnd } from './note-changes.js';

/** Milliseconds to end sessions at the service. The user waits for them. */
const maxEndMs = 2_000;

/** A session that ends, and the claims of its access token. */
export interface EndingSession extends Pick<CurrentSession, 'userId' | 'sessionId'> {
  readonly claims: ChangeClaims;
}

/** A session in the cookies of a request, and the names of the cookies that contain it. */
export interface CookieSession extends EndingSession, Pick<CookieValue, 'names'> {}

/**
 * Open the sessions in all cookies of a request, each once, the one that expires last first. The tokens are not verified: we sealed
 * them, and a sign-out must work with an expired session and without the keys of the service.
 */
export async function sessionsIn(
  { cookie, ring, now }: SessionContext,
  cookies: string | undefined,
): Promise<readonly CookieSession[]> {
  const found = new Map<string, CookieSession>();
  for (const { text, names } of readCookies(cookies, cookie.name)) {
    const opened = await unsealSession(text, ring, now());
    const { sid, sub, exp = 0, iat } = opened.status === 'ok' ? uncheckedClaims(opened.value.accessToken) : {};
    if (!isText(sid) || !isText(sub)) continue;
    const same = found.get(sid);
    found.set(sid, {
      userId: sub,
      sessionId: sid,
      claims: same && same.claims.exp > exp ? same.claims : { sid, exp, iat },
      names: [...names, ...(same?.names ?? [])],
    });
  }
  return [...found.values()].sort((a, b) => b.claims.exp - a.claims.exp);
}

/**
 * End sessions in this process, in the other replicas and at the service, in parallel. All sessions that the application ends pass here.
 * Takes two seconds at most, and never rejects: failures are reported once.
 */
export async function endSessions(context: SessionContext, sessions: readonly EndingSession[]): Promise<void> {
  const noted = Promise.all(sessions.map(({ claims }) => noteEnd(context, claims)));
  if (context.endSessions) await endAtService(context, sessions);
  await noted;
}

async function endAtService(context: SessionContext, sessions: readonly EndingSession[]): Promise<void> {
  const ids = sessions.map(({ sessionId }) => sessionId);
  const outcomes = await Promise.allSettled(ids.map((id) => requestLogout(context, id)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) context.report({ reason: 'sign_out_failed', cause: printableCause(failed.reason, redactor(ids)) });
}

/**
 * Request the logout URL, which ends a session without an API key. The browser is sent there too, because only its cookies end the
 * sign-in on the hosted page.
 */
async function requestLogout({ baseUrl, fetcher }: SessionContext, sessionId: string): Promise<void> {
  const url = logoutUrl(baseUrl, sessionId, undefined);
  const response = await within(maxEndMs, (signal) => fetcher()(url, { redirect: 'manual', signal })).catch((cause) => {
    throw new Error('The logout URL did not answer', { cause });
  });
  discard(response);
  const { status, headers } = response;
  // A proxy may redirect to the same path, for example with https.
  const isMoved = parsedUrl(headers.get('location') ?? '', url)?.pathname === parsedUrl(url)?.pathname;
  if (status > 399 || (status > 299 && isMoved)) throw new Error(`The logout URL answered with status ${status}`);
}
