import type { PrivateRsaJwk } from '../../crypto/rsa-jwk.js';
import { ConfigurationError } from '../../errors/index.js';
import { checkNames } from '../../errors/known-options.js';
import { variable } from '../../http/environment.js';
import { type DialectChoice, dialectOf, dialects } from '../../service/describe/dialect.js';
import { type EmulatedDialect, emulatedOf } from '../../service/describe/emulated-dialect.js';
import type { ApiKey } from './api-keys.js';
import type { Clock, Instant } from './clock.js';
import { type Deliver, emulatorOptions, type Given, type Options, settingOptions, type Values } from './options.js';

/** A failed attempt to deliver an event. */
export interface DeliveryFailure {
  /** Type of the event. */
  readonly event: string;
  /** Status of the response, if there was one. */
  readonly status?: number;
  /** Reason it failed, in addition to the status. */
  readonly error?: string;
  /** Milliseconds until the next attempt; undefined after the last one. */
  readonly retryInMs: number | undefined;
}

/** Timeout and retries of webhook deliveries. */
interface DeliverySettings {
  /** Time a receiver has to respond, in milliseconds of real time. */
  readonly answerWithinMs: number;
  /** Milliseconds between the first attempt and the second. Each later wait is twice as long. */
  readonly firstWaitMs: number;
  /** Called after each automatic attempt that failed. */
  readonly onFailure?: (failure: DeliveryFailure) => void;
}

/** Options for the behavior of an emulator. Every option is optional. */
export interface WorldOptions {
  /** Your own clock, or a start time for a clock that only moves when you advance it. Follows real time by default. */
  readonly clock?: Clock | Instant | undefined;
  /** Seed for ids, tokens and codes, which makes them the same in every run. Random by default. */
  readonly ids?: string | number | undefined;
  /** Dialect of responses: `spec`, `workos`, or your own; default `SALLYPORT_DIALECT`, or `spec`. Requests may use the names of any dialect. */
  readonly dialect?: DialectChoice | undefined;
  /** The API key in `credentials`; default `sk_test_sallyport_emulator`. */
  readonly apiKey?: string | undefined;
  /** Additional API keys, which may be denied some requests. */
  readonly apiKeys?: readonly ApiKey[] | undefined;
  /** The client id in `credentials`; default `client_sallyport_emulator`. */
  readonly clientId?: string | undefined;
  /** Maximum size of a request body in bytes; default 1 MiB. Larger ones get 413. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of events; default 20,000. Beyond it, the oldest are dropped, and listing after a dropped event gets 422. */
  readonly maxEvents?: number | undefined;
  /** Refuse an idempotency key that is reused for a different request, where the service repeats its first response. Default false. */
  readonly strictIdempotency?: boolean | undefined;
  /** Run each request, also if its idempotency key was used before, as a service without idempotency keys does. Default false. */
  readonly ignoreIdempotencyKeys?: boolean | undefined;
  /** Consumer email domains, which no organization can own. Replaces the built-in list of about 8,000, from the package `email-providers`. */
  readonly consumerDomains?: readonly string[] | undefined;
  /**
   * Verify a domain this many milliseconds after `verifyOrganizationDomain`. Without this option, it stays pending until you call
   * a control.
   */
  readonly autoVerifyAfterMs?: number | undefined;
  /** Milliseconds until an audit log export is ready; default 0. */
  readonly auditExportAfterMs?: number | undefined;
  /** Function that sends webhooks instead of the emulator, for example to call a handler under test without a port. */
  readonly deliver?: Deliver | undefined;
  /** Lifetime of access tokens in milliseconds, a multiple of 1,000, because tokens count in seconds; default 300,000. */
  readonly accessTokenLifetimeMs?: number | undefined;
  /** Lifetime of refresh tokens in milliseconds since their last use; default 30 days. */
  readonly refreshTokenLifetimeMs?: number | undefined;
  /** Issue a new refresh token on each use, and refuse the used one; default true. */
  readonly rotateRefreshTokens?: boolean | undefined;
  /**
   * Milliseconds after its first use during which a refresh token returns the tokens of that use, or the current ones if they have been
   * used since; default 30,000 in dialect `workos` and 0 otherwise, so tokens are single use.
   */
  readonly refreshReuseMs?: number | undefined;
  /** The `iss` claim of access tokens; default: the emulator's address followed by `/user_management/<client_id>`. */
  readonly issuer?: string | undefined;
  /**
   * The private RSA key that signs access tokens, as PEM or as a JWK (object or JSON). The key id is then the same in every run, and
   * tokens of earlier runs still verify. By default the emulator generates a key.
   */
  readonly signingKey?: string | Readonly<Record<string, unknown>> | undefined;
  /** Name of your application on the hosted pages; default: the host of the redirect URI. */
  readonly applicationName?: string | undefined;
  /** Sign in the user named by `login_hint` in an authorization URL without showing a page; for tests without a browser. */
  readonly autoApprove?: boolean | undefined;
  /** Allow new users to sign up by signing in; default true. Invited users always may. */
  readonly allowSignUp?: boolean | undefined;
  /** Require a verified email address before a user gets a session; default true. */
  readonly requireEmailVerification?: boolean | undefined;
  /** Require a second factor from all users, except when they sign in with SSO. The default requires it only from enrolled users. */
  readonly requireMfa?: boolean | undefined;
  /**
   * The environment of the API key, which decides the rules for redirect URIs. `production` requires HTTPS. `staging` (default) also
   * accepts HTTP and localhost, and the emulator has a separate production environment.
   */
  readonly environment?: 'staging' | 'production' | undefined;
  /** Answer requests beyond the published rate limits with 429; default false. `setRateLimit` sets individual limits. */
  readonly rateLimits?: boolean | undefined;
  /** Print the stack of internal errors of the emulator to stderr; default false. */
  readonly debug?: boolean | undefined;
}

