import { seal, unseal } from '../../crypto/seal.js';
import { isText } from '../../http/json.js';
import { type CookieSettings, clearCookies, readCookies, writeCookies } from '../cookie/cookies.js';
import type { SessionContext } from '../handle/session-context.js';

/** A sign-in that has started and has not returned yet. */
export interface PendingFlow {
  /** Identifies the flow when the user returns. */
  readonly state: string;
  /** PKCE code verifier: proves that the same browser redeems the code. */
  readonly codeVerifier: string;
  /** The `returnTo` of `startSignIn`. */
  readonly returnTo: string;
  /** When the flow expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Sent with the code, for a sign-in that continues with SSO. */
  readonly pendingAuthenticationToken?: string | undefined;
  /** Organization of the current session, if its user authenticates again. */
  readonly organizationId?: string | undefined;
  /** The only address where the user may return, if it was chosen for the host of the request. */
  readonly redirectUri?: string | undefined;
  /** The `data` of `startSignIn`, as JSON. */
  readonly data?: string | undefined;
}

/** Lifetime of a flow, equal to the lifetime of authorization codes. */
export const flowMs = 600_000;
/** Maximum number of pending flows in one browser, for several tabs and repeated attempts. */
export const maxFlows = 5;
/** Maximum total length of return paths, addresses and tokens in all flows, so that they fit in one cookie. */
export const maxTextLength = 1_600;

/** The parts of the context that flows need. */
export type FlowContext = Pick<SessionContext, 'ring' | 'cookie' | 'now'>;

/** Derive the settings of the flow cookie from those of the session cookie. */
const flowCookieSettings = (session: CookieSettings): CookieSettings => ({
  ...session,
  name: `${session.name}-flow`,
  // The user returns from another site, and browsers would not send a strict cookie.
  attributes: session.attributes.replace('SameSite=Strict', 'SameSite=Lax'),
  maxAgeMs: flowMs,
});

/** Read the flows in a `Cookie` header, newest first, including expired ones. Flows that we did not seal are ignored. */
export async function readFlows(
  { ring, cookie, now }: FlowContext,
  cookieHeader: string | undefined,
): Promise<PendingFlow[]> {
  const flows: PendingFlow[] = [];
  for (const { text } of readCookies(cookieHeader, flowCookieSettings(cookie).name)) {
    const unsealed = await unseal(text, ring, { now: now() });
    if (unsealed.ok && Array.isArray(unsealed.value)) flows.push(...unsealed.value.filter(isFlow));
  }
  return flows.slice(0, maxFlows);
}

const isFlow = (value: unknown): value is PendingFlow => {
  const { state, codeVerifier, returnTo, expiresAt, pendingAuthenticationToken: token = '-' } = Object(value);
  const { organizationId = '-', redirectUri = '-', data = '-' } = Object(value);
  return (
    [state, codeVerifier, returnTo, token, organizationId, redirectUri, data].every(isText) &&
    typeof expiresAt === 'number'
  );
};

/** Create the `Set-Cookie` values for these flows, newest first. Drops expired flows and flows that do not fit. */
export async function writeFlows(
  context: FlowContext,
  flows: readonly PendingFlow[],
  cookieHeader: string | undefined,
): Promise<string[]> {
  const now = context.now();
  const cookie = flowCookieSettings(context.cookie);
  const remaining = fitFlows(flows.filter(({ expiresAt }) => expiresAt > now));
  if (remaining.length === 0) return clearCookies(cookieHeader, cookie);
  const sealed = await seal(remaining, context.ring, { ttlMs: flowMs, now });
  return writeCookies(sealed, cookieHeader, cookie) ?? [];
}

/** Length of the texts of a flow that cannot be replaced. */
export const fixedLength = (flow: Pick<PendingFlow, 'pendingAuthenticationToken' | 'redirectUri' | 'data'>): number =>
  [flow.pendingAuthenticationToken, flow.redirectUri, flow.data].join('').length;

/** Choose the newest flows that fit. If a return path is too long, the flow returns to `/` instead. */
function fitFlows(flows: readonly PendingFlow[]): PendingFlow[] {
  const fittingFlows: PendingFlow[] = [];
  let remainingLength = maxTextLength;
  for (const flow of flows.slice(0, maxFlows)) {
    remainingLength -= fixedLength(flow);
    if (remainingLength < 1) break;
    const returnTo = flow.returnTo.length <= remainingLength ? flow.returnTo : '/';
    remainingLength -= returnTo.length;
    fittingFlows.push({ ...flow, returnTo });
  }
  return fittingFlows;
}
