import { type JwkSet, type KeyCopy, pinnedKeys, remoteKeys } from '../../crypto/key-set.js';
import { type Password, passwordRing } from '../../crypto/seal.js';
import type { OptionNames } from '../../errors/known-options.js';
import { checkOption } from '../../errors/known-options.js';
import { checkedBaseUrl } from '../../http/base-url.js';
import { chosenDialect, configured } from '../../http/environment.js';
import type { Fetch } from '../../http/fetch.js';
import { isText } from '../../http/json.js';
import type { AuthorizationNames } from '../../oauth/authorization-names.js';
import type { DialectChoice } from '../../service/describe/dialect.js';
import { defaultCookieName } from '../cookie/cookies.js';
import type { KeyCopyAccess } from './key-copy.js';
import type { SessionProblem } from './problem-texts.js';
import { recentChanges, withEnded } from './recent-changes.js';
import { reporter } from './reporter.js';
import type { Revocations } from './revocations.js';
import { checkedLimits, type SessionLimitsOptions } from './session-limits.js';
import type { SessionCache } from './verified-cache.js';

/** Options of `createTokenVerifier`. */
export interface TokenOptions {
  /** Id of your application; default `SALLYPORT_CLIENT_ID`, or `WORKOS_CLIENT_ID` in dialect `workos`. */
  readonly clientId?: string | undefined;
  /**
   * URL of the service, with or without a path; default `SALLYPORT_BASE_URL`, or `https://api.workos.com` in dialect `workos`. If this option
   * is present without a value and nothing chooses a dialect, the error is `missing_base_url`. The key set is fetched from
   * `/sso/jwks/<client id>` below it, or from `jwksPath` of the dialect.
   */
  readonly baseUrl?: string | undefined;
  /**
   * The dialect of the service: `spec`, `workos`, or your own names; default `SALLYPORT_DIALECT`, or `spec`. If nothing chooses a dialect or
   * an address, it is `workos`.
   */
  readonly dialect?: Extract<DialectChoice, string> | DialectNames | undefined;
  /** Key set of the service, if you know it in advance. It is then never fetched. */
  readonly keys?: JwkSet | undefined;
  /** Accepted issuers, compared character by character; default: any. */
  readonly issuer?: string | readonly string[] | undefined;
  /** Accepted audiences. The token must name one of them; default: any. */
  readonly audience?: string | readonly string[] | undefined;
  /** Tolerated clock difference in milliseconds; default 5,000, at most 300,000. */
  readonly clockToleranceMs?: number | undefined;
  /** Maximum lifetime of an access token in milliseconds, from its issue; default 86,400,000, a day. Longer-lived tokens are refused. */
  readonly maxTokenLifetimeMs?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Cache of verified sessions: `sessionCache()`; default: none. */
  readonly cache?: SessionCache | undefined;
  /** Ends revoked sessions before their tokens expire: `followRevocations()` of `sallyport/streams`; default: none. */
  readonly revocations?: Revocations | undefined;
  /**
   * Called with problems that are not visible in the result and that only you can fix: a wrong password, key, URL or clock. An outage of
   * the keys is reported when it begins (`keys_unavailable`) and when it has ended (`keys_restored`), not for each request.
   * During development, each is also logged to the console once. Errors it throws are ignored.
   */
  readonly onProblem?: ((problem: SessionProblem) => void) | undefined;
  /** Allow plain `http:` for a service that is not on this machine. */
  readonly allowInsecure?: boolean | undefined;
}

/** The names of a dialect that sessions use. */
export interface DialectNames extends AuthorizationNames {
  /** Name of the session cookie; default `wos-session`, or `sallyport-session` in dialect `spec`. */
  readonly cookieName?: string | undefined;
  /** Path of the key set; default `/sso/jwks/:client_id`. */
  readonly jwksPath?: string | undefined;
}

/** Options of `createSessionReader`. */
export interface ReaderOptions extends TokenOptions {
  /**
   * Password of the cookie, 32 characters or more; default `SALLYPORT_COOKIE_PASSWORD`, or `WORKOS_COOKIE_PASSWORD` in dialect `workos`. During a rotation, pass a list: the first
   * password seals, and any of them opens.
   */
  readonly cookiePassword?: Password | undefined;
  /** The cookie: `name`, default `wos-session`, or `sallyport-session` in dialect `spec`. */
  readonly cookie?: { readonly name?: string | undefined } | undefined;
  /** When sessions end by themselves; default: never. A reader needs the same limits as the sessions, and never prolongs them. */
  readonly limits?: SessionLimitsOptions | undefined;
}

/** The names of the options of `createTokenVerifier`. */
export const tokenOptionNames: OptionNames<TokenOptions> = {
  clientId: 1,
  baseUrl: 1,
  dialect: 1,
  keys: 1,
  issuer: 1,
  audience: 1,
  clockToleranceMs: 1,
  maxTokenLifetimeMs: 1,
  fetch: 1,
  now: 1,
  cache: 1,
  revocations: 1,
  onProblem: 1,
  allowInsecure: 1,
};

