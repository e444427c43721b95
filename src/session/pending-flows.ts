import { seal, unseal } from '../crypto/seal.js';
import { isText } from '../http/json.js';
import { type CookieSettings, clearCookies, readCookies, writeCookies } from './cookies.js';
import type { SessionKit } from './kit.js';

/** A sign-in that was begun and has not come back yet. */
export interface PendingFlow {
  /** Comes back with the user and says which of the flows it is. */
  readonly state: string;
  /** Proves that who redeems the code is who asked for it. */
  readonly codeVerifier: string;
  /** Where the user wanted to go. */
  readonly returnTo: string;
  /** When it is too late to come back, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Handed over with the code, for a sign-in that goes on by SSO. */
  readonly pendingAuthenticationToken?: string | undefined;
}

/** Seconds a flow waits for its user; as long as the service's codes are good for. */
export const flowSec = 600;
/** Flows that one browser may have under way: several tabs, or somebody who starts again and again. */
export const mostFlows = 5;
/** Characters that return paths and tokens of all flows may have together, so that one cookie holds them. */
export const mostText = 1_600;

/** What remembering flows needs. */
export type FlowKit = Pick<SessionKit, 'ring' | 'cookie' | 'now'>;

/** The cookie of the flows beside the session's cookie. */
const flowCookie = (session: CookieSettings): CookieSettings => ({
  ...session,
  name: `${session.name}-flow`,
  // The user comes back from another site, and a strict cookie would stay behind.
  attributes: session.attributes.replace('SameSite=Strict', 'SameSite=Lax'),
  maxAgeSec: flowSec,
});

/** The flows in a `Cookie` header, newest first, those too old among them; none when there are none or they are not ours. */
export async function readFlows(
  { ring, cookie, now }: FlowKit,
  cookieHeader: string | undefined,
): Promise<PendingFlow[]> {
  const flows: PendingFlow[] = [];
  for (const { text } of readCookies(cookieHeader, flowCookie(cookie).name)) {
    const unsealed = await unseal(text, ring, { now: now() });
    if (unsealed.ok && Array.isArray(unsealed.value)) flows.push(...unsealed.value.filter(isFlow));
  }
  return flows.slice(0, mostFlows);
}

const isFlow = (value: unknown): value is PendingFlow => {
  const { state, codeVerifier, returnTo, expiresAt, pendingAuthenticationToken = 'none' } = Object(value);
  return [state, codeVerifier, returnTo, pendingAuthenticationToken].every(isText) && typeof expiresAt === 'number';
};

/** The `Set-Cookie` values that make the browser hold these flows, newest first, as far as they fit and are not too old. */
export async function writeFlows(
  kit: FlowKit,
  flows: readonly PendingFlow[],
  cookieHeader: string | undefined,
): Promise<string[]> {
  const now = kit.now();
  const cookie = flowCookie(kit.cookie);
  const remaining = fitting(flows.filter(({ expiresAt }) => expiresAt > now));
  if (remaining.length === 0) return clearCookies(cookieHeader, cookie);
  const sealed = await seal(remaining, kit.ring, { ttlSec: flowSec, now });
  return writeCookies(sealed, cookieHeader, cookie) ?? [];
}

/** The newest flows. When their texts are too long together, the older ones end at `/` rather than not at all. */
function fitting(flows: readonly PendingFlow[]): PendingFlow[] {
  const fittingFlows: PendingFlow[] = [];
  let room = mostText;
  for (const flow of flows.slice(0, mostFlows)) {
    room -= flow.pendingAuthenticationToken?.length ?? 0;
    if (room < 1) break;
    const returnTo = flow.returnTo.length <= room ? flow.returnTo : '/';
    room -= returnTo.length;
    fittingFlows.push({ ...flow, returnTo });
  }
  return fittingFlows;
}
