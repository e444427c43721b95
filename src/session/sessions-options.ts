import { checkOption } from '../errors/check-option.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { variable } from '../http/environment.js';
import { isLike } from '../http/json.js';
import { parsedUrl } from '../http/parsed-url.js';
import { type CookieOptions, type CookieSettings, cookieNames, cookieSettings } from './cookies.js';
import { optionNames, type ReaderOptions, type ReaderSettings } from './reader-options.js';
import type { RefreshStore } from './refresh-store.js';
import type { GrantLimits } from './service.js';

/** How sessions are refreshed. */
export interface RefreshOptions {
  /** Seconds before its end at which an access token is refreshed; default 30, at most half of its life. With 0, once it has ended. */
  readonly aheadSec?: number | undefined;
  /** Milliseconds for which new tokens are kept for requests that come late with the old cookie; default 30,000. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for one attempt; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for all attempts; default 10,000. */
  readonly deadlineMs?: number | undefined;
  /** How often a refresh is repeated after the connection or the service failed; default 2. */
  readonly maxRetries?: number | undefined;
  /** Shared by all replicas; needed only with a service that does not honour idempotency keys. */
  readonly store?: RefreshStore | undefined;
}

/** What `createSessions` takes. */
export interface SessionsOptions extends Omit<ReaderOptions, 'cookie'> {
  /** Secret key of your application, prefix `sk_`; else `SALLYPORT_API_KEY`. A public client has none. */
  readonly apiKey?: string | undefined;
  /** How the cookie is set. */
  readonly cookie?: CookieOptions | undefined;
  /** How sessions are refreshed. */
  readonly refresh?: RefreshOptions | undefined;
  /** Address at which users come back from signing in, as it is registered with the service; else `SALLYPORT_REDIRECT_URI`. */
  readonly redirectUri?: string | undefined;
}

const refreshNames: OptionNames<RefreshOptions> = {
  aheadSec: 1,
  graceMs: 1,
  timeoutMs: 1,
  deadlineMs: 1,
  maxRetries: 1,
  store: 1,
};

/** Refuse an option that `createSessions` does not know. @throws {ConfigurationError} `invalid_option`. */
export function checkSessionsOptions(options: SessionsOptions): void {
  // With this type, the compiler finds an option whose name is missing.
  checkNames<SessionsOptions>('createSessions', options, optionNames);
  checkNames('createSessions', options.cookie, cookieNames, 'cookie.');
  checkNames('createSessions', options.refresh, refreshNames, 'refresh.');
}

/** The options that the reader has no use for, checked and completed. */
export interface SessionsSettings {
  readonly apiKey: string | undefined;
  readonly redirectUri: string | undefined;
  readonly cookie: CookieSettings;
  /** Milliseconds before its end from which on an access token is refreshed. */
  readonly aheadMs: number;
  readonly graceMs: number;
  readonly limits: GrantLimits;
  readonly store: RefreshStore | undefined;
}

/** The options that the reader has no use for, checked and completed. @throws {ConfigurationError} */
export function sessionsSettings(
  options: SessionsOptions,
  { baseUrl, cookieName }: Pick<ReaderSettings, 'baseUrl' | 'cookieName'>,
): SessionsSettings {
  const { apiKey = variable('SALLYPORT_API_KEY'), refresh = {} } = options;
  const { redirectUri = variable('SALLYPORT_REDIRECT_URI') } = options;
  checkOption(apiKey === undefined || isLike(apiKey, /^[\x21-\x7e]+$/), 'apiKey', 'must be an API key');
  const { aheadSec = 30, graceMs = 30_000, timeoutMs = 5_000, deadlineMs = 10_000, maxRetries = 2, store } = refresh;
  for (const [name, value] of Object.entries({ aheadSec, graceMs, maxRetries }))
    checkOption(Number.isFinite(value) && value >= 0, `refresh.${name}`, 'must be a number, 0 or more');
  // More, and timers would end at once.
  for (const [name, value] of Object.entries({ timeoutMs, deadlineMs }))
    checkOption(value > 0 && value < 2 ** 30, `refresh.${name}`, 'must be a number of milliseconds, 1 or more');
  const callback = parsedUrl(redirectUri ?? '');
  checkOption(
    redirectUri === undefined || callback?.protocol.startsWith('http'),
    'redirectUri',
    'must be an absolute address, with https:// or http://',
  );
  // Cookies are set where users come back to.
  const insecure = (redirectUri ?? baseUrl).startsWith('http:');
  const cookie = cookieSettings({ ...options.cookie, name: cookieName }, insecure);
  checkOption(
    !callback || `${callback.pathname}/`.startsWith(cookie.path.replace(/\/?$/, '/')),
    'cookie.path',
    'must cover redirectUri',
  );
  const isStore = !store || (['get', 'set', 'lock'] as const).every((name) => typeof store[name] === 'function');
  checkOption(isStore, 'refresh.store', 'must have get, set and lock');
  checkOption(!store || graceMs, 'refresh.graceMs', 'must be greater than 0 beside a store');
  return {
    apiKey,
    redirectUri,
    cookie,
    aheadMs: aheadSec * 1_000,
    graceMs,
    limits: { timeoutMs, deadlineMs, maxRetries },
    store,
  };
}
