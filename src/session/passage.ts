import { checkOption } from '../errors/check-option.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { parsedUrl } from '../http/parsed-url.js';
import type { PermissionName } from '../oauth/sallyport-types.js';
import { admission, nobody } from './guard.js';
import type { Admission, RequireSessionOptions, SessionHandler } from './guard-options.js';
import { asSent, canonicalPath, checkedPath, folded, isOpen, isWithin, targetPath } from './paths.js';
import type { RequestLike } from './request.js';
import { answerOf } from './respond.js';
import type { HandleResult } from './results.js';
import type { SessionRoutes } from './routes.js';

/** Options for the paths that need a session, and the paths that the sessions answer themselves. */
export interface PassageOptions extends Omit<RequireSessionOptions, 'bearer' | 'maxAgeSec'> {
  /**
   * Paths for signed-in users, including everything below: `/account`, or `/` for all. Patterns such as `/account/*` are refused.
   * Default: none. A request whose path routers might read in several ways gets 400.
   */
  readonly protect?: readonly string[] | undefined;
  /** Exceptions below the protected paths, which need no session. */
  readonly open?: readonly string[] | undefined;
  /** Redirect browsers that open a protected page to the sign-in, and back afterwards; default true. Otherwise they get 401. */
  readonly signIn?: NonNullable<RequireSessionOptions['signIn']>;
  /**
   * Require an authentication at most so many seconds ago. A number applies to all of `protect`. An object such as `{ '/password':
   * 300 }` sets the age for each path, and protects these paths too. Other users sign in again; scripts get a challenge as in RFC
   * 9470.
   */
  readonly maxAgeSec?: number | Readonly<Record<string, number>> | undefined;
  /**
   * Require a permission for each path, such as `{ '/reports': 'reports:read' }`. These paths are protected too. Users without the
   * permission get 403.
   */
  readonly permission?: Readonly<Record<string, PermissionName>> | undefined;
  /**
   * Answer the sign-in, the callback and the sign-out. `true` uses `/sign-in`, the path of `redirectUri` and `/sign-out`; pass an
   * object for other paths. Default: the application answers them. These paths never need a session.
   */
  readonly routes?: boolean | SessionRoutes | undefined;
}

const optionNames: OptionNames<PassageOptions> = {
  protect: 1,
  open: 1,
  signIn: 1,
  maxAgeSec: 1,
  permission: 1,
  routes: 1,
  page: 1,
};
const routeNames: OptionNames<SessionRoutes> = { signIn: 1, signOut: 1, callback: 1, afterSignOut: 1 };

/**
 * Decides by its path whether a request may pass.
 *
 * @param checkCookie Checks the cookie.
 * @param path The path to decide on, if it is not the one in `request`.
 */
export type Passage = (
  sessions: SessionHandler,
  request: RequestLike,
  look: () => Promise<HandleResult>,
  path?: string,
) => Promise<Admission>;

/**
 * Check the options, and create the function that decides about requests.
 *
 * @param caller Name of the public function, for messages.
 * @throws {ConfigurationError} `invalid_option`: a name is unknown, a path can never match, or an age has no path.
 */
export function passageOf(taker: string, given: PassageOptions): Passage {
  const { protect = [], open = [], maxAgeSec = {}, permission = {}, routes, ...options } = given;
  checkNames(taker, given, optionNames);
  if (typeof routes === 'object') checkNames(taker, routes, routeNames, 'routes.');
  const age = typeof maxAgeSec === 'number' ? maxAgeSec : undefined;
  checkOption(
    age === undefined || protect.length > 0,
    'maxAgeSec',
    'applies to the paths in protect, which is empty',
    'Add paths to protect, or pass an object with an age for each path',
  );
  const rules: readonly Rule[] = [
    ...protect.map((path) => ({ path: ruled('protect', path), maxAgeSec: age })),
    ...Object.entries(age === undefined ? maxAgeSec : {}).map(([path, seconds]) => ({
      path: ruled('maxAgeSec', path),
      maxAgeSec: Number(seconds),
    })),
    ...Object.entries(permission).map(([path, name]) => ({ path: ruled('permission', path), permission: name })),
  ];
  const opened = open.map((path) => asSent(checkedPath('open', path)));
  /** Get the rules for a path: none if it is open, undefined if routers could read it in several ways. */
  const rulesFor = (sent: string | undefined): readonly Rule[] | undefined => {
    const path = sent === undefined ? undefined : canonicalPath(sent);
    if (sent === undefined || path === undefined) return undefined;
    if (opened.some((one) => isOpen(sent, one))) return [];
    return rules.filter((rule) => isWithin(folded(path), rule.path));
  };

  return async (sessions, request, look, asPath) => {
    const own = routes && (await sessions.route?.(request, routes === true ? {} : routes));
    if (!own && rules.length === 0) return { auth: await look() };
    const { url = '' } = request;
    const met = own ? [] : rulesFor(asPath ?? targetPath(url));
    if (!met) return { auth: nobody(), refusal: (await import('./detours.js')).badPath(request, options) };
    if (!own && met.length === 0) return { auth: await look() };

    const { pathname, search } = parsedUrl(url, 'http://site') ?? { pathname: url, search: '' };
    const asked = pathname + search;
    const ages = met.flatMap((rule) => rule.maxAgeSec ?? []);
    const demands = { signIn: true, ...options, ...(ages.length > 0 && { maxAgeSec: Math.min(...ages) }) };
    const result: Admission = own
      ? { auth: nobody(), refusal: answerOf(own, options) }
      : await admission(sessions, request, asked, look, demands);
    const { session } = result;
    const isForbidden =
      session && met.some((rule) => rule.permission !== undefined && !session.has({ permission: rule.permission }));
    if (!isForbidden && result.refusal?.status !== 401) return result;
    const { forbidden, forRouter } = await import('./detours.js');
    const kinder = forRouter(request, asked, !isForbidden && demands.signIn !== false, routes);
    return { ...result, refusal: kinder ?? result.refusal ?? forbidden(request, options) };
  };
}

/** The requirements of a path, besides a session. */
interface Rule {
  readonly path: string;
  readonly maxAgeSec?: number | undefined;
  readonly permission?: PermissionName | undefined;
}

const ruled = (option: keyof PassageOptions, path: string): string => folded(checkedPath(option, path));
