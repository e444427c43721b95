import { subscribed } from '../../async/diagnostics.js';
import { checkOption } from '../../errors/known-options.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { returnPath } from '../../redirect-uris/return-path.js';
import type { HandleOptions } from '../handle/handle.js';
import { requireSettings } from '../handle/lazy-context.js';
import { signedOut, type TokenSession } from '../read/session.js';
import type { TokenResult } from '../read/token-verifier.js';
import type { HandleResult } from '../refresh/results.js';
import { bearerToken, headerOf, mayChange, type RequestLike, type RoutedRequest } from '../request/request.js';
import { requestKind, wantsPage } from '../request/request-kind.js';
import { reauthenticationOptions } from '../sign-in/reauthentication.js';
import {
  type Answer,
  answerOf,
  crossOriginResult,
  errorAnswer,
  jsonAnswer,
  type RespondOptions,
} from '../sign-in/respond.js';
import type { SessionRoutes } from '../sign-in/session-routes.js';
import { decide, type Requirements, requirementsOf, type SessionRefusalRecord } from './decide.js';
import { type Address, addressesOf } from './paths.js';
import type { Policy, RequireSessionOptions, SessionChoice, SessionHandler } from './policy.js';

/** The decision about a request. */
export interface Admission {
  /** Result for the cookie; `no_cookie` if a token was checked instead. */
  readonly auth: HandleResult;
  /** The session, if the request may pass. */
  readonly session?: TokenSession;
  /** The response, if the request may not pass. */
  readonly refusal?: Answer;
}

/** Choose the sessions for a request. @throws {ConfigurationError} `invalid_option`: the function returns none. */
export const chooseSessions = async <Incoming, Handler extends object>(
  sessions: SessionChoice<Incoming, Handler>,
  request: Incoming,
): Promise<Handler> => {
  if (typeof sessions !== 'function') return sessions;
  const chosen = await sessions(request);
  checkOption(chosen, 'sessions', 'must return sessions for each request');
  return chosen;
};

/**
 * Decides whether a request may pass, based on its path.
 *
 * @param checkCookie Checks the cookie.
 * @param addresses The addresses to decide on, if they are not those in `request`.
 */
export type PathGuard = (
  sessions: SessionHandler,
  request: RoutedRequest,
  checkCookie: () => Promise<HandleResult>,
  addresses?: readonly Address[],
) => Promise<Admission>;

/** Create the function that decides about requests and answers refused ones. */
export function pathGuard(policy: Policy): PathGuard {
  const { rules, openPaths, signIn, page } = policy;
  return async (sessions, request, checkCookie, addresses) => {
    const answer = await ownAnswer(sessions, request, policy);
    if (answer) return { auth: uncheckedCookie(), refusal: answer };
    const requirements =
      rules.length > 0 ? requirementsOf(addresses ?? addressesOf(request), rules, openPaths) : undefined;
    if (requirements === undefined) return { auth: await checkCookie() };
    if (requirements === 'bad_path') {
      publish({ reason: requirements, path: undefined });
      return { auth: uncheckedCookie(), refusal: badPath(request, policy) };
    }
    const target = targetOf(request.url);
    const admission = await admitUser(sessions, request, target, checkCookie, { signIn, page }, requirements);
    const { refusal } = admission;
    return refusal ? { ...admission, refusal: forRouter(request, refusal, policy) } : admission;
  };
}

/** The response to a forged request, or to one of the built-in routes. */
async function ownAnswer(
  sessions: SessionHandler,
  request: RoutedRequest,
  policy: Policy,
): Promise<Answer | undefined> {
  const { csrf, routes, page } = policy;
  if (csrf && mayChange(request) && (await sessions.isCrossOrigin?.(request, csrf))) {
    publish({ reason: 'cross_origin', path: undefined });
    return answerOf(crossOriginResult(request), { page });
  }
  const result = routes && (await sessions.route?.(request, routes === true ? {} : routes, csrf));
  return result ? forRouter(request, answerOf(result, { page }), policy) : undefined;
}

