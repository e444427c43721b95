import { type JwkSet, type KeySet, pinnedKeys, remoteKeys } from '../crypto/key-set.js';
import { type Password, type PasswordRing, passwordRing } from '../crypto/passwords.js';
import { checkOption } from '../errors/check-option.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { checkedBaseUrl } from '../http/base-url.js';
import { configured } from '../http/environment.js';
import { isText } from '../http/json.js';
import type { AuthorizationNames } from '../oauth/authorization-names.js';
import type { DialectChoice } from '../service/describe/dialect.js';
import { cookieNames, usualName } from './cookies.js';
import type { SessionProblem } from './problem-texts.js';
import { type Report, reporter } from './problems.js';
import type { Revocations } from './revocations.js';
import type { SessionCache } from './verified-cache.js';

/** What `createTokenVerifier` takes. */
export interface TokenOptions {
  /** Id of your application; else `SALLYPORT_CLIENT_ID`. */
  readonly clientId?: string | undefined;
  /**
   * Address of the service, with or without a path; else `SALLYPORT_BASE_URL`. Its key set is fetched from
   * `/sso/jwks/<client id>` there, or from the path that the dialect names.
   */
  readonly baseUrl?: string | undefined;
  /** Names that differ between deployments: `spec` (default), `workos`, or your own. */
  readonly dialect?: Extract<DialectChoice, string> | DialectNames | undefined;
  /** The service's key set, if you know it beforehand; then nothing is ever fetched. */
  readonly keys?: JwkSet | undefined;
  /** Issuers to accept, compared letter by letter; any issuer by default. */
  readonly issuer?: string | readonly string[] | undefined;
  /** Audiences to accept: a token must be meant for one of them; any audience by default. */
  readonly audience?: string | readonly string[] | undefined;
  /** Whole seconds by which the service's clock may differ from yours; default 5, at most 300. */
  readonly clockToleranceSec?: number | undefined;
  /** Seconds that an access token may live, from when it was issued; default 86,400, a day. One that lives longer is refused. */
  readonly maxTokenLifetimeSec?: number | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Remembers verified sessions: `sessionCache()`; none by default. */
  readonly cache?: SessionCache | undefined;
  /** Ends sessions when they are revoked, before their tokens end: `followRevocations()` of `sallyport/streams`; none by default. */
  readonly revocations?: Revocations | undefined;
  /**
   * Called with whatever a result hides and only you can set right: a wrong password, key, address or clock. While you develop,
   * the console says so too, once. What it throws is dropped.
   */
  readonly onProblem?: ((problem: SessionProblem) => void) | undefined;
  /** Allow plain `http:` to a service that is not on this machine. */
  readonly allowInsecure?: boolean | undefined;
}

/** The names of a dialect that sessions need. */
export interface DialectNames extends AuthorizationNames {
  /** Name of the session cookie; default `sallyport-session`. */
  readonly cookieName?: string | undefined;
  /** Path of the key set; default `/sso/jwks/:client_id`. */
  readonly jwksPath?: string | undefined;
}

/** What `createSessionReader` takes. */
export interface ReaderOptions extends TokenOptions {
  /**
   * Password of the cookie, 32 characters or more; or a list while you replace it, of which the first seals and any opens.
   * Else `SALLYPORT_COOKIE_PASSWORD`.
   */
  readonly password?: Password | undefined;
  /** The cookie: `name`, default `sallyport-session`, or the name of the dialect. */
  readonly cookie?: { readonly name?: string | undefined } | undefined;
}

/** The names of the options of `createSessions`. */
export const optionNames: OptionNames<ReaderOptions & Record<'apiKey' | 'redirectUri' | 'refresh', unknown>> = {
  apiKey: 1,
  clientId: 1,
  baseUrl: 1,
  password: 1,
  redirectUri: 1,
  cookie: 1,
  refresh: 1,
  dialect: 1,
  keys: 1,
  issuer: 1,
  audience: 1,
  clockToleranceSec: 1,
  maxTokenLifetimeSec: 1,
  fetch: 1,
  now: 1,
  cache: 1,
  revocations: 1,
  onProblem: 1,
  allowInsecure: 1,
};