/** Options of the production environment. Every option is optional; all others are taken from the emulator. */
export interface ProductionOptions extends Pick<WorldOptions, 'apiKeys' | 'issuer' | 'signingKey'> {
  /** The API key in `production.credentials`; default `sk_live_sallyport_emulator`. */
  readonly apiKey?: string | undefined;
  /** The client id in `production.credentials`; default `client_sallyport_emulator_production`. */
  readonly clientId?: string | undefined;
}

/** The options, completed with their defaults. */
export interface Settings extends Values<typeof settingOptions> {
  readonly dialect: EmulatedDialect;
  readonly apiKeys: readonly ApiKey[];
  readonly refreshReuseMs: number;
  readonly deliveries: DeliverySettings;
  /** Redirect URI of the application that `sallyport dev` runs, if known. */
  readonly redirectUri: string | undefined;
  /** The private key that signs access tokens at first; undefined to generate one. */
  readonly signingKey: PrivateRsaJwk | undefined;
}

/** Settings that only `sallyport dev` uses. */
export type DevSettings = Partial<Pick<Settings, 'deliveries' | 'redirectUri'>>;

/** Check the options of an emulator: their names and their values. @throws {ConfigurationError} `invalid_option`. */
export function checkEmulatorOptions(options: object, described: Options = emulatorOptions, path = ''): void {
  checkNames('createEmulator', options as Given<Options>, described, path);
  for (const [name, value] of Object.entries(options)) {
    const option = described[name];
    const expected = value === undefined ? undefined : option?.problem(value);
    if (expected !== undefined) throw invalid(path + name, expected);
    if (option?.options) checkEmulatorOptions(value ?? {}, option.options, `${name}.`);
  }
}

/** Return the options with their defaults. */
const completed = <D extends Options>(described: D, options: Given<D> = {}): Values<D> =>
  // Each value is that of the caller, which has been checked, or the default of the same option.
  Object.fromEntries(
    Object.entries(described).map(([name, option]) => [name, options[name] ?? option.default]),
  ) as Values<D>;

/** Return the settings for checked options. @throws {ConfigurationError} `unknown_dialect`. */
export function settingsOf(options: WorldOptions): Settings {
  const choice = options.dialect ?? variable('SALLYPORT_DIALECT') ?? 'spec';
  const dialect = dialectOf(choice);
  if (!dialect)
    throw new ConfigurationError('unknown_dialect', {
      what: 'The option dialect of createEmulator, or SALLYPORT_DIALECT, names a dialect that does not exist',
      next: `Use one of ${Object.keys(dialects).join(', ')}, or pass your own dialect`,
    });
  const emulated = emulatedOf(dialect);
  return {
    ...completed(settingOptions, options),
    dialect: emulated,
    refreshReuseMs: options.refreshReuseMs ?? emulated.refreshReuseMs,
    apiKeys: [{ value: options.apiKey ?? emulatorOptions.apiKey.default, name: 'default' }, ...(options.apiKeys ?? [])],
    deliveries: { answerWithinMs: 5_000, firstWaitMs: 2 * 60_000 },
    redirectUri: undefined,
    // Set by `createEmulator`, because reading a key is asynchronous.
    signingKey: undefined,
  };
}

/** Return the settings of the production environment. @throws {ConfigurationError} */
export function productionSettingsOf(options: WorldOptions, production: ProductionOptions): Settings {
  const { apiKey, apiKeys, clientId } = completed(emulatorOptions.production.options, production);
  const settings = settingsOf({
    ...options,
    apiKey,
    apiKeys,
    clientId,
    issuer: production.issuer ?? options.issuer,
    environment: 'production',
  });
  const staging = settingsOf(options);
  if (settings.clientId === staging.clientId) throw invalid('production.clientId', 'different from that of staging');
  const values = staging.apiKeys.map(({ value }) => value);
  if (settings.apiKeys.some(({ value }) => values.includes(value)))
    throw invalid('production.apiKey', 'different from those of staging');
  return settings;
}

const invalid = (option: string, expected: string): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: `The option ${option} of createEmulator must be ${expected}`,
    next: `Correct ${option} or leave it out`,
  });
