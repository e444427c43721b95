import { checkNames, checkOption, type OptionNames } from '../../errors/known-options.js';
import { checkBoolean, checkObject, listIn } from '../../errors/option-values.js';
import { ConfigurationError } from '../../errors/sallyport-error.js';
import { isEmulatorKey, setting, variable } from '../../http/environment.js';
import { isLike } from '../../http/json.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { attemptMs, defaultMaxRetries } from '../../oauth/retries.js';
import { type CookieOptions, cookieOptionNames, cookieSettings } from '../cookie/cookies.js';
import { type ReaderOptions, type ReaderSettings, readerOptionNames } from '../read/reader-options.js';
import { limitNames } from '../read/session-limits.js';
import type { RetryPolicy } from '../refresh/authenticator.js';
import type { RefreshStore } from '../refresh/refresh-store.js';
import type { SessionHooks } from './hooks.js';

/** Options for refreshing sessions. */
export interface RefreshOptions {
  /**
   * Refresh an access token this many milliseconds before it expires; default 30,000, at most half of its lifetime. With 0, after it has
   * expired.
   */
  readonly aheadMs?: number | undefined;
  /** Milliseconds to keep new tokens for late requests with the old cookie; default 30,000. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for one attempt; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a request waits for new tokens; default 10,000. The refresh goes on after it. */
  readonly deadlineMs?: number | undefined;
  /**
   * Maximum number of retries without a further request, after 0.5, 2 and 8 seconds; default 3. Further requests retry as long as the
   * cookie lasts. After a 429, only they do.
   */
  readonly maxRetries?: number | undefined;
  /**
   * Store shared by all replicas. Only needed for a service that ignores idempotency keys, and for processes that start while the service
   * is down: it holds a sealed copy of the service's keys.
   */
  readonly store?: RefreshStore | undefined;
}

/** Options of `createSessions`. */
export interface SessionsOptions extends Omit<ReaderOptions, 'cookie'>, SessionHooks {
  /** Secret key of your application, prefix `sk_`; default `SALLYPORT_API_KEY`, or `WORKOS_API_KEY` in dialect `workos`. A public client has none. */
  readonly apiKey?: string | undefined;
  /** Options of the cookie. */
  readonly cookie?: CookieOptions | undefined;
  /** Options for refreshing sessions. */
  readonly refresh?: RefreshOptions | undefined;
  /** Redirect URI of the sign-in, as registered with the service; default `SALLYPORT_REDIRECT_URI`. */
  readonly redirectUri?: string | undefined;
  /**
   * Redirect URIs for further hosts, such as preview deployments: exact, or with one `*` in the host, as in
   * `https://app-*-team.example.com/callback`. The `*` stands for letters, digits and hyphens of one label, and not for the last two
   * labels. Plain `http:` is for this machine only. Users return to the first address with the origin of the request, otherwise to
   * `redirectUri`, and only there can the sign-in finish. Register each address with the service.
   *
   * The origin is that of the request's URL. Requests of Node have only a path, so `Host` counts, or `:authority` over HTTP/2, with the
   * protocol of the address. Capitals, a final dot and the default port make no difference. A client that sends another `Host` cannot
   * lead a code elsewhere: only listed addresses match, and the service accepts only registered ones. A wrong address, or `cookie.domain` with several hosts, is reported when a user signs in.
   */
  readonly redirectUris?: readonly string[] | undefined;
  /**
   * Take the origin of the request from `X-Forwarded-Host` and `X-Forwarded-Proto`, for `redirectUris` and `isCrossOrigin` behind a
   * proxy that sets or removes both; default false.
   */
  readonly trustProxy?: boolean | undefined;
  /**
   * End a session at the service from this server as well, with a request to the logout URL, when the user signs out or `onSignedIn`
   * refuses the user; default true. With false, a session ends only if the browser follows the redirect of `signOut`, and a copied
   * cookie may outlast it.
   */
  readonly endSessions?: boolean | undefined;
}

const optionNames: OptionNames<SessionsOptions> = {
  ...readerOptionNames,
  apiKey: 1,
  redirectUri: 1,
  redirectUris: 1,
  trustProxy: 1,
  endSessions: 1,
  refresh: 1,
  onSignedIn: 1,
  onRefreshed: 1,
  onSignedOut: 1,
};
const refreshNames: OptionNames<RefreshOptions> = {
  aheadMs: 1,
  graceMs: 1,
  timeoutMs: 1,
  deadlineMs: 1,
  maxRetries: 1,
  store: 1,
};

