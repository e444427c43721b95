import { isBlockedPort } from '../../http/blocked-ports.js';
import { loopbackFetch } from '../../http/loopback-fetch.js';
import { hostnameOf, parsedUrl } from '../../http/parsed-url.js';
import type { DialectChoice } from '../../service/describe/dialect.js';
import type { ApiKey } from './api-keys.js';
import type { Clock, Instant } from './clock.js';

/** Sends a webhook delivery to its endpoint, as the global `fetch` does. */
export type Deliver = (request: Request) => Response | Promise<Response>;

declare const type: unique symbol;

/** How the command line reads the value of a flag. */
export type FlagKind = 'switch' | 'text' | 'number' | 'list' | 'duration' | 'file';

/** The flag of an option. The help lists it under the title of its task. */
interface Flag {
  readonly task: string;
  readonly kind: FlagKind;
  readonly flags: string;
  readonly description: string;
}

/** The description of an option of `createEmulator`. */
export interface Option<T = unknown> {
  /** Only holds the type; never set. */
  readonly [type]?: T;
  /** Return what the value must be, if it is not. */
  readonly problem: (value: unknown) => string | undefined;
  readonly default?: T;
  /** The options in the object that it takes. */
  readonly options?: Options;
  /** The texts that its flag accepts, if they are limited. */
  readonly choices?: readonly string[];
  readonly flag?: Flag;
}
/** Descriptions by the name of the option. */
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O> = O extends { readonly [type]?: infer T } ? T : never;
/** The values of described options, as callers pass them. */
export type Given<D> = { readonly [K in keyof D]?: ValueOf<D[K]> | undefined };
/** The values of described options with their defaults. An option without a default may be undefined. */
export type Values<D> = {
  readonly [K in keyof D]: ValueOf<D[K]> | (D[K] extends { readonly default: unknown } ? never : undefined);
};

