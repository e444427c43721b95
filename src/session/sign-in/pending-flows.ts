import { utf8 } from '../../crypto/encoding.js';
import { hashOf } from '../../crypto/pkce.js';
import { seal, unseal } from '../../crypto/seal.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { isText, parsedJson } from '../../http/json.js';
import { type CookieSettings, clearCookies, cookiesIn, laxAttributes, writeCookies } from '../cookie/cookies.js';
import type { SessionContext } from '../handle/session-context.js';

/**
 * A sign-in that has started. It travels sealed in its `state`, so that the page of the user is known however long the sign-in takes.
 * A cookie with the code verifier proves that the same browser has started it.
 */
export interface Flow {
  /** The `returnTo` of `startSignIn`. */
  readonly returnTo: string;
  /** When the flow expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Path of its cookie, if it is not that of the redirect URI for the host. */
  readonly cookiePath?: string | undefined;
  /** Sent with the code, for a sign-in that continues with SSO. */
  readonly pendingAuthenticationToken?: string | undefined;
  /** Organization of the current session, if its user authenticates again. */
  readonly organizationId?: string | undefined;
  /** The only address where the user may return, if it was chosen for the host of the request. */
  readonly redirectUri?: string | undefined;
  /** The `data` of `startSignIn`. */
  readonly data?: unknown;
  /** Whether the service must ask for the user. An earlier session is then not enough. */
  readonly mustAsk?: true | undefined;
  /** The earlier session of the browser, if its cookie is `SameSite=Strict` and will not come with the callback. */
  readonly earlier?: EarlierSession | undefined;
}

/** A session that a browser had when the user started to sign in. */
export interface EarlierSession {
  readonly userId: string;
  readonly sessionId: string;
  /** When its access token expires, in seconds since 1970. */
  readonly exp: number;
}

/** Lifetime of a flow, equal to the lifetime of authorization codes. */
export const flowMs = 600_000;
/** Maximum number of other pending flows that a callback leaves in one browser. */
const maxFlows = 5;
/**
 * Maximum size of a flow in bytes. Its `state` then has at most 2,100 characters, which leaves room for the cookies of the largest
 * session in the 16 KB of headers that servers accept.
 */
const maxFlowBytes = 1_400;
/** Maximum number of flow cookies to open, because the sender controls their number. */
const maxOpened = 50;

/** The parts of the context that flows need. */
export type FlowContext = Pick<SessionContext, 'ring' | 'cookie' | 'now'>;

/** The settings of the cookie of a flow. Only the redirect URI gets it, so that it takes no room in other requests. */
const flowCookie = (session: CookieSettings, name: string, path: string): CookieSettings => ({
  ...session,
  name,
  // The user returns from another site, and browsers would not send a strict cookie. The path may contain $$, so pass a function.
  attributes: laxAttributes(session).replace(
    /^; Path=[^;]*/,
    () => `; Path=${/^__host-/i.test(session.name) ? '/' : path}`,
  ),
  maxAgeMs: flowMs,
});

/** The path of the cookie for an address where users return: with and without a slash at its end. */
export function flowPath(redirectUri: string): string {
  const { pathname } = new URL(redirectUri);
  // A semicolon would end the attribute.
  return pathname.includes(';') ? '/' : pathname.replace(/(?<=.)\/$/, '');
}

const prefixOf = ({ name }: CookieSettings): string => `${name}-flow-`;
const idOf = async (state: string): Promise<string> => (await hashOf(state)).slice(0, 16);

/** Seal a flow into its `state`. If its `returnTo` does not fit, the user returns to `home`. */
export const stateOf = async (flow: Flow, { ring }: FlowContext, home = '/'): Promise<string> =>
  // Without the parts that every seal has, and in characters that need no escaping in a URL.
  (await seal(flowBytes(flow) > maxFlowBytes ? { ...flow, returnTo: home } : flow, ring))
    .slice('Fe26.2*'.length, -'~2'.length)
    .replaceAll('*', '.');

/** Open a `state`. Returns undefined if this application did not seal it. */
async function flowOf(state: string, { ring, now }: FlowContext): Promise<Flow | undefined> {
  const unsealed = await unseal(`Fe26.2*${state.replaceAll('.', '*')}~2`, ring, { now: now() });
  return unsealed.status === 'ok' && isFlow(unsealed.value) ? unsealed.value : undefined;
}

const isFlow = (value: unknown): value is Flow => {
  const { returnTo, expiresAt } = Object(value);
  // Only a holder of the password can have sealed this, so optional fields may be missing but not wrong.
  return isText(returnTo) && typeof expiresAt === 'number';
};

const flowBytes = (flow: Flow): number => utf8(JSON.stringify(flow)).length;

/** Return how long the token of a flow may be. */
export const maxTokenLength = (flow: Flow): number =>
  maxFlowBytes - flowBytes({ ...flow, returnTo: '/', pendingAuthenticationToken: '' });