/** Refuse unknown options of `createSessions`. @throws {ConfigurationError} `invalid_option`. */
export function checkSessionsOptions(options: SessionsOptions): void {
  checkNames('createSessions', options, optionNames);
  checkNames('createSessions', options.cookie, cookieOptionNames, 'cookie.');
  checkNames('createSessions', options.refresh, refreshNames, 'refresh.');
  checkObject('createSessions', options.limits, limitNames, 'limits.');
  listIn('redirectUris', options.redirectUris);
  checkBoolean('trustProxy', options.trustProxy);
  checkBoolean('endSessions', options.endSessions);
}

/** The checked options that only sessions use, with defaults. */
export type SessionsSettings = Readonly<ReturnType<typeof sessionsSettings>>;

function checkedHooks({ onSignedIn, onRefreshed, onSignedOut }: SessionHooks): SessionHooks {
  const hooks = { onSignedIn, onRefreshed, onSignedOut };
  for (const [name, hook] of Object.entries(hooks))
    checkOption(hook === undefined || typeof hook === 'function', name, 'must be a function');
  return hooks;
}

/** Return the paths of all redirect URIs. */
export const callbackPathsOf = ({
  redirectUri = variable('SALLYPORT_REDIRECT_URI'),
  redirectUris,
}: Pick<SessionsOptions, 'redirectUri' | 'redirectUris'>): readonly string[] =>
  [redirectUri ?? [], redirectUris ?? []].flat().flatMap((uri) => parsedUrl(uri)?.pathname ?? []);

/** Check the API key. The key of an emulator is never sent to the public service. @throws {ConfigurationError} */
function checkKey(apiKey: string | undefined, baseUrl: string): void {
  checkOption(apiKey === undefined || isLike(apiKey, /^[\x21-\x7e]+$/), 'apiKey', 'must be an API key');
  if (isEmulatorKey(apiKey, baseUrl))
    throw new ConfigurationError('missing_base_url', {
      what: 'The option baseUrl is missing',
      why: 'The API key is one of an emulator',
      next: 'Pass baseUrl or set SALLYPORT_BASE_URL',
    });
}

/** Check the options for refreshing sessions, and add defaults. @throws {ConfigurationError} */
function refreshSettings({
  aheadMs = 30_000,
  graceMs = 30_000,
  timeoutMs = attemptMs,
  deadlineMs = 10_000,
  maxRetries = defaultMaxRetries,
  store,
}: RefreshOptions) {
  for (const [name, value] of Object.entries({ aheadMs, graceMs, maxRetries }))
    checkOption(Number.isFinite(value) && value >= 0, `refresh.${name}`, 'must be a number, 0 or more');
  // Timers with a longer delay fire immediately.
  for (const [name, value] of Object.entries({ timeoutMs, deadlineMs }))
    checkOption(value > 0 && value < 2 ** 30, `refresh.${name}`, 'must be a number of milliseconds, 1 or more');
  const isStore = !store || (['get', 'set', 'lock'] as const).every((name) => typeof store[name] === 'function');
  checkOption(isStore, 'refresh.store', 'must have get, set and lock');
  checkOption(!store || graceMs, 'refresh.graceMs', 'must be greater than 0 if there is a store');
  const retryPolicy: RetryPolicy = { timeoutMs, deadlineMs, maxRetries };
  return { aheadMs, graceMs, retryPolicy, store };
}

/** Check the options that only sessions use, and add defaults. @throws {ConfigurationError} */
export function sessionsSettings(
  options: SessionsOptions,
  { baseUrl, cookieName, dialect }: Pick<ReaderSettings, 'baseUrl' | 'cookieName' | 'dialect'>,
) {
  const { apiKey = setting('API_KEY', dialect), refresh = {} } = options;
  const { redirectUri = variable('SALLYPORT_REDIRECT_URI'), redirectUris = [] } = options;
  const { trustProxy = false, endSessions = true } = options;
  checkKey(apiKey, baseUrl);
  checkOption(
    redirectUri === undefined || parsedUrl(redirectUri)?.protocol.startsWith('http'),
    'redirectUri',
    'must be an absolute URL, with https:// or http://',
  );
  // The cookies are set on the redirect URI.
  const insecure = (redirectUri ?? redirectUris[0] ?? baseUrl).startsWith('http:');
  const cookie = cookieSettings({ ...options.cookie, name: cookieName }, insecure);
  const callbackPaths = callbackPathsOf({ redirectUri, redirectUris });
  checkOption(
    callbackPaths.every((path) => `${path}/`.startsWith(cookie.path.replace(/\/?$/, '/'))),
    'cookie.path',
    'must cover redirectUri',
  );
  return {
    ...refreshSettings(refresh),
    hooks: checkedHooks(options),
    apiKey,
    redirectUri,
    redirectUris,
    callbackPaths,
    trustProxy,
    endSessions,
    cookie,
  };
}
