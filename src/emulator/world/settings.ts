import { ConfigurationError } from '../../errors/index.js';
import { type Dialect, type DialectChoice, dialectOf, dialects } from '../../service/describe/dialect.js';
import { type ApiKey, defaultApiKey, defaultClientId } from './api-keys.js';
import type { Clock, Instant } from './clock.js';

/** Carries a delivery to its endpoint; the global `fetch` is one. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** What `createEmulator` takes; everything may be left out. */
export interface EmulatorOptions {
  /** What is there from the start: the path or `file:` URL of a YAML or JSON file, or its content as an object. */
  readonly seed?: string | object | undefined;
  /** A clock of yours, or a time at which it stands still until moved. Without one the emulator follows real time. */
  readonly clock?: Clock | Instant | undefined;
  /** A seed for ids, tokens and codes: the same one gives the same ones in every run. Random without. */
  readonly ids?: string | number | undefined;
  /** Names that vary: `spec` (default), `workos`, or your own. Requests are understood in all of them. */
  readonly dialect?: DialectChoice | undefined;
  /** The API key in `credentials`; default `sk_test_sallyport_emulator`. */
  readonly apiKey?: string | undefined;
  /** Further API keys, perhaps with fewer rights. */
  readonly apiKeys?: readonly ApiKey[] | undefined;
  /** The client id in `credentials`; default `client_sallyport_emulator`. */
  readonly clientId?: string | undefined;
  /** Largest request body in bytes; default 1 MiB. Beyond it the answer is 413. */
  readonly maxBodyBytes?: number | undefined;
  /** Refuse an idempotency key that comes back with another request, where the service would repeat its answer. */
  readonly strictIdempotency?: boolean | undefined;
  /** Domains that no organization can own, in place of the built-in few, such as `gmail.com`. */
  readonly consumerDomains?: readonly string[] | undefined;
  /** Verify a domain this many milliseconds after `verify`. Without it domains stay pending until `verifyDomain`. */
  readonly autoVerifyAfterMs?: number | undefined;
  /** Have an audit log export ready this many milliseconds after it was asked for; default 0: with the first look at it. */
  readonly auditExportAfterMs?: number | undefined;
  /** Carries webhooks to their endpoints, in place of the global `fetch`: the handler under test, say, without a port. */
  readonly deliver?: Deliver | undefined;
  /** Seconds that an access token works; default 300. */
  readonly accessTokenSeconds?: number | undefined;
  /** Seconds that a refresh token works, from its last use on; default 30 days. */
  readonly refreshTokenSeconds?: number | undefined;
  /** Give a new refresh token for every one that is used, and refuse the used one; default true. */
  readonly rotateRefreshTokens?: boolean | undefined;
  /** Seconds in which a used refresh token still gets the session's present one; default 0: single use. */
  readonly refreshReuseSeconds?: number | undefined;
  /** The `iss` claim of access tokens, where it is not the address of the emulator with `/user_management/<client_id>`. */
  readonly issuer?: string | undefined;
  /** Sign in at once whom an authorization URL names by `login_hint`, without a page; for tests without a browser. */
  readonly autoApprove?: boolean | undefined;
  /** Let people become users by signing in; default true. Who is invited may in any case. */
  readonly allowSignUp?: boolean | undefined;
  /** Ask users to verify their email address before they get a session; default true. */
  readonly requireEmailVerification?: boolean | undefined;
  /** Ask every user for a second factor, except those who come by SSO; default false: only those who have enrolled one. */
  readonly requireMfa?: boolean | undefined;
  /** Rules for redirect URIs: `production` wants HTTPS, `staging` (default) takes HTTP and localhost too. */
  readonly environment?: 'staging' | 'production' | undefined;
  /** Print the stack of a fault of the emulator itself to stderr. */
  readonly debug?: boolean | undefined;
}

/** The options, checked and completed. */
export interface Settings {
  readonly dialect: Dialect;
  readonly apiKeys: readonly ApiKey[];
  readonly clientId: string;
  readonly maxBodyBytes: number;
  readonly strictIdempotency: boolean;
  readonly consumerDomains: readonly string[] | undefined;
  readonly autoVerifyAfterMs: number | undefined;
  readonly auditExportAfterMs: number;
  readonly deliver: Deliver;
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  readonly rotateRefreshTokens: boolean;
  readonly refreshReuseSeconds: number;
  readonly issuer: string | undefined;
  readonly autoApprove: boolean;
  readonly allowSignUp: boolean;
  readonly requireEmailVerification: boolean;
  readonly requireMfa: boolean;
  readonly environment: 'staging' | 'production';
  readonly debug: boolean;
}

/** Checks the options. @throws {ConfigurationError} */
export function settingsOf(options: EmulatorOptions): Settings {
  const dialect = dialectOf(options.dialect);
  if (!dialect)
    throw new ConfigurationError('unknown_dialect', {
      what: `There is no dialect ${JSON.stringify(options.dialect)}`,
      next: `Choose one of ${Object.keys(dialects).join(', ')}, or pass a dialect of your own`,
    });
  const clientId = options.clientId ?? defaultClientId;
  if (typeof clientId !== 'string' || clientId.trim() === '') throw invalid('clientId', 'a text');
  return {
    dialect,
    apiKeys: [{ value: options.apiKey ?? defaultApiKey, name: 'default' }, ...(options.apiKeys ?? [])],
    clientId,
    maxBodyBytes: count('maxBodyBytes', options.maxBodyBytes) ?? 1024 * 1024,
    strictIdempotency: options.strictIdempotency ?? false,
    consumerDomains: options.consumerDomains,
    autoVerifyAfterMs: count('autoVerifyAfterMs', options.autoVerifyAfterMs),
    auditExportAfterMs: count('auditExportAfterMs', options.auditExportAfterMs) ?? 0,
    // Looked up when it is called, so that whoever replaces the global later is heard.
    deliver: options.deliver ?? ((request) => fetch(request)),
    accessTokenSeconds: count('accessTokenSeconds', options.accessTokenSeconds) ?? 300,
    refreshTokenSeconds: count('refreshTokenSeconds', options.refreshTokenSeconds) ?? 30 * 86_400,
    rotateRefreshTokens: options.rotateRefreshTokens ?? true,
    refreshReuseSeconds: count('refreshReuseSeconds', options.refreshReuseSeconds) ?? 0,
    issuer: issuerOf(options.issuer),
    autoApprove: options.autoApprove ?? false,
    allowSignUp: options.allowSignUp ?? true,
    requireEmailVerification: options.requireEmailVerification ?? true,
    requireMfa: options.requireMfa ?? false,
    environment: environmentOf(options.environment),
    debug: options.debug ?? false,
  };
}

function count(option: string, value: number | undefined): number | undefined {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) throw invalid(option, 'a whole number');
  return value;
}

function environmentOf(environment: EmulatorOptions['environment'] = 'staging'): Settings['environment'] {
  if (environment !== 'staging' && environment !== 'production') throw invalid('environment', 'staging or production');
  return environment;
}

function issuerOf(issuer: string | undefined): string | undefined {
  if (issuer !== undefined && (typeof issuer !== 'string' || issuer.trim() === '')) throw invalid('issuer', 'a text');
  return issuer;
}

const invalid = (option: string, expected: string): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: `The option ${option} of createEmulator must be ${expected}`,
    next: `Correct ${option}, or leave it out`,
  });