const option = <T>(expected: string, fits: (value: unknown) => boolean): Option<T> => ({
  problem: (value) => (fits(value) ? undefined : expected),
});
/** An option that other code checks. */
const unchecked = <T = unknown>(): Option<T> => option<T>('', () => true);
/** An option that is an object with options. */
const group = <D extends Options>(options: D) => ({ ...unchecked<Given<D>>(), options });
const yesOrNo = option<boolean>('true or false', (value) => typeof value === 'boolean');
const text = option<string>('a non-empty string', (value) => typeof value === 'string' && value.trim() !== '');
const count = option<number>('a whole number', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const atLeastOne = option<number>(
  'a whole number, 1 or more',
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
);
/** Milliseconds that must be whole seconds. This refuses 300, which was meant in seconds. */
const wholeSeconds: Option<number> = {
  problem: (value) =>
    count.problem(value) ??
    (Number(value) % 1_000
      ? 'a number of milliseconds that is a multiple of 1,000, such as 300_000 for five minutes'
      : undefined),
};
const stagingOrProduction = option<'staging' | 'production'>('staging or production', (value) =>
  ['staging', 'production'].some((one) => one === value),
);
const isOrigin = (text: unknown): boolean => {
  const url = typeof text === 'string' ? parsedUrl(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
};
/** An origin whose port browsers connect to. */
const reachableOrigin: Option<string> = {
  problem: (value) =>
    isOrigin(value)
      ? isBlockedPort(Number(new URL(String(value)).port))
        ? 'an address with another port, because browsers never connect to this one'
        : undefined
      : 'an http or https address without a path, such as https://emulator.acme.test',
};
const isAdminKey = (key: unknown): boolean => typeof key === 'string' && /^ak_[\x21-\x7e]{8,}$/.test(key);
const isHostname = (name: unknown): boolean =>
  typeof name === 'string' && /^(?:[\w.-]+|\[?[\da-f:.]+\]?)$/i.test(name) && hostnameOf(name) !== '';

const flagOf =
  (task: string) =>
  (flags: string, description: string, kind: FlagKind = 'text') => ({ flag: { task, kind, flags, description } });
const address = flagOf('Choose the address');
const signIn = flagOf('Configure sign-in');
const deployment = flagOf('Match a deployment');

/** The options that are settings with the same name. */
export const settingOptions = {
  clientId: { ...text, default: 'client_sallyport_emulator' },
  maxBodyBytes: { ...count, default: 1024 * 1024 },
  maxEvents: {
    ...atLeastOne,
    default: 20_000,
    ...deployment('--max-events <number>', 'Number of events to keep, the newest (default: 20000)', 'number'),
  },
  strictIdempotency: { ...yesOrNo, default: false },
  ignoreIdempotencyKeys: {
    ...yesOrNo,
    default: false,
    ...deployment('--ignore-idempotency-keys', 'Run each request, also with a used idempotency key', 'switch'),
  },
  consumerDomains: unchecked<readonly string[]>(),
  autoVerifyAfterMs: count,
  auditExportAfterMs: { ...count, default: 0 },
  deliver: { ...unchecked<Deliver>(), default: loopbackFetch },
  applicationName: {
    ...text,
    ...signIn('--application-name <name>', 'Name of your application on the pages (default: its host)'),
  },
  autoApprove: {
    ...yesOrNo,
    default: false,
    ...signIn('--auto-approve', 'Sign in the user given by login_hint without showing a page', 'switch'),
  },
  issuer: {
    ...text,
    ...signIn('--issuer <issuer>', 'Issuer (iss) of access tokens (default: the emulator URL with the client id)'),
  },
  accessTokenLifetimeMs: {
    ...wholeSeconds,
    default: 300_000,
    ...signIn('--access-token-lifetime <time>', 'Lifetime of access tokens, such as 10s (default: 5m)', 'duration'),
  },
  refreshTokenLifetimeMs: { ...count, default: 30 * 86_400_000 },
  rotateRefreshTokens: { ...yesOrNo, default: true },
  refreshReuseMs: count,
  allowSignUp: { ...yesOrNo, default: true },
  requireEmailVerification: { ...yesOrNo, default: true },
  requireMfa: { ...yesOrNo, default: false },
  environment: { ...stagingOrProduction, default: 'staging' },
  rateLimits: {
    ...yesOrNo,
    default: false,
    ...deployment('--rate-limits', 'Enforce the published rate limits with status 429', 'switch'),
  },
  debug: { ...yesOrNo, default: false },
} as const;

/** The options that the production environment has too. */
const sharedOptions = {
  apiKeys: unchecked<readonly ApiKey[]>(),
  seed: unchecked(),
  signingKey: {
    ...unchecked<string | Readonly<Record<string, unknown>>>(),
    ...signIn(
      '--signing-key <file>',
      'Private RSA key that signs access tokens, as PEM or JWK (default: a new key)',
      'file',
    ),
  },
} as const;

/** All options of `createEmulator`. */
export const emulatorOptions = {
  ...settingOptions,
  ...sharedOptions,
  apiKey: { ...unchecked<string>(), default: 'sk_test_sallyport_emulator' },
  clock: unchecked<Clock | Instant>(),
  ids: unchecked<string | number>(),
  dialect: {
    ...unchecked<DialectChoice>(),
    choices: ['spec', 'workos'],
    ...deployment('--dialect <name>', 'Names of the API: spec or workos (default: SALLYPORT_DIALECT, or spec)'),
  },
  faults: unchecked(),
  production: group({
    ...sharedOptions,
    apiKey: { ...unchecked<string>(), default: 'sk_live_sallyport_emulator' },
    clientId: { ...text, default: 'client_sallyport_emulator_production' },
    issuer: text,
  }),
  publicUrl: {
    ...reachableOrigin,
    ...address('--public-url <url>', 'URL of the emulator for browsers, if it runs behind a proxy or in a container'),
  },
  allowHosts: {
    ...option<readonly string[]>(
      'a list of host names without scheme and port, such as emulator or app.acme.test',
      (value) => Array.isArray(value) && value.every(isHostname),
    ),
    ...address('--allow-host <name>', 'Additional host name for pages, such as emulator (can be repeated)', 'list'),
  },
  state: {
    ...option<string | URL>(
      'a file path such as dev.state, or a file: URL',
      // A URL of another realm is not an instance of `URL`.
      (value) => text.problem(value) === undefined || (value as URL | null)?.protocol === 'file:',
    ),
    ...flagOf('Keep data between runs')(
      '--state <file>',
      'File to store all data in; a seed is used only if the file is new',
    ),
  },
  adminKey: {
    ...option<string>('ak_ followed by at least 8 characters without spaces', isAdminKey),
    ...flagOf('Use it in scripts')(
      '--admin-key <key>',
      'Administrator key (ak_…) for creating worlds (default: random)',
    ),
  },
} as const;

/** The options of `createEmulator` that are also flags of the command line. */
export const flaggedOptions = Object.entries<Option>(emulatorOptions).flatMap(([name, { flag, ...option }]) =>
  flag ? [{ ...option, name, flag }] : [],
);