/**
 * Check the user of a request, and answer the request if it may not pass.
 *
 * @param path Path and query of the request, from the root of the site.
 * @param checkCookie Checks the cookie.
 */
export async function admitUser(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  checkCookie: () => Promise<HandleResult>,
  options: RequireSessionOptions = {},
  requirements: Requirements = options,
): Promise<Admission> {
  const { bearer = !sessions.handle } = options;
  const token = bearer ? bearerToken(request) : undefined;
  const result = token === undefined ? await checkCookie() : await sessions.verifyAccessToken(token);
  const auth = 'headers' in result ? result : uncheckedCookie();
  const decision = decide(result, requirements, (session, maxAgeMs) => sessions.isRecent(session, maxAgeMs));
  if (!decision.refusal) return { auth, session: decision.session };
  // A prefetch gets no page and starts no sign-in, also from a build that follows links.
  if (requestKind(request) !== 'prefetch') requireSettings(result);
  publish(decision.refusal);
  if (decision.refusal.reason === 'forbidden') return { auth, refusal: forbidden(request, options) };
  const { maxAgeMs } = requirements;
  return {
    auth,
    refusal: await denySession(sessions, request, path, result, {
      ...options,
      ...(maxAgeMs !== undefined && { maxAgeMs }),
      bearer,
    }),
  };
}

/** Publish a refusal. `path` is that of a rule, and never that of the request. */
const publish = (refusal: SessionRefusalRecord): void =>
  subscribed<SessionRefusalRecord>('session:refusal')?.publish(refusal);

/** Check the cookie of a request. Returns `no_cookie` if the handler ignores cookies. */
export const handleCookie = (
  sessions: SessionHandler,
  request: RequestLike,
  options?: HandleOptions,
): Promise<HandleResult> => (sessions.handle ? sessions.handle(request, options) : Promise.resolve(uncheckedCookie()));

/** The result for a cookie that was not checked. */
export const uncheckedCookie = (): HandleResult => ({ ...signedOut('no_cookie'), headers: new Headers() });

/**
 * Create the response to a request that may not pass.
 *
 * @param path Path and query of the request, from the root of the site.
 * @param result The result for the cookie, or for the token if one was checked.
 */
async function denySession(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  result: HandleResult | TokenResult,
  options: RequireSessionOptions,
): Promise<Answer> {
  const isCookie = 'headers' in result;
  const forPerson = isCookie && wantsPage(request);
  if (result.status === 'retry_later')
    return errorAnswer(503, 'temporarily_unavailable', new Headers(), { ...result, forPerson }, options);
  const redirect = isCookie ? await redirectToSignIn(sessions, request, path, result, options) : undefined;
  return redirect ?? challenge(request, result, forPerson, options);
}

/** Start a sign-in if a browser opens a page and the option `signIn` allows it. */
async function redirectToSignIn(
  sessions: SessionHandler,
  request: RequestLike,
  returnTo: string,
  { session }: HandleResult,
  { signIn, maxAgeMs }: RequireSessionOptions,
): Promise<Answer | undefined> {
  const { method = 'GET' } = request;
  if (!signIn || !sessions.startSignIn || method !== 'GET' || requestKind(request) !== 'navigation') return undefined;
  const reauthentication = session ? reauthenticationOptions(session, secondsOf(maxAgeMs)) : {};
  const options = { ...(signIn === true ? {} : signIn), ...reauthentication, returnTo };
  const started = await sessions.startSignIn(request, options);
  return started.status === 'redirect' ? answerOf(started) : undefined;
}

/** Create a 401. */
function challenge(
  request: RequestLike,
  result: HandleResult | TokenResult,
  forPerson: boolean,
  { signIn, bearer, maxAgeMs, page }: RequireSessionOptions,
): Answer {
  const { method = 'GET' } = request;
  const [reason, attributes] = challengeOf(result, maxAgeMs);
  const headers = new Headers();
  if (bearer || result.status !== 'signed_out') headers.set('www-authenticate', `Bearer${attributes}`);
  // The session ended before the user submitted the form. Link back to the page of the form, which leads to the sign-in.
  const form = parsedUrl(headerOf(request, 'referer') ?? '');
  const errorDetails = {
    forPerson: !!signIn && forPerson && method !== 'GET',
    returnTo: returnPath(form && form.pathname + form.search),
  };
  return errorAnswer(401, reason, headers, errorDetails, { page });
}