/**
 * Refuse an option that does not exist. A reader and a verifier accept every option of `createSessions`, so that an application can
 * pass one object to all of them.
 *
 * @throws {ConfigurationError} `invalid_option`.
 */
export function checkReaderOptions(taker: string, options: ReaderOptions): void {
  checkNames<ReaderOptions>(taker, options, optionNames);
  checkNames(taker, options.cookie, cookieNames, 'cookie.');
}

/** The options, checked and completed. */
export interface TokenSettings {
  readonly keys: KeySet;
  readonly clientId: string;
  readonly dialect: NonNullable<TokenOptions['dialect']>;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly issuer: string | readonly string[] | undefined;
  readonly audience: string | readonly string[] | undefined;
  readonly clockToleranceSec: number;
  readonly maxTokenLifetimeSec: number;
  readonly now: () => number;
  readonly cache: SessionCache | undefined;
  readonly revocations: Revocations | undefined;
  readonly report: Report;
}

/** The options, checked and completed. */
export interface ReaderSettings extends TokenSettings {
  readonly ring: PasswordRing;
  readonly cookieName: string;
}

/** The options, checked and completed. @throws {ConfigurationError} */
export function readerSettings(options: ReaderOptions): ReaderSettings {
  const ring = passwordRing(configured('password', options.password, 'cookie_password'));
  const settings = tokenSettings(options);
  const { dialect } = settings;
  const { cookieName = dialect === 'workos' ? 'wos-session' : usualName } = ownNames(dialect);
  return { ...settings, ring, cookieName: options.cookie?.name ?? cookieName };
}

/** The names of a dialect that is not a preset. */
const ownNames = (dialect: TokenSettings['dialect']): Partial<DialectNames> =>
  typeof dialect === 'string' ? {} : dialect;

/** The options, checked and completed. @throws {ConfigurationError} */
export function tokenSettings(options: TokenOptions): TokenSettings {
  const {
    dialect = 'spec',
    issuer,
    audience,
    clockToleranceSec = 5,
    maxTokenLifetimeSec = 86_400,
    now = () => Date.now(),
    cache,
    revocations,
    onProblem,
    fetch,
  } = options;
  const clientId = configured('clientId', options.clientId, 'client_id');
  const address = configured('baseUrl', options.baseUrl, 'base_url');
  checkOption(
    dialect === 'spec' || dialect === 'workos' || (dialect?.hostedProvider && dialect.authorizeOrganizationParam),
    'dialect',
    'must be spec, workos or your own',
  );
  const { jwksPath = '/sso/jwks/:client_id' } = ownNames(dialect);
  for (const [name, value] of Object.entries({ issuer, audience })) {
    const texts = [value].flat();
    checkOption(
      value === undefined || (texts.length && texts.every(isText)),
      name,
      'must be a string or a list of strings',
    );
  }
  checkOption(
    Number.isInteger(clockToleranceSec) && clockToleranceSec >= 0 && clockToleranceSec <= 300,
    'clockToleranceSec',
    'must be a whole number from 0 to 300',
  );
  checkOption(maxTokenLifetimeSec > 0, 'maxTokenLifetimeSec', 'must be a number of seconds, 1 or more');
  // Whoever can change the key set on its way chooses whom we trust.
  const { baseUrl, loopback } = checkedBaseUrl(address, options.allowInsecure);
  revocations?.report(onProblem);
  return {
    keys: options.keys
      ? pinnedKeys(options.keys)
      : remoteKeys({ url: baseUrl + jwksPath.replace(':client_id', encodeURIComponent(clientId)), fetch, now }),
    clientId,
    dialect,
    baseUrl,
    issuer,
    audience,
    clockToleranceSec,
    maxTokenLifetimeSec,
    now,
    cache,
    revocations,
    report: reporter({ baseUrl, onProblem }, loopback),
  };
}
