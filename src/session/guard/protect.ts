import { checkOption } from '../../errors/check-option.js';
import { checkNames, type OptionNames } from '../../errors/known-options.js';
import { parsedUrl } from '../../http/parsed-url.js';
import type { PermissionName } from '../../oauth/sallyport-types.js';
import type { HandleResult } from '../refresh/results.js';
import type { RequestLike } from '../request/request.js';
import { answerOf } from '../sign-in/respond.js';
import type { SessionRoutes } from '../sign-in/routes.js';
import { decideAdmission, uncheckedCookie } from './guard.js';
import type { Admission, RequireSessionOptions, SessionHandler } from './guard-options.js';
import { canonicalPath, checkedPath, encodePath, foldPath, isOpen, isWithin, targetPath } from './paths.js';

/** Options for protected paths and built-in routes. */
export interface PassageOptions extends Omit<RequireSessionOptions, 'bearer' | 'maxAgeMs'> {
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
   * Handle the sign-in, the callback and the sign-out. `true` uses `/sign-in`, the path of `redirectUri` and `/sign-out`; pass an
   * object for other paths. Default: the application handles them. These paths never need a session.
   */
  readonly routes?: boolean | SessionRoutes | undefined;
}

const optionNames: OptionNames<PassageOptions> = {
  protect: 1,
  open: 1,
  signIn: 1,
  maxAgeMs: 1,
  permission: 1,
  routes: 1,
  page: 1,
};
const routeNames: OptionNames<SessionRoutes> = { signIn: 1, signOut: 1, callback: 1, afterSignOut: 1 };

/**
 * Decides whether a request may pass, based on its path.
 *
 * @param checkCookie Checks the cookie.
 * @param path The path to decide on, if it is not the one in `request`.
 */
export type PassageGuard = (
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
export function passageGuard(caller: string, passageOptions: PassageOptions): PassageGuard {
  const { protect = [], open = [], maxAgeMs = {}, permission = {}, routes, ...options } = passageOptions;
  checkNames(caller, passageOptions, optionNames);
  if (typeof routes === 'object') checkNames(caller, routes, routeNames, 'routes.');
  const age = typeof maxAgeMs === 'number' ? maxAgeMs : undefined;
  checkOption(
    age === undefined || protect.length > 0,
    'maxAgeMs',
    'applies to the paths in protect, which is empty',
    'Add paths to protect, or pass an object with an age for each path',
  );
  const rules: readonly Rule[] = [
    ...protect.map((path) => ({ path: rulePath('protect', path), maxAgeMs: age })),
    ...Object.entries(age === undefined ? maxAgeMs : {}).map(([path, ms]) => ({
      path: rulePath('maxAgeMs', path),
      maxAgeMs: Number(ms),
    })),
    ...Object.entries(permission).map(([path, name]) => ({ path: rulePath('permission', path), permission: name })),
  ];
  const openPaths = open.map((path) => encodePath(checkedPath('open', path)));
  /** Get the rules for a path: none if it is open, undefined if routers could read it in several ways. */
  const rulesFor = (rawPath: string | undefined): readonly Rule[] | undefined => {
    const path = rawPath === undefined ? undefined : canonicalPath(rawPath);
    if (rawPath === undefined || path === undefined) return undefined;
    if (openPaths.some((one) => isOpen(rawPath, one))) return [];
    return rules.filter((rule) => isWithin(foldPath(path), rule.path));
  };

  return async (sessions, request, checkCookie, path) => {
    const routeResult = routes && (await sessions.route?.(request, routes === true ? {} : routes));
    if (!routeResult && rules.length === 0) return { auth: await checkCookie() };
    const { url = '' } = request;
    const matchingRules = routeResult ? [] : rulesFor(path ?? targetPath(url));
    if (!matchingRules)
      return { auth: uncheckedCookie(), refusal: (await import('./rare-responses.js')).badPath(request, options) };
    if (!routeResult && matchingRules.length === 0) return { auth: await checkCookie() };

    const { pathname, search } = parsedUrl(url, 'http://site') ?? { pathname: url, search: '' };
    const target = pathname + search;
    const ages = matchingRules.flatMap((rule) => rule.maxAgeMs ?? []);
    const requirements = { signIn: true, ...options, ...(ages.length > 0 && { maxAgeMs: Math.min(...ages) }) };
    const result: Admission = routeResult
      ? { auth: uncheckedCookie(), refusal: answerOf(routeResult, options) }
      : await decideAdmission(sessions, request, target, checkCookie, requirements);
    const { session } = result;
    const isForbidden =
      session &&
      matchingRules.some((rule) => rule.permission !== undefined && !session.has({ permission: rule.permission }));
    if (!isForbidden && result.refusal?.status !== 401) return result;
    const { forbidden, answerRouter } = await import('./rare-responses.js');
    const routerAnswer = answerRouter(request, target, !isForbidden && requirements.signIn !== false, routes);
    return { ...result, refusal: routerAnswer ?? result.refusal ?? forbidden(request, options) };
  };
}

/** The requirements of a path, besides a session. */
interface Rule {
  readonly path: string;
  readonly maxAgeMs?: number | undefined;
  readonly permission?: PermissionName | undefined;
}

const rulePath = (option: keyof PassageOptions, path: string): string => foldPath(checkedPath(option, path));
