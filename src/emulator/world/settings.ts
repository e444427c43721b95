import type { NamelessRsaJwk } from '../../crypto/rsa-jwk.js';
import { ConfigurationError } from '../../errors/index.js';
import type { OptionNames } from '../../errors/known-options.js';
import { type Dialect, type DialectChoice, dialectOf, dialects } from '../../service/describe/dialect.js';
import { type ApiKey, defaultApiKey, defaultClientId, defaultProduction } from './api-keys.js';
import type { Clock, Instant } from './clock.js';

/** Carries a delivery to its endpoint; the global `fetch` is one. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** A failed attempt to deliver an event. */
export interface DeliveryFailure {
  /** Type of the event. */
  readonly event: string;
  /** Status of the answer, if there was one. */
  readonly status?: number;
  /** Why it failed, beyond what the status says. */
  readonly error?: string;
  /** Milliseconds until the next attempt; undefined after the last one. */
  readonly retryInMs: number | undefined;
}

/** When a delivery counts as failed, and when it is tried again. */
export interface DeliverySettings {
  /** How long a receiver may take to answer, in real time. */
  readonly answerWithinMs: number;
  /** The wait from the first attempt to the second; each later wait is twice as long. */
  readonly firstWaitMs: number;
  /** Called after each automatic attempt that failed. */
  readonly onFailure?: (failure: DeliveryFailure) => void;
}

/** How the world of an emulator behaves; every option is optional. */
export interface WorldOptions {
  /** A clock of your own, or a time at which the clock stands until you move it. By default the emulator follows real time. */
  readonly clock?: Clock | Instant | undefined;
  /** A seed for ids, tokens and codes, which makes them the same in every run. They are random by default. */
  readonly ids?: string | number | undefined;
  /** Names that differ between deployments: `spec` (default), `workos`, or your own. Requests may use the names of any. */
  readonly dialect?: DialectChoice | undefined;
  /** The API key in `credentials`; default `sk_test_sallyport_emulator`. */
  readonly apiKey?: string | undefined;
  /** More API keys, which may have fewer rights. */
  readonly apiKeys?: readonly ApiKey[] | undefined;
  /** The client id in `credentials`; default `client_sallyport_emulator`. */
  readonly clientId?: string | undefined;
  /** Largest request body in bytes; default 1 MiB. The answer to a larger one is 413. */
  readonly maxBodyBytes?: number | undefined;
  /** Refuse an idempotency key that comes back with another request; the service repeats its first answer. Default false. */
  readonly strictIdempotency?: boolean | undefined;
  /** Consumer mail domains, which no organization can own; replaces the built-in list of some 8,000, that of the package `email-providers`. */
  readonly consumerDomains?: readonly string[] | undefined;
  /** Milliseconds after `verifyOrganizationDomain` at which a domain is verified. By default it stays pending until you settle it. */
  readonly autoVerifyAfterMs?: number | undefined;
  /** Milliseconds after which an audit log export is ready; default 0. */
  readonly auditExportAfterMs?: number | undefined;
  /**
   * Fine-grained authorization. `lagMs`: milliseconds by which checks and queries without a warrant token lag behind;
   * default 0.
   */
  readonly fga?: { readonly lagMs?: number | undefined } | undefined;
  /** Delivers webhooks to their endpoints instead of the global `fetch`, for instance to a handler under test without a port. */
  readonly deliver?: Deliver | undefined;
  /** Lifetime of access tokens in seconds; default 300. */
  readonly accessTokenSeconds?: number | undefined;
  /** Lifetime of refresh tokens in seconds, from their last use; default 30 days. */
  readonly refreshTokenSeconds?: number | undefined;
  /** Replace a refresh token when it is used, and refuse the used one; default true. */
  readonly rotateRefreshTokens?: boolean | undefined;
  /** Seconds for which a used refresh token still gets the session's present one; default 0, single use. */
  readonly refreshReuseSeconds?: number | undefined;
  /** The `iss` claim of access tokens; default: the emulator's address with `/user_management/<client_id>`. */
  readonly issuer?: string | undefined;
  /**
   * The private RSA key that signs access tokens, as PEM or as a JWK (an object, or its JSON): its id and what it has signed are then the
   * same in every run. By default the emulator makes one.
   */
  readonly signingKey?: string | Readonly<Record<string, unknown>> | undefined;
  /** What the hosted pages call your application; default: the host of the address to which the user goes back. */
  readonly applicationName?: string | undefined;
  /** Sign in the user that `login_hint` of an authorization URL names at once, without a page; for tests without a browser. */
  readonly autoApprove?: boolean | undefined;
  /** Let people become users by signing in; default true. People who are invited always may. */
  readonly allowSignUp?: boolean | undefined;
  /** Require users to verify their email address before they get a session; default true. */
  readonly requireEmailVerification?: boolean | undefined;
  /** Require a second factor of every user except those who sign in by SSO; by default only of those who have enrolled one. */
  readonly requireMfa?: boolean | undefined;
  /**
   * What the API key belongs to, and with it the rules for redirect URIs: `production` requires HTTPS, `staging` (default) accepts HTTP
   * and localhost too, and has production beside it.
   */
  readonly environment?: 'staging' | 'production' | undefined;
  /** Refuse requests beyond the published rate limits with 429; default false. `setRateLimit` sets single ones. */
  readonly rateLimits?: boolean | undefined;
  /** Print the stack of faults of the emulator itself to stderr; default false. */
  readonly debug?: boolean | undefined;
}

