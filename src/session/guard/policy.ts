import type { OptionNames } from '../../errors/known-options.js';
import { checkOption } from '../../errors/known-options.js';
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
import type { TokenVerifier } from '../read/token-verifier.js';
import type { CrossOriginOptions } from '../sign-in/request-origin.js';
import type { RespondOptions } from '../sign-in/respond.js';
import type { AccessTokenRoute, SessionRoutes } from '../sign-in/session-routes.js';
import type { StartSignInOptions } from '../sign-in/sign-in.js';
import type { Sessions } from '../types.js';
import type { PathRule } from './decide.js';
import { checkedPath, encodePath, foldPath } from './paths.js';

/** The parts of `Sessions` that middleware uses, or a `TokenVerifier`, which ignores cookies. */
export type SessionHandler = TokenVerifier &
  Partial<Pick<Sessions, 'handle' | 'startSignIn' | 'route' | 'isCrossOrigin'>>;

/**
 * Sessions, or a function that chooses them for each request if one program serves several applications or domains. Create the
 * sessions of each application once. Compare `Host` with names you know, because the sender controls it.
 */
export type SessionChoice<Incoming = Request, Handler = SessionHandler> =
  | Handler
  | ((request: Incoming) => Handler | Promise<Handler>);

/** Options of `requireSession`. */
export interface RequireSessionOptions extends RespondOptions {
  /**
   * Redirect browsers that open a page to the sign-in, and back afterwards. All other requests, including forms and data, still
   * get 401. A user who submits a form sees a page with a link back to it.
   */
  readonly signIn?: boolean | Omit<StartSignInOptions, 'returnTo'>;
  /**
   * Also accept access tokens of users, sent as `Authorization: Bearer …` by single-page and mobile applications. If a request has
   * one, its cookie is ignored, no cookie is set, and it is never redirected to the sign-in. Machine tokens have no session and
   * are refused. Default: true with `createTokenVerifier`, otherwise false.
   */
  readonly bearer?: boolean;
  /**
   * Maximum time since the user authenticated, in milliseconds. Users who authenticated earlier get a challenge (RFC 9470), or must
   * sign in again if `signIn` is set. No user passes if the service does not report this time.
   */
  readonly maxAgeMs?: number;
}

const guardOptionNames: OptionNames<RequireSessionOptions> = { signIn: 1, bearer: 1, maxAgeMs: 1, page: 1 };

/** Check the options of `requireSession`, and copy them, so that later changes have no effect. @throws {ConfigurationError} */
export function checkedGuardOptions(given: RequireSessionOptions | undefined): RequireSessionOptions {
  checkObject('requireSession', given, guardOptionNames);
  const options = { ...given };
  const { signIn, bearer, maxAgeMs } = options;
  checkBooleanOrObject('signIn', signIn);
  checkBoolean('bearer', bearer);
  // An age from an unset variable must not let every session pass.
  if ('maxAgeMs' in options) checkedAge('maxAgeMs', maxAgeMs);
  return options;
}

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

/** The checked options for protected paths: open paths as browsers send them, and no `csrf` if requests of all origins are allowed. */
export type Policy = Readonly<ReturnType<typeof checkedPolicy>>;

/**
 * Check the options, and copy them, so that later changes have no effect.
 *
 * @param caller Name of the public function, for messages.
 * @param ownNames Names of the options that only the caller has.
 * @throws {ConfigurationError} `invalid_option`: an option is unknown or of another type, a path can never match, or `maxAgeMs`
 * applies to no path.
 */
export function checkedPolicy<Options extends ProtectOptions>(
  caller: string,
  options: Options,
  ownNames?: OptionNames<Omit<Options, keyof ProtectOptions>>,
) {
  checkObject<object>(caller, options, { ...optionNames, ...ownNames });
  const { signIn = true, page } = options;
  const routes = checkedRoutes(caller, options.routes);
  checkBooleanOrObject('signIn', options.signIn);
  const csrf = checkedCsrf(caller, options.csrf);
  const rules = rulesIn(options);
  const openPaths = listIn('open', options.open).map((path) => encodePath(checkedPath('open', path)));
  return { rules, openPaths, signIn, routes, csrf, page };
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

/** Read the rules in the options. @throws {ConfigurationError} */
function rulesIn({ protect, maxAgeMs, permission }: ProtectOptions): readonly PathRule[] {
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