/** Create the `Set-Cookie` values that remember a flow in its browser. Flows beyond the newest five that the request shows are cleared. */
export async function rememberFlow(
  context: FlowContext,
  { state, codeVerifier }: { readonly state: string; readonly codeVerifier: string },
  path: string,
  cookieHeader: string | undefined,
): Promise<string[]> {
  const id = await idOf(state);
  const text = await seal({ id, codeVerifier }, context.ring, { ttlMs: flowMs, now: context.now() });
  const cookie = flowCookie(context.cookie, prefixOf(context.cookie) + id, path);
  const earlier = await flowCookies(context, cookieHeader);
  return [
    ...(writeCookies(text, undefined, cookie) ?? []),
    ...earlier.slice(maxFlows - 1).flatMap(({ name }) => clearFlow(context, name, path, cookieHeader)),
  ];
}

/** The flow of a callback. */
export interface FoundFlow {
  /** The flow in the `state`, which may belong to another browser or have expired. */
  readonly flow: Flow | undefined;
  /** Proves that the browser has started the flow. */
  readonly codeVerifier: string | undefined;
  /** Whether the browser has started any flow. */
  readonly hasFlows: boolean;
  /** The `Set-Cookie` values that clear flows beyond the newest five. */
  readonly surplus: readonly string[];
  /** The `Set-Cookie` values that clear the cookie of this flow. */
  readonly own: readonly string[];
}

/**
 * Find the flow of a callback.
 *
 * @param defaultPath Path of the redirect URI for the host.
 */
export async function findFlow(
  context: FlowContext,
  state: string | null,
  defaultPath: string,
  cookieHeader: string | undefined,
): Promise<FoundFlow> {
  const flow = state ? await flowOf(state, context) : undefined;
  const name = prefixOf(context.cookie) + (await idOf(state ?? ''));
  const cookies = await flowCookies(context, cookieHeader, name);
  const path = flow?.cookiePath ?? defaultPath;
  const clear = (one: FlowCookie) => clearFlow(context, one.name, path, cookieHeader);
  const own = cookies.find((one) => one.name === name);
  const others = cookies.filter((one) => one !== own);
  return {
    flow,
    codeVerifier: own?.codeVerifier,
    hasFlows: cookies.some(({ codeVerifier }) => codeVerifier),
    surplus: others.slice(maxFlows).flatMap(clear),
    own: own ? clear(own) : [],
  };
}

const clearFlow = ({ cookie }: FlowContext, name: string, path: string, cookieHeader: string | undefined): string[] =>
  clearCookies(cookieHeader, flowCookie(cookie, name, path));

/** The cookie of a flow in a request. */
interface FlowCookie {
  readonly name: string;
  /** Undefined if the cookie could not be opened. */
  readonly codeVerifier: string | undefined;
  /** When it expires, in milliseconds since 1970; 0 if it could not be opened. */
  readonly expiresAt: number;
}

/** List the flow cookies of a request, newest first, always with that of `ownName`. Those that could not be opened come last. */
async function flowCookies(
  { ring, cookie, now }: FlowContext,
  cookieHeader: string | undefined,
  ownName?: string,
): Promise<readonly FlowCookie[]> {
  const prefix = prefixOf(cookie);
  const all = cookiesIn(cookieHeader, prefix).filter(([name]) => /^[\w-]{16}$/.test(name.slice(prefix.length)));
  const found = new Map<string, FlowCookie>();
  for (const [at, [name, text]] of all.entries()) {
    if ((at < all.length - maxOpened && name !== ownName) || found.get(name)?.codeVerifier) continue;
    const unsealed = await unseal(text, ring, { now: now() });
    const { id, codeVerifier } = Object(unsealed.status === 'ok' && unsealed.value);
    const isOwn = unsealed.status === 'ok' && id === name.slice(prefix.length) && isText(codeVerifier);
    found.set(name, {
      name,
      codeVerifier: isOwn ? codeVerifier : undefined,
      expiresAt: (isOwn && unsealed.expiresAt) || 0,
    });
  }
  // Browsers send the cookie that they got last at the end.
  return [...found.values()].reverse().sort((a, b) => b.expiresAt - a.expiresAt);
}

/** Limits of the data of a flow. */
const maxBytes = 1_024;
const maxDepth = 16;

/** Return the data of a flow as JSON would keep it. @throws {InvalidArgumentError} It cannot be JSON, or it is too large or too deep. */
export function flowData(data: unknown): unknown {
  if (data === undefined) return undefined;
  const text = jsonOf(data);
  const plain = text !== undefined && utf8(text).length <= maxBytes ? parsedJson(text) : undefined;
  if (plain !== undefined && depthOf(plain) <= maxDepth) return plain;
  throw new InvalidArgumentError({
    argument: 'data',
    what: `data of startSignIn must be JSON of at most ${maxBytes} bytes and ${maxDepth} levels`,
    next: 'Pass an id, and keep the rest in your database',
  });
}

function jsonOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