/** The names of these options. */
export const worldOptionNames: OptionNames<WorldOptions> = {
  clock: 1,
  ids: 1,
  dialect: 1,
  apiKey: 1,
  apiKeys: 1,
  clientId: 1,
  maxBodyBytes: 1,
  strictIdempotency: 1,
  consumerDomains: 1,
  autoVerifyAfterMs: 1,
  auditExportAfterMs: 1,
  fga: 1,
  deliver: 1,
  accessTokenSeconds: 1,
  refreshTokenSeconds: 1,
  rotateRefreshTokens: 1,
  refreshReuseSeconds: 1,
  issuer: 1,
  signingKey: 1,
  applicationName: 1,
  autoApprove: 1,
  allowSignUp: 1,
  requireEmailVerification: 1,
  requireMfa: 1,
  environment: 1,
  rateLimits: 1,
  debug: 1,
};

/** What the production environment has to itself; every option is optional, and all others are those of the emulator. */
export interface ProductionOptions extends Pick<WorldOptions, 'apiKeys' | 'issuer' | 'signingKey'> {
  /** The API key in `production.credentials`; default `sk_live_sallyport_emulator`. */
  readonly apiKey?: string | undefined;
  /** The client id in `production.credentials`; default `client_sallyport_emulator_production`. */
  readonly clientId?: string | undefined;
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
  readonly fgaLagMs: number;
  readonly deliver: Deliver;
  readonly deliveries: DeliverySettings;
  /** Where the application that runs with the emulator takes users after sign-in, if it is known. */
  readonly redirectUri: string | undefined;
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  readonly rotateRefreshTokens: boolean;
  readonly refreshReuseSeconds: number;
  readonly issuer: string | undefined;
  /** The key that signs access tokens first, private; undefined where one is made. */
  readonly signingKey: NamelessRsaJwk | undefined;
  readonly applicationName: string | undefined;
  readonly autoApprove: boolean;
  readonly allowSignUp: boolean;
  readonly requireEmailVerification: boolean;
  readonly requireMfa: boolean;
  readonly environment: 'staging' | 'production';
  readonly rateLimits: boolean;
  readonly debug: boolean;
}

/** Settings that are not options: `sallyport dev` knows the application and its developer. */
export type DevSettings = Partial<Pick<Settings, 'deliveries' | 'redirectUri'>>;

/** Check the options. @throws {ConfigurationError} */
export function settingsOf(options: WorldOptions): Settings {
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
    fgaLagMs: count('fga.lagMs', options.fga?.lagMs) ?? 0,
    // Read at each call, because tests replace the global.
    deliver: options.deliver ?? ((request) => fetch(request)),
    deliveries: { answerWithinMs: 5_000, firstWaitMs: 2 * 60_000 },
    redirectUri: undefined,
    accessTokenSeconds: count('accessTokenSeconds', options.accessTokenSeconds) ?? 300,
    refreshTokenSeconds: count('refreshTokenSeconds', options.refreshTokenSeconds) ?? 30 * 86_400,
    rotateRefreshTokens: options.rotateRefreshTokens ?? true,
    refreshReuseSeconds: count('refreshReuseSeconds', options.refreshReuseSeconds) ?? 0,
    issuer: textOf('issuer', options.issuer),
    // Read by `createEmulator`: that takes a moment.
    signingKey: undefined,
    applicationName: textOf('applicationName', options.applicationName),
    autoApprove: options.autoApprove ?? false,
    allowSignUp: options.allowSignUp ?? true,
    requireEmailVerification: options.requireEmailVerification ?? true,
    requireMfa: options.requireMfa ?? false,
    environment: environmentOf(options.environment),
    rateLimits: options.rateLimits ?? false,
    debug: options.debug ?? false,
  };
}

/** The settings of production beside a staging environment. @throws {ConfigurationError} */
export function productionSettingsOf(options: WorldOptions, own: ProductionOptions): Settings {
  const { apiKey, apiKeys, clientId, issuer } = own;
  const settings = settingsOf({
    ...options,
    apiKey: apiKey ?? defaultProduction.apiKey,
    apiKeys,
    clientId: clientId ?? defaultProduction.clientId,
    issuer: issuer ?? options.issuer,
    environment: 'production',
  });
  const staging = settingsOf(options);
  if (settings.clientId === staging.clientId) throw invalid('production.clientId', 'another than that of staging');
  const values = staging.apiKeys.map(({ value }) => value);
  if (settings.apiKeys.some(({ value }) => values.includes(value)))
    throw invalid('production.apiKey', 'another than those of staging');
  return settings;
}

function count(option: string, value: number | undefined): number | undefined {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) throw invalid(option, 'a whole number');
  return value;
}

function environmentOf(environment: WorldOptions['environment'] = 'staging'): Settings['environment'] {
  if (environment !== 'staging' && environment !== 'production') throw invalid('environment', 'staging or production');
  return environment;
}

function textOf(option: string, value: string | undefined): string | undefined {
  if (value !== undefined && (typeof value !== 'string' || value.trim() === '')) throw invalid(option, 'a text');
  return value;
}

const invalid = (option: string, expected: string): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: `The option ${option} of createEmulator must be ${expected}`,
    next: `Correct ${option}, or leave it out`,
  });
