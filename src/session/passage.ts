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

/** Which paths need a session, and which paths the sessions answer themselves. */
export interface PassageOptions extends Omit<RequireSessionOptions, 'bearer' | 'maxAgeSec'> {
  /**
   * Paths for users who are signed in, each with everything below it: `/account`, or `/` for all. Patterns such as `/account/*` are
   * refused. Default: none. A request whose path routers could read in several ways is answered with 400.
   */
  readonly protect?: readonly string[] | undefined;
  /** Paths below the protected ones that need no session. */
  readonly open?: readonly string[] | undefined;
  /** Send browsers that open a protected page to the sign-in, and back afterwards; default true, otherwise they get 401. */
  readonly signIn?: NonNullable<RequireSessionOptions['signIn']>;
  /**
   * Require a recent sign-in, at most so many seconds ago: a number for all of `protect`, or paths with a number each, such as
   * `{ '/password': 300 }`, which are then protected too. Other users sign in again; scripts are challenged as RFC 9470 describes.
   */
  readonly maxAgeSec?: number | Readonly<Record<string, number>> | undefined;
  /**
   * Require a permission: paths with a permission each, such as `{ '/reports': 'reports:read' }`, which are then protected too. Users
   * without it get 403.
   */
  readonly permission?: Readonly<Record<string, PermissionName>> | undefined;
  /**
   * Answer the sign-in, the callback and the sign-out: `true` for `/sign-in`, the path of `redirectUri` and `/sign-out`, or an object
   * with your own paths. Default: your application answers them. These paths never need a session.
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
 * Decides whether a request may pass, by its path.
 *
 * @param look Checks the cookie.
 * @param path The path that counts, if it is not the one of the request.
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
 * @throws {ConfigurationError} `invalid_option`: a name is unknown, a path can never match, or an age has no path.
 */
export function passageOf(taker: string, given: PassageOptions): Passage {
  const { protect = [], open = [], maxAgeSec = {}, permission = {}, routes, ...options } = given;
  checkNames(taker, given, optionNames);
  if (typeof routes === 'object') checkNames(taker, routes, routeNames, 'routes.');
  const age = typeof maxAgeSec === 'number' ? maxAgeSec : undefined;
  checkOption(age === undefined || protect.length > 0, 'maxAgeSec', 'needs paths', 'Name them in protect');
  const rules: readonly Rule[] = [
    ...protect.map((path) => ({ path: ruled('protect', path), maxAgeSec: age })),
    ...Object.entries(age === undefined ? maxAgeSec : {}).map(([path, seconds]) => ({
      path: ruled('maxAgeSec', path),
      maxAgeSec: Number(seconds),
    })),
    ...Object.entries(permission).map(([path, name]) => ({ path: ruled('permission', path), permission: name })),
  ];
  const opened = open.map((path) => asSent(checkedPath('open', path)));
  /** The rules for a path: none if it is open, undefined if routers could disagree about it. */
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

/** What a path asks of a session besides that there is one. */
interface Rule {
  readonly path: string;
  readonly maxAgeSec?: number | undefined;
  readonly permission?: PermissionName | undefined;
}

const ruled = (option: keyof PassageOptions, path: string): string => folded(checkedPath(option, path));