/** The names of the options of `createSessionReader`. */
export const readerOptionNames: OptionNames<ReaderOptions> = {
  ...tokenOptionNames,
  cookiePassword: 1,
  cookie: 1,
  limits: 1,
};

/** The checked options of a verifier, with defaults. */
export type TokenSettings = Readonly<ReturnType<typeof tokenSettings>>;

/** The checked options of a reader, with defaults. */
export type ReaderSettings = Readonly<ReturnType<typeof readerSettings>>;

/**
 * Check the options of a reader, and add defaults.
 *
 * @param copyOf Creates the copy of the keys.
 * @throws {ConfigurationError}
 */
export function readerSettings(
  options: ReaderOptions,
  copyOf?: (access: Omit<KeyCopyAccess, 'store'>) => KeyCopy | undefined,
) {
  const ring = passwordRing(
    configured('cookiePassword', options.cookiePassword, 'cookie_password', chosenDialect(options)),
  );
  const settings = tokenSettings(options, copyOf && ((source) => copyOf({ ...source, ring })));
  return {
    ...settings,
    ring,
    cookieName: cookieNameOf(options),
    limits: checkedLimits(options.limits),
  };
}

/** Return the name of the session cookie, which needs no setting. */
export function cookieNameOf(options: ReaderOptions): string {
  const chosen = chosenDialect(options);
  const { cookieName = chosen === 'workos' ? 'wos-session' : defaultCookieName } = customNames(chosen);
  return options.cookie?.name ?? cookieName;
}

/** Refuse a dialect that sessions cannot use. @throws {ConfigurationError} `invalid_option`. */
function checkDialect(dialect: DialectNames | string): asserts dialect is NonNullable<TokenOptions['dialect']> {
  const isPreset = dialect === 'spec' || dialect === 'workos';
  const isOwn = typeof dialect === 'object' && dialect?.hostedProvider && dialect.authorizeOrganizationParam;
  checkOption(isPreset || isOwn, 'dialect', 'must be spec, workos or an object with your names');
}

/** Get the names of a custom dialect. */
const customNames = (dialect: DialectNames | string): Partial<DialectNames> =>
  typeof dialect === 'string' ? {} : dialect;

/** Check what a token must be, and add defaults. @throws {ConfigurationError} `invalid_option`. */
export function tokenChecks({
  issuer,
  audience,
  clockToleranceMs = 5_000,
  maxTokenLifetimeMs = 86_400_000,
  now = () => Date.now(),
}: Pick<TokenOptions, 'issuer' | 'audience' | 'clockToleranceMs' | 'maxTokenLifetimeMs' | 'now'>) {
  for (const [name, value] of Object.entries({ issuer, audience })) {
    const texts = [value].flat();
    checkOption(
      value === undefined || (texts.length && texts.every(isText)),
      name,
      'must be a string or a list of strings',
    );
  }
  checkOption(
    Number.isInteger(clockToleranceMs) && clockToleranceMs >= 0 && clockToleranceMs <= 300_000,
    'clockToleranceMs',
    'must be a whole number of milliseconds from 0 to 300,000',
  );
  checkOption(
    typeof maxTokenLifetimeMs === 'number' && maxTokenLifetimeMs > 0,
    'maxTokenLifetimeMs',
    'must be a number of milliseconds, 1 or more',
  );
  return { issuer, audience, clockToleranceMs, maxTokenLifetimeMs, now };
}

/**
 * Check the options of a verifier, and add defaults.
 *
 * @param copyOf Creates the copy of the keys.
 * @throws {ConfigurationError}
 */
export function tokenSettings(
  options: TokenOptions,
  copyOf?: (source: Omit<KeyCopyAccess, 'store' | 'ring'>) => KeyCopy | undefined,
) {
  const { cache, revocations, onProblem, fetch } = options;
  const dialect = chosenDialect(options);
  checkDialect(dialect);
  const clientId = configured('clientId', options.clientId, 'client_id', dialect);
  const address = configured('baseUrl', options.baseUrl, 'base_url', dialect);
  const { jwksPath = '/sso/jwks/:client_id' } = customNames(dialect);
  const checks = tokenChecks(options);
  const { now } = checks;
  // An attacker who changes the key set in transit could sign tokens.
  const { baseUrl, loopback } = checkedBaseUrl(address, options.allowInsecure);
  revocations?.onStale(onProblem);
  const scope = `${baseUrl} ${clientId}`;
  const changes = recentChanges(scope, fetch);
  const url = baseUrl + jwksPath.replace(':client_id', encodeURIComponent(clientId));
  const keys = options.keys
    ? pinnedKeys(options.keys)
    : remoteKeys({ url, fetch, now, copy: copyOf?.({ url, clientId, now }) });
  return {
    keys,
    clientId,
    dialect,
    baseUrl,
    ...checks,
    cache,
    revocations: withEnded(revocations, changes, now),
    changes,
    scope,
    report: reporter({ baseUrl, onProblem, keys }, loopback),
  };
}
