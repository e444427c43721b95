import { parsedUrl } from '../http/parsed-url.js';
import type { PermissionName } from '../oauth/sallyport-types.js';
import { admission, nobody } from './guard.js';
import type { Admission, RequireSessionOptions, SessionHandler } from './guard-options.js';
import type { RequestLike } from './request.js';
import { answerOf } from './respond.js';
import type { HandleResult } from './results.js';
import type { SessionRoutes } from './routes.js';

/** Who may pass to which paths, and which paths sessions answer by themselves. */
export interface PassageOptions extends Omit<RequireSessionOptions, 'bearer' | 'maxAgeSec'> {
  /** Paths for users who are signed in, each with everything below it: `/account`, or `/` for all. Default: none. */
  readonly protect?: readonly string[] | undefined;
  /** Paths below those that are for everybody. */
  readonly open?: readonly string[] | undefined;
  /** Send browsers that open a protected page to the sign-in, and back afterwards; default true, otherwise they get 401. */
  readonly signIn?: NonNullable<RequireSessionOptions['signIn']>;
  /**
   * Let only those pass who have proven who they are within so many seconds: a number for all of `protect`, or paths with a number
   * each, such as `{ '/password': 300 }`, which are then protected too. Others are asked to sign in again; scripts are challenged as
   * RFC 9470 describes.
   */
  readonly maxAgeSec?: number | Readonly<Record<string, number>> | undefined;
  /**
   * Let only those pass who have a permission: paths with a permission each, such as `{ '/reports': 'reports:read' }`, which are then
   * protected too. Others get 403.
   */
  readonly permission?: Readonly<Record<string, PermissionName>> | undefined;
  /**
   * Answer the sign-in, the callback and the sign-out as well: `true` for `/sign-in`, the path of `redirectUri` and `/sign-out`, or
   * an object with paths of your own. Default: these are yours. They are for everybody, whatever is protected.
   */
  readonly routes?: boolean | SessionRoutes | undefined;
}

/**
 * Says whether a request may pass, by its path.
 *
 * @param look Checks the cookie.
 * @param path The path that counts, where it is not the one of the address.
 */
export async function passage(
  sessions: SessionHandler,
  request: RequestLike,
  look: () => Promise<HandleResult>,
  { protect = [], open = [], maxAgeSec = {}, permission = {}, routes, ...options }: PassageOptions,
  path?: string,
): Promise<Admission> {
  const own = routes && (await sessions.route?.(request, routes === true ? {} : routes));
  const ages = typeof maxAgeSec === 'number' ? Object.fromEntries(protect.map((one) => [one, maxAgeSec])) : maxAgeSec;
  const guarded = [...protect, ...Object.keys(ages), ...Object.keys(permission)];
  // Most requests are none of the paths' business, and middleware sees them all.
  if (!own && guarded.length === 0) return { auth: await look() };
  const { url = '/' } = request;
  const { pathname, search } = parsedUrl(url, 'http://site') ?? { pathname: url, search: '' };
  // Routers go by the path as it was sent, without dots, or decoded, and some by neither case nor doubled slashes: what is
  // protected is so in every spelling, and what is open has to be so in each.
  const spellings = [path ?? url.replace(/^https?:\/\/[^/]*|[?#].*/gs, ''), path ?? pathname]
    .flatMap((one) => [one, decoded(one)])
    .map((one) => one.replace(/\/+/g, '/'));
  const isIn = (paths: readonly string[]): boolean => spellings.some((one) => covers(paths.map(lower), lower(one)));
  const met = Object.keys(ages).flatMap((one) => (isIn([one]) ? [Number(ages[one])] : []));
  const needed = Object.keys(permission).filter((one) => isIn([one]));
  const isProtected = isIn(guarded) && !spellings.every((one) => covers(open, one));
  const asked = pathname + search;
  const demands = { signIn: true, ...options, ...(met.length > 0 && { maxAgeSec: Math.min(...met) }) };
  const result: Admission = own
    ? { auth: nobody(), refusal: answerOf(own, options) }
    : isProtected
      ? await admission(sessions, request, asked, look, demands)
      : { auth: await look() };
  const { session } = result;
  const isForbidden = session && needed.some((one) => !session.has({ permission: permission[one] ?? '' }));
  if (!isForbidden && result.refusal?.status !== 401) return result;
  const { forbidden, forRouter } = await import('./detours.js');
  const kinder = forRouter(request, asked, !isForbidden && demands.signIn !== false, routes);
  return { ...result, refusal: kinder ?? result.refusal ?? forbidden(request, options) };
}

/** Whether a path is one of these or below; behind a `.` routers write the kind of answer. */
const covers = (paths: readonly string[], path: string): boolean =>
  paths
    .map((one) => one.replace(/\/+$/, ''))
    .some((one) => path.startsWith(one) && /^(?:[/.;]|$)/.test(path.slice(one.length)));

const lower = (path: string): string => path.toLowerCase();

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
