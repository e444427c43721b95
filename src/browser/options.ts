import { checkOption } from '../errors/check-option.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { ConfigurationError } from '../errors/sallyport-error.js';
import { checkedBaseUrl } from '../http/base-url.js';
import { parsedUrl } from '../http/parsed-url.js';
import type { AuthorizationNames } from '../oauth/authorization-names.js';
import type { SignInParameters } from '../oauth/authorization-url.js';
import type { BrowserEnvironment } from './environment.js';
import type { PublicClient } from './token-request.js';

/** A place that keeps one string, which holds a refresh token. */
export interface RefreshTokenStorage {
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(text: string): unknown;
  remove(): unknown;
}

/** Names that differ between deployments, as far as a browser meets them. */
export interface BrowserDialect extends AuthorizationNames {}

/** What `createBrowserClient` takes. An API key is refused: everyone who opens the page could read it. */
export interface BrowserClientOptions {
  /** Id of your application, prefix `client_`; it is not a secret. */
  readonly clientId: string | undefined;
  /** Address of the service: `https:`, or `http:` on this machine. It has to allow calls from this page's origin (CORS). */
  readonly baseUrl: string | undefined;
  /** Where users come back to after signing in: a page of this site that calls `finishSignIn`, absolute or as a path. Must be registered. */
  readonly redirectUri: string | undefined;
  /**
   * Where the refresh token is kept. The access token is only ever kept in memory.
   *
   * - `memory` (default): nothing outlives the page. After a reload the session comes from another open tab, or from
   *   `signIn()`, which takes a moment and asks for nothing if the hosted page still knows the user.
   * - `session`: in `sessionStorage`; outlives reloads, until the tab is closed.
   * - `local`: in `localStorage`; outlives the browser, for all tabs.
   * - an object of your own.
   *
   * Open tabs share the session: they send each other its tokens by broadcast, which only pages of this origin receive.
   *
   * Whatever outlives the page can be read by any script that ever runs on this site, such as one injected by an attacker
   * or a compromised dependency, and used elsewhere until the session is revoked. A script that runs while the page is open
   * can act as the user in every case. Prefer `memory`, or a server with `sallyport/session`, whose cookie no script sees.
   */
  readonly refreshTokenStorage?: 'memory' | 'session' | 'local' | RefreshTokenStorage | undefined;
  /** Names that differ between deployments: `spec` (default), `workos`, or your own. */
  readonly dialect?: 'spec' | 'workos' | BrowserDialect | undefined;
  /**
   * Send `Idempotency-Key` with requests for tokens; default true. It is what makes two tabs that refresh at once, and a
   * lost answer, harmless. Pass false only where the service does not allow the header to pages of other origins (CORS).
   */
  readonly idempotencyKeys?: boolean | undefined;
  /** Stand-ins for what the page offers, for tests. */
  readonly environment?: Partial<BrowserEnvironment> | undefined;
}

const optionNames: OptionNames<BrowserClientOptions> = {
  clientId: 1,
  baseUrl: 1,
  redirectUri: 1,
  refreshTokenStorage: 1,
  dialect: 1,
  idempotencyKeys: 1,
  environment: 1,
};

/** The options, checked and completed. */
export interface BrowserConfig extends PublicClient {
  readonly redirectUri: string;
  readonly refreshTokenStorage: 'memory' | 'session' | 'local' | RefreshTokenStorage;
  readonly dialect: 'spec' | 'workos' | BrowserDialect;
}

/**
 * What `signIn` takes. At most one of `provider`, `organizationId` and `connectionId`; without, the user chooses at the hosted
 * page.
 */
export interface SignInOptions extends SignInParameters {
  /**
   * Where the user goes on afterwards, a path of this site; default: the page that is open, or, where a sign-in has just failed,
   * where that one would have led. What leads elsewhere becomes `/`.
   */
  readonly returnTo?: string | undefined;
}

/** Checks the options, without looking at the page. @throws {ConfigurationError} */
export function configure(options: BrowserClientOptions): BrowserConfig {
  const { clientId, redirectUri, refreshTokenStorage = 'memory', dialect = 'spec', idempotencyKeys = true } = options;
  const keyAt = Object.entries(options).find(
    ([name, value]) => /^(?:apiKey|clientSecret)$/.test(name) || /^sk_/.test(String(value)),
  );
  if (keyAt)
    throw new ConfigurationError('api_key_in_browser', {
      what: `createBrowserClient was given an API key in ${keyAt[0]}`,
      why: 'Everyone who opens the page can read it and use it for any request',
      next: 'Keep the key on your server, replace it if this page was ever published, and pass clientId alone',
    });
  checkNames('createBrowserClient', options, optionNames);
  if (!clientId)
    throw new ConfigurationError('missing_client_id', {
      what: 'createBrowserClient needs a client id',
      next: 'Pass the clientId of your application; it is not a secret',
    });
  check(isOneOf(['spec', 'workos'], dialect, 'hostedProvider'), 'dialect', 'spec, workos or an object');
  check(redirectUri, ...itsRedirectUri);
  check(
    isOneOf(['memory', 'session', 'local'], refreshTokenStorage, 'get'),
    'refreshTokenStorage',
    'memory, session, local or an object with get, set and remove',
  );
  return { ...checkedBaseUrl(options.baseUrl), clientId, redirectUri, refreshTokenStorage, dialect, idempotencyKeys };
}

/** Whether a choice is one of these words, or an object that has this. */
const isOneOf = (words: readonly unknown[], choice: unknown, member: string): boolean =>
  words.includes(choice) || Object(choice)[member];

/** Refuses an option unless it is what it has to be. */
function check(holds: unknown, option: string, expected: string): asserts holds {
  checkOption(holds, option, `of createBrowserClient must be ${expected}`);
}

const itsRedirectUri = ['redirectUri', 'the address or the path of a page of this site'] as const;

/** Where users come back to, absolute. @throws {ConfigurationError} The option is no address. */
export function redirectUriSeenFrom(address: URL, { redirectUri }: BrowserConfig): URL {
  const url = parsedUrl(redirectUri, address);
  check(url, ...itsRedirectUri);
  return url;
}
