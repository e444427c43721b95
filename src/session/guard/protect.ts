import { checkOption } from '../../errors/check-option.js';
import { checkNames, type OptionNames } from '../../errors/known-options.js';
import { parsedUrl } from '../../http/parsed-url.js';
import type { PermissionName } from '../../oauth/sallyport-types.js';
import type { HandleResult } from '../refresh/results.js';
import type { RequestLike } from '../request/request.js';
import { type Answer, answerOf } from '../sign-in/respond.js';
import type { AccessTokenRoute, SessionRoutes } from '../sign-in/session-routes.js';
import { badPath, forbidden } from './deny.js';
import { decideAdmission, publishRefusal, uncheckedCookie } from './guard.js';
import type { Admission, RequireSessionOptions, SessionHandler } from './guard-options.js';
import { canonicalPath, checkedPath, encodePath, foldPath, isOpen, isWithin, targetPath } from './paths.js';
import { answerRouter } from './router-requests.js';

/** Options for protected paths and built-in routes. */
export interface ProtectOptions extends Omit<RequireSessionOptions, 'bearer' | 'maxAgeMs'> {
  /**
   * Paths for signed-in users, including everything below them: `/account`, or `/` for all paths. Patterns such as `/account/*`
   * are refused. Default: none. A request gets 400 if routers might read its path in several ways.
   */
  readonly protect?: readonly string[] | undefined;
  /** Paths below the protected ones that need no session. */
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
}

const optionNames: OptionNames<ProtectOptions> = {
  protect: 1,
  open: 1,
  signIn: 1,
  maxAgeMs: 1,
  permission: 1,
  routes: 1,
  page: 1,
};
const routeNames: OptionNames<SessionRoutes> = {
  signIn: 1,
  signUp: 1,
  signOut: 1,
  callback: 1,
  accessToken: 1,
  afterSignOut: 1,
};

const accessTokenNames: OptionNames<AccessTokenRoute> = { path: 1, impersonators: 1 };

/**
 * Decides whether a request may pass, based on its path.
 *
 * @param checkCookie Checks the cookie.
 * @param path The path to decide on, if it is not the one in `request`.
 */
export type PathGuard = (
  sessions: SessionHandler,
  request: RequestLike,
  checkCookie: () => Promise<HandleResult>,
  path?: string,
) => Promise<Admission>;

/**
 * Check the options, and create the function that decides about requests.
 *
 * @param caller Name of the public function, for messages.
 * @throws {ConfigurationError} `invalid_option`: an option is unknown, a path can never match, or `maxAgeMs` applies to no path.
 */
export function pathGuard(caller: string, options: ProtectOptions): PathGuard {
  const { routes } = options;
  checkNames(caller, options, optionNames);
  if (typeof routes === 'object') {
    checkNames(caller, routes, routeNames, 'routes.');
    if (typeof routes.accessToken === 'object')
      checkNames(caller, routes.accessToken, accessTokenNames, 'routes.accessToken.');
  }
  const rules = rulesIn(options);
  const openPaths = (options.open ?? []).map((path) => encodePath(checkedPath('open', path)));

  return async (sessions, request, checkCookie, path) => {
    const { url = '' } = request;
    const routeResult = routes && (await sessions.route?.(request, routes === true ? {} : routes));
    if (routeResult)
      return { auth: uncheckedCookie(), refusal: forRouter(request, answerOf(routeResult, options), options) };
    if (rules.length === 0) return { auth: await checkCookie() };
    const pathRules = rulesFor(path ?? targetPath(url), rules, openPaths);
    if (!pathRules) {
      publishRefusal('bad_path');
      return { auth: uncheckedCookie(), refusal: badPath(request, options) };
    }
    const [rule] = pathRules;
    if (!rule) return { auth: await checkCookie() };

    const requirements = requirementsOf(pathRules, options);
    const admission = await decideAdmission(sessions, request, targetOf(url), checkCookie, requirements, rule.path);
    const refusal = refusalOf(request, admission, pathRules, options);
    return refusal ? { ...admission, refusal } : admission;
  };
}

/** The requirements of a path, besides a session. */
interface Rule {
  readonly path: string;
  readonly maxAgeMs?: number | undefined;
  readonly permission?: PermissionName | undefined;
}

/** Read the rules in the options. @throws {ConfigurationError} */
function rulesIn({ protect = [], maxAgeMs = {}, permission = {} }: ProtectOptions): readonly Rule[] {
  const age = typeof maxAgeMs === 'number' ? maxAgeMs : undefined;
  checkOption(
    age === undefined || protect.length > 0,
    'maxAgeMs',
    'applies to the paths in protect, which is empty',
    'Add paths to protect, or pass an object with an age for each path',
  );
  const ages = typeof maxAgeMs === 'number' ? {} : maxAgeMs;
  return [
    ...protect.map((path) => ({ path: rulePath('protect', path), maxAgeMs: age })),
    ...Object.entries(ages).map(([path, ms]) => ({ path: rulePath('maxAgeMs', path), maxAgeMs: Number(ms) })),
    ...Object.entries(permission).map(([path, name]) => ({ path: rulePath('permission', path), permission: name })),
  ];
}

const rulePath = (option: keyof ProtectOptions, path: string): string => foldPath(checkedPath(option, path));

/** Get the rules for a path: none if it is open, undefined if routers could read it in several ways. */
function rulesFor(
  rawPath: string | undefined,
  rules: readonly Rule[],
  openPaths: readonly string[],
): readonly Rule[] | undefined {
  const path = rawPath === undefined ? undefined : canonicalPath(rawPath);
  if (rawPath === undefined || path === undefined) return undefined;
  if (openPaths.some((one) => isOpen(rawPath, one))) return [];
  return rules.filter((rule) => isWithin(foldPath(path), rule.path));
}

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
