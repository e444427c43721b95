import { checkOption } from '../../errors/check-option.js';
import type { OptionNames } from '../../errors/known-options.js';
import {
  checkBoolean,
  checkBooleanOrObject,
  checkedAge,
  checkObject,
  kindOf,
  listIn,
  recordIn,
} from '../../errors/option-values.js';
import { parsedUrl } from '../../http/parsed-url.js';
import type { PermissionName } from '../../service/sallyport-types.js';
import type { HandleResult } from '../refresh/results.js';
import { mayChange, type RequestLike, type RoutedRequest } from '../request/request.js';
import type { CrossOriginOptions } from '../sign-in/request-origin.js';
import { type Answer, answerOf, crossOriginResult } from '../sign-in/respond.js';
import type { AccessTokenRoute, SessionRoutes } from '../sign-in/session-routes.js';
import { type Address, addressesOf, type PathRule, rulesFor } from './addresses.js';
import { badPath, forbidden } from './deny.js';
import { decideAdmission, publishRefusal, uncheckedCookie } from './guard.js';
import type { Admission, RequireSessionOptions, SessionHandler } from './guard-options.js';
import { checkedPath, encodePath, foldPath } from './paths.js';
import { answerRouter } from './router-requests.js';

/** Options for protected paths and built-in routes. */
export interface ProtectOptions extends Omit<RequireSessionOptions, 'bearer' | 'maxAgeMs'> {
  /**
   * Paths for signed-in users, including everything below them: `/account`, or `/` for all paths. Patterns such as `/account/*`
   * are refused. Default: none. A request gets 400 if routers might read its path in several ways.
   *
   * `protect: ['/']` with `open` protects all pages that you do not list, so no rewritten path gets around it.
   */
  readonly protect?: readonly string[] | undefined;
  /**
   * Paths below the protected ones that need no session: exactly as written, and below. `/` is the home page alone. The data that
   * SvelteKit, React Router and Nuxt fetch for an open page is open, too. Rules for paths below an open path still apply.
   */
  readonly open?: readonly string[] | undefined;
  /** Redirect browsers that open a protected page to the sign-in, and back afterwards; default true. If false, they get 401. */
  readonly signIn?: NonNullable<RequireSessionOptions['signIn']>;
  /**
   * Maximum time since the user authenticated, in milliseconds. A number applies to all of `protect`.
   * An object such as `{ '/password': 300_000 }` sets the age for each path, and protects these paths too.
   * Users who authenticated earlier must sign in again; scripts get a challenge (RFC 9470).
   */
  readonly maxAgeMs?: number | Readonly<Record<string, number>> | undefined;
  /**
   * Require a permission for each path, such as `{ '/reports': 'reports:read' }`. These paths are protected too. Users without the
   * permission get 403.
   */
  readonly permission?: Readonly<Record<string, PermissionName>> | undefined;
  /**
   * Handle the sign-in, the callback and the sign-out. `true` uses `/sign-in`, `/sign-up`, the path of `redirectUri` and `/sign-out`; pass an
   * object for other paths. Default: the application handles them. These paths never need a session.
   */
  readonly routes?: boolean | SessionRoutes | undefined;
  /**
   * Answer 403 to requests that pages of other origins send with the session cookie, for all paths: methods other than GET, HEAD and
   * OPTIONS, and WebSockets, unless they have a bearer token. An object also allows the origins that it lists. Default false, except
   * for the built-in routes. See `isCrossOrigin` of the sessions.
   */
  readonly csrf?: boolean | CrossOriginOptions | undefined;
}

const optionNames: OptionNames<ProtectOptions> = {
  protect: 1,
  open: 1,
  signIn: 1,
  maxAgeMs: 1,
  permission: 1,
  routes: 1,
  csrf: 1,
  page: 1,
};
const routeNames: OptionNames<SessionRoutes> = {
  signIn: 1,
  signUp: 1,
  signOut: 1,
  callback: 1,
  session: 1,
  accessToken: 1,
  afterSignOut: 1,
};