/** The reason for a 401, and the attributes of its challenge (RFC 6750, RFC 9470). */
function challengeOf(
  result: HandleResult | TokenResult,
  maxAgeMs: number | undefined,
): readonly [reason: string, attributes: string] {
  if (result.status !== 'signed_out')
    return [
      'insufficient_user_authentication',
      ` error="insufficient_user_authentication", error_description="The user must sign in again", max_age="${secondsOf(maxAgeMs)}"`,
    ];
  // RFC 6750: no `error` attribute if no token was sent.
  if ('headers' in result || result.reason === 'no_token') return ['unauthorized', ''];
  return ['invalid_token', ` error="invalid_token", error_description="${result.reason}"`];
}

const secondsOf = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.ceil(ms / 1_000);

/** The response to a prefetch: no user is waiting. The browser loads the page when the user follows the link. */
const noPrefetch = (): Answer => ({ status: 204, headers: new Headers({ 'cache-control': 'no-store' }), body: null });

/** Create the response to a user without the required permission. */
const forbidden = (request: RequestLike, options: RespondOptions): Answer =>
  requestKind(request) === 'prefetch'
    ? noPrefetch()
    : errorAnswer(403, 'forbidden', new Headers(), { forPerson: wantsPage(request) }, options);

/** Create the response to a request whose path routers could read in several ways. */
const badPath = (request: RequestLike, options: RespondOptions): Answer =>
  errorAnswer(
    400,
    'bad_path',
    new Headers(),
    { forPerson: wantsPage(request), returnTo: request.basePath || '/' },
    options,
  );

/** Replace a 401 by a response that client-side routers understand. */
const forRouter = (request: RequestLike, refusal: Answer, { signIn, routes }: Policy): Answer =>
  (refusal.status === 401 && answerRouter(request, targetOf(request.url), signIn !== false, routes)) || refusal;

/** Path and query of a request target. */
function targetOf(url = ''): string {
  const { pathname, search } = parsedUrl(url, 'http://site') ?? { pathname: url, search: '' };
  return pathname + search;
}

/**
 * Create the response to a refused request of a client-side router, or undefined for other requests. Routers treat 401 as an
 * error and show or log it.
 *
 * @param target Path and query of the request.
 * @param signIn Whether users are redirected to the sign-in.
 * @param routes The routes, including the path of the sign-in.
 */
function answerRouter(
  request: RequestLike,
  target: string,
  signIn: boolean,
  routes: boolean | SessionRoutes = false,
): Answer | undefined {
  const headers = new Headers({ 'cache-control': 'no-store' });
  const kind = requestKind(request);
  if (kind === 'prefetch') return noPrefetch();
  if (!signIn) return undefined;
  const [path = '', search] = target.split(/\?(.*)/s);
  // Remove the parameters that routers add to the query of the page.
  const query = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) => !/^x-sveltekit-|^\/|^_routes$/.test(name)),
  );
  const page = returnPath(`${path.replace(dataSuffix, '') || '/'}${query.size > 0 ? `?${query}` : ''}`);

  if (path.endsWith('.data') && kind === 'script') {
    headers.set('location', page);
    // React Router then loads the page, which can be redirected to another site.
    headers.set('x-remix-reload-document', 'true');
    return { status: 302, headers, body: null };
  }
  if (!routes || !(path.endsWith('/__data.json') || headerOf(request, 'x-sveltekit-action'))) return undefined;
  const { signIn: signInPath = '/sign-in' } = Object(routes) as SessionRoutes;
  const location = `${signInPath}?return_to=${encodeURIComponent(page)}`;
  return jsonAnswer(200, { type: 'redirect', status: 303, location }, headers);
}

/** The suffix that SvelteKit and React Router append to the path of a page to fetch its data. */
const dataSuffix = /\/__data\.json$|(?:(?<=\/)_|(?<=^\/)_root)?\.data$/;
