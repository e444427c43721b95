import { checkNames, checkOption, type OptionNames } from '../errors/known-options.js';
import { ConfigurationError } from '../errors/sallyport-error.js';
import { checkedBaseUrl } from '../http/base-url.js';
import { publicService } from '../http/environment.js';
import { parsedUrl } from '../http/parsed-url.js';
import type { AuthorizationNames } from '../oauth/authorization-names.js';
import type { SignInParameters } from '../oauth/authorization-url.js';
import type { PublicClient } from './token-request.js';

/** Storage for one string, which contains a refresh token. */
export interface RefreshTokenStorage {
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(text: string): unknown;
  remove(): unknown;
}

/** Names that differ between deployments and are needed in a browser. */
export interface BrowserDialect extends AuthorizationNames {}

/** Options of `createBrowserClient`. API keys are rejected, because everyone who opens the page could read them. */
export interface BrowserClientOptions {
  /** Id of your application, prefix `client_`; it is not a secret. */
  readonly clientId: string | undefined;
  /**
   * URL of the service: `https:`, or `http:` on this machine. Defaults to `https://api.workos.com` in dialect `workos`. The service must
   * allow calls from this page's origin (CORS).
   */
  readonly baseUrl?: string | undefined;
  /**
   * Where users return after signing in: a page of this site that calls `finishSignIn`, as a URL or a path. It must be
   * registered.
   */
  readonly redirectUri: string | undefined;
  /**
   * Where to store the refresh token. The access token is only kept in memory.
   *
   * - `memory` (default): lost with the page. After a reload the session comes from another open tab, or from `signIn()`, which
   *   redirects without asking if the hosted page still knows the user.
   * - `session`: in `sessionStorage`; survives reloads until the tab is closed.
   * - `local`: in `localStorage`; survives closing the browser, and is shared by all tabs.
   * - an object with `get`, `set` and `remove`.
   *
   * Open tabs share the session: they broadcast its tokens, which only pages of this origin receive.
   *
   * Any script that ever runs on this site, such as one injected by an attacker or a compromised dependency, can read a stored
   * refresh token and use it elsewhere until the session is revoked. A script that runs while the page is open can always act as
   * the user. Prefer `memory`, or a server with `sallyport/session`, whose cookie is hidden from scripts.
   */
  readonly refreshTokenStorage?: 'memory' | 'session' | 'local' | RefreshTokenStorage | undefined;
  /**
   * Names that differ between deployments: `spec`, `workos`, or your own. Defaults to `workos` if the options have neither `dialect` nor
   * `baseUrl`, and to `spec` if they have.
   */
  readonly dialect?: 'spec' | 'workos' | BrowserDialect | undefined;
  /**
   * Send `Idempotency-Key` with token requests; default true. If the service honors the header, lost responses and concurrent refreshes of
   * two tabs are harmless. Pass false only if the service does not allow the header for pages of other origins (CORS).
   */
  readonly idempotencyKeys?: boolean | undefined;
}

const optionNames: OptionNames<BrowserClientOptions> = {
  clientId: 1,
  baseUrl: 1,
  redirectUri: 1,
  refreshTokenStorage: 1,
  dialect: 1,
  idempotencyKeys: 1,
};

/** The validated options, with defaults. */
export interface BrowserConfig extends PublicClient {
  readonly redirectUri: string;
  readonly refreshTokenStorage: 'memory' | 'session' | 'local' | RefreshTokenStorage;
  readonly dialect: 'spec' | 'workos' | BrowserDialect;
}

/**
 * Options of `signIn`. Pass at most one of `provider`, `organizationId` and `connectionId`; without one, the user chooses at the
 * hosted page.
 */
export interface SignInOptions extends SignInParameters {
  /**
   * Path of this site to continue at. Defaults to the current page or, after a failed sign-in, to the path of that sign-in.
   * Anything outside this site becomes `/`.
   */
  readonly returnTo?: string | undefined;
}

/** Validate the options without accessing the page. @throws {ConfigurationError} */
export function configure(options: BrowserClientOptions): BrowserConfig {
  const { clientId, redirectUri, refreshTokenStorage = 'memory', idempotencyKeys = true } = options;
  const keyAt = Object.entries(options).find(
    ([name, value]) => /^(?:apiKey|clientSecret)$/.test(name) || /^sk_/.test(String(value)),
  );
  if (keyAt)
    throw new ConfigurationError('api_key_in_browser', {
      what: `createBrowserClient was given an API key in ${keyAt[0]}`,
      why: 'Everyone who opens the page can read it and use it for any request',
      next: 'Keep the key on your server, replace it if this page was ever published, and pass only clientId',
    });
  checkNames('createBrowserClient', options, optionNames);
  const { dialect = 'dialect' in options || 'baseUrl' in options ? 'spec' : 'workos' } = options;
  if (!clientId)
    throw new ConfigurationError('missing_client_id', {
      what: 'createBrowserClient needs a client id',
      next: 'Pass the clientId of your application; it is not a secret',
    });
  check(isOneOf(['spec', 'workos'], dialect, 'hostedProvider'), 'dialect', 'spec, workos or an object');
  check(redirectUri, ...redirectUriRule);
  check(
    isOneOf(['memory', 'session', 'local'], refreshTokenStorage, 'get'),
    'refreshTokenStorage',
    'memory, session, local or an object with get, set and remove',
  );
  const { baseUrl = dialect === 'workos' ? publicService : undefined } = options;
  return { ...checkedBaseUrl(baseUrl), clientId, redirectUri, refreshTokenStorage, dialect, idempotencyKeys };
}

/** Whether a choice is one of these words, or an object with this member. */
const isOneOf = (words: readonly unknown[], choice: unknown, member: string): boolean =>
  words.includes(choice) || Object(choice)[member];

/** Throw an error that names the option unless the condition holds. */
function check(condition: unknown, option: string, expected: string): asserts condition {
  checkOption(condition, option, `of createBrowserClient must be ${expected}`);
}

const redirectUriRule = ['redirectUri', 'the URL or path of a page of this site'] as const;

/** Return the redirect URI as an absolute URL. @throws {ConfigurationError} The option is not a URL. */
export function absoluteRedirectUri(address: URL, { redirectUri }: BrowserConfig): URL {
  const url = parsedUrl(redirectUri, address);
  check(url, ...redirectUriRule);
  return url;
}