const accessTokenNames: OptionNames<AccessTokenRoute> = { path: 1, impersonators: 1 };
const crossOriginNames: OptionNames<CrossOriginOptions> = { origins: 1 };

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

/**
 * Check the options, and create the function that decides about requests.
 *
 * @param caller Name of the public function, for messages.
 * @param ownNames Names of the options that only the caller has.
 * @throws {ConfigurationError} `invalid_option`: an option is unknown or of another type, a path can never match, or `maxAgeMs`
 * applies to no path.
 */
export function pathGuard<Options extends ProtectOptions>(
  caller: string,
  given: Options,
  ownNames?: OptionNames<Omit<Options, keyof ProtectOptions>>,
): PathGuard {
  checkObject<object>(caller, given, { ...optionNames, ...ownNames });
  // A copy, so that later changes have no effect.
  const options: ProtectOptions = { ...given };
  const routes = checkedRoutes(caller, options.routes);
  checkBooleanOrObject('signIn', options.signIn);
  const allowed = checkedCsrf(caller, options.csrf);
  const rules = rulesIn(options);
  const openPaths = listIn('open', options.open).map((path) => encodePath(checkedPath('open', path)));

  /** The response to a forged request, or to one of the built-in routes. */
  const ownAnswer = async (sessions: SessionHandler, request: RoutedRequest): Promise<Answer | undefined> => {
    if (allowed && mayChange(request) && (await sessions.isCrossOrigin?.(request, allowed))) {
      publishRefusal('cross_origin');
      return answerOf(crossOriginResult(request), options);
    }
    const result = routes && (await sessions.route?.(request, routes === true ? {} : routes, allowed));
    return result ? forRouter(request, answerOf(result, options), options) : undefined;
  };

  return async (sessions, request, checkCookie, addresses) => {
    const answer = await ownAnswer(sessions, request);
    if (answer) return { auth: uncheckedCookie(), refusal: answer };
    if (rules.length === 0) return { auth: await checkCookie() };
    const pathRules = rulesFor(addresses ?? addressesOf(request), rules, openPaths);
    if (!pathRules) {
      publishRefusal('bad_path');
      return { auth: uncheckedCookie(), refusal: badPath(request, options) };
    }
    const [rule] = pathRules;
    if (!rule) return { auth: await checkCookie() };

    const target = targetOf(request.url);
    const requirements = requirementsOf(pathRules, options);
    const admission = await decideAdmission(sessions, request, target, checkCookie, requirements, rule.path);
    const refusal = refusalOf(request, admission, pathRules, options);
    return refusal ? { ...admission, refusal } : admission;
  };
}

/** Check the option `routes`. @throws {ConfigurationError} */
function checkedRoutes(caller: string, routes: ProtectOptions['routes']): ProtectOptions['routes'] {
  checkBooleanOrObject('routes', routes);
  if (typeof routes !== 'object') return routes;
  checkObject(caller, routes, routeNames, 'routes.');
  const { afterSignOut, accessToken, ...paths } = routes;
  const isText = afterSignOut === undefined || (typeof afterSignOut === 'string' && afterSignOut !== '');
  checkOption(isText, 'routes.afterSignOut', 'must be an absolute URL');
  if (typeof accessToken === 'object') {
    checkObject(caller, accessToken, accessTokenNames, 'routes.accessToken.');
    checkBoolean('routes.accessToken.impersonators', accessToken.impersonators);
    checkedPath('routes.accessToken.path', accessToken.path);
  }
  const own = { ...paths, accessToken: typeof accessToken === 'object' ? undefined : accessToken };
  for (const [name, path] of Object.entries(own)) if (path !== undefined) checkedPath(`routes.${name}`, path);
  return { ...routes, accessToken: typeof accessToken === 'object' ? { ...accessToken } : accessToken };
}

