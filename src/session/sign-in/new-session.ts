import { uncheckedClaims } from '../../crypto/access-token.js';
import type { AuthenticationResponse } from '../../service/authentication.js';
import { withAllNames } from '../cookie/cookies.js';
import {
  largestFields,
  type SealedSession,
  type Sealing,
  sealedFrom,
  sessionCookies,
  sessionTooLargeError,
} from '../cookie/sealed-session.js';
import type { SessionContext } from '../handle/session-context.js';
import { limitPolicy } from '../read/limit-policy.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { sessionsIn } from './end-sessions.js';
import { type ChangeClaims, noteReplacement } from './note-changes.js';
import type { EarlierSession } from './pending-flows.js';

/**
 * Maximum size of the cookies of a new session in bytes, as browsers send them. In the 16 KB of headers that servers accept, it leaves
 * room for five pending sign-ins and for growth: a refresh may return up to `maxChunks` cookies.
 */
const maxNewBytes = 10_000;
/** Size of the buffer that nginx has by default for the headers of a response, in bytes. */
const smallBufferBytes = 4_096;

/** Implement `Sessions.create`. @throws {SallyportError} `session_too_large`. */
export async function create(
  context: SessionContext,
  tokens: AuthenticationResponse,
  request: RequestLike | undefined,
): Promise<readonly string[]> {
  const cookies = request ? headerOf(request, 'cookie') : withAllNames(undefined, context.cookie);
  const sealed = sealedFrom(tokens, { startedAt: context.now() });
  const lines = [
    ...(await newSessionCookies(context, sealed, cookies)),
    ...(request ? (await limitPolicy(context)).clearLimitCookies(context.cookie, cookies) : []),
  ];
  reportLargeCookies(context, lines, sealed);
  if (request) await replaceEarlier(context, cookies, uncheckedClaims(tokens.accessToken));
  return lines;
}

/**
 * Keep responses that are under way from bringing back an earlier session of the browser.
 *
 * @param hidden An earlier session whose cookie has not come with the request.
 */
export async function replaceEarlier(
  context: SessionContext,
  cookies: string | undefined,
  current: Partial<ChangeClaims>,
  hidden?: EarlierSession,
): Promise<void> {
  const earlier = [...(await sessionsIn(context, cookies)), ...(hidden ? [hidden] : [])].map(
    ({ sessionId }) => sessionId,
  );
  const replaced = earlier.filter((id) => id !== current.sid);
  await Promise.all(replaced.map((id) => noteReplacement(context, id, current)));
}

/**
 * Seal a session that begins, and create its `Set-Cookie` values.
 *
 * @param previous The request's `Cookie` header, or `withAllNames` if it is unknown.
 * @throws {SallyportError} `session_too_large`: its cookies would have more than 10,000 bytes.
 */
export async function newSessionCookies(
  sealing: Sealing,
  sealed: SealedSession,
  previous: string | null | undefined,
): Promise<string[]> {
  const lines = await sessionCookies(sealing, sealed, previous);
  const sent = lines.map((line) => line.split(';', 1)[0] ?? '').filter((pair) => !pair.endsWith('='));
  const bytes = sent.join('; ').length;
  if (bytes > maxNewBytes) throw sessionTooLargeError(sealed, bytes, 'and a new session may have 10,000');
  return lines;
}

/** Report the cookies of a sign-in if a proxy with a small buffer for the headers of a response would refuse them. */
export function reportLargeCookies(
  { report }: Pick<SessionContext, 'report'>,
  lines: readonly string[],
  sealed: SealedSession,
): void {
  const bytes = lines.join('').length;
  if (bytes <= smallBufferBytes) return;
  const why = `The cookies have ${bytes} bytes, more than 4,096, and the largest fields are ${largestFields(sealed)}`;
  report({ reason: 'large_cookies', cause: new Error(why) });
}