/** Check the option `csrf`. @throws {ConfigurationError} */
function checkedCsrf(caller: string, csrf: ProtectOptions['csrf']): CrossOriginOptions | undefined {
  checkBooleanOrObject('csrf', csrf);
  if (typeof csrf !== 'object') return csrf ? {} : undefined;
  checkObject(caller, csrf, crossOriginNames, 'csrf.');
  return { origins: listIn('csrf.origins', csrf.origins).map(checkedOrigin) };
}

/** Check an origin, as browsers send it. @throws {ConfigurationError} */
function checkedOrigin(origin: unknown): string {
  const text = typeof origin === 'string' && origin !== 'null' ? origin : '';
  const isOrigin = text !== '' && parsedUrl(text)?.origin === text;
  checkOption(isOrigin, 'csrf.origins', 'must contain origins, such as https://admin.example.com');
  return text;
}

/** The requirements of a path, besides a session. */
interface Rule extends PathRule {
  readonly maxAgeMs?: number | undefined;
  readonly permission?: PermissionName | undefined;
}

/** Read the rules in the options. @throws {ConfigurationError} */
function rulesIn({ protect, maxAgeMs, permission }: ProtectOptions): readonly Rule[] {
  const paths = listIn('protect', protect).map((path) => rulePath('protect', path));
  const age = typeof maxAgeMs === 'number' ? checkedAge('maxAgeMs', maxAgeMs) : undefined;
  checkOption(
    age === undefined || paths.length > 0,
    'maxAgeMs',
    'applies to the paths in protect, which is empty',
    'Add paths to protect, or pass an object with an age for each path',
  );
  const ages = recordIn('maxAgeMs', age === undefined ? maxAgeMs : undefined);
  return [
    ...paths.map((path) => ({ path, maxAgeMs: age })),
    ...ages.map(([path, ms]) => ({ path: rulePath('maxAgeMs', path), maxAgeMs: checkedAge('maxAgeMs', ms) })),
    ...recordIn('permission', permission).map(([path, name]) => ({
      path: rulePath('permission', path),
      permission: checkedPermission(name),
    })),
  ];
}

/** @throws {ConfigurationError} A permission without a name would let every user pass. */
function checkedPermission(name: unknown): PermissionName {
  checkOption(
    typeof name === 'string' && name !== '',
    'permission',
    `must name a permission for each path, not ${kindOf(name)}`,
    'If the name comes from a variable, check that it is set',
  );
  // Only the application knows its names.
  return name as PermissionName;
}

const rulePath = (option: keyof ProtectOptions, path: unknown): string => foldPath(checkedPath(option, path));

/** The options for a path. If several rules apply, the shortest age counts. */
function requirementsOf(rules: readonly Rule[], { signIn = true, page }: ProtectOptions): RequireSessionOptions {
  const ages = rules.flatMap((rule) => rule.maxAgeMs ?? []);
  return { signIn, page, ...(ages.length > 0 && { maxAgeMs: Math.min(...ages) }) };
}

/** The response to a request that may not pass, or undefined if it may. */
function refusalOf(
  request: RequestLike,
  { session, refusal }: Admission,
  rules: readonly Rule[],
  options: ProtectOptions,
): Answer | undefined {
  if (refusal) return forRouter(request, refusal, options);
  const unmet = rules.find(({ permission }) => permission !== undefined && !session?.has({ permission }));
  if (!unmet) return undefined;
  publishRefusal('forbidden', unmet.path);
  return answerRouter(request, targetOf(request.url), false, options.routes) ?? forbidden(request, options);
}

/** Replace a 401 by a response that client-side routers understand. */
const forRouter = (request: RequestLike, refusal: Answer, { signIn, routes }: ProtectOptions): Answer =>
  (refusal.status === 401 && answerRouter(request, targetOf(request.url), signIn !== false, routes)) || refusal;

/** Path and query of a request target. */
function targetOf(url = ''): string {
  const { pathname, search } = parsedUrl(url, 'http://site') ?? { pathname: url, search: '' };
  return pathname + search;
}
