import { ConfigurationError } from '../errors/index.js';
import { type BaseUrl, checkedBaseUrl } from '../http/base-url.js';
import { type Environment, environment, variable } from '../http/environment.js';
import { type Dialect, type DialectChoice, dialectOf, dialects, gapIn } from '../service/describe/dialect.js';
import { complaintAboutHeader } from './header.js';
import { type Hooks, isLogLevel, type Logger, type LogLevel, Observers } from './observe.js';

/** What `new Sallyport({ ... })` takes. Options that you leave out are read from the environment. */
export interface SallyportOptions {
  /** Secret key, prefix `sk_`; default `SALLYPORT_API_KEY`. A client without one is a public client. */
  readonly apiKey?: string | undefined;
  /** Id of your application; default `SALLYPORT_CLIENT_ID`. Required for signing in. */
  readonly clientId?: string | undefined;
  /** Address of the service, with or without a path; default `SALLYPORT_BASE_URL`. */
  readonly baseUrl?: string | undefined;
  /** Names that differ between deployments: `spec` (default), `workos`, or your own. */
  readonly dialect?: DialectChoice | undefined;
  /** Milliseconds for one attempt, its body included; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for a whole call: attempts, waits and bodies; default 60,000. */
  readonly deadlineMs?: number | undefined;
  /** How often a failed attempt is repeated, if that is safe; default 2. */
  readonly maxRetries?: number | undefined;
  /** How many requests are under way at a time; further calls wait, first in, first out. Default 0, no limit. */
  readonly maxConcurrent?: number | undefined;
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the global `fetch`, such as `emulator.fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Passed on to `fetch` with every request, such as `{ dispatcher }` for a proxy. */
  readonly fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Functions that are called with every request, answer, retry and error. */
  readonly hooks?: Hooks | undefined;
  /** Where log lines go, or the level from which `console` gets them. The level of a logger is `SALLYPORT_LOG`, by default `debug`. */
  readonly logger?: Logger | LogLevel | undefined;
  /** Largest answer to read, in bytes after decompression; default 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Allow plain `http:` to a host that is not this machine. */
  readonly allowInsecure?: boolean | undefined;
  /** Allow an API key in a browser, where anyone can read it. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** The options, checked and completed. */
export interface Config {
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly host: string;
  readonly loopback: boolean;
  readonly dialect: Dialect;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
  readonly maxConcurrent: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch | undefined;
  readonly fetchOptions: Readonly<Record<string, unknown>>;
  readonly observers: Observers;
  readonly maxResponseBytes: number;
}

const inBrowser = (): boolean => {
  const { window, navigator } = globalThis as { window?: { document?: unknown }; navigator?: { userAgent?: string } };
  return window?.document !== undefined && navigator !== undefined;
};

/** Checks the options and completes them from the environment. @throws {ConfigurationError} */
export function configure(options: SallyportOptions, env: Environment = environment()): Config {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('invalid_option', {
      what: 'new Sallyport() takes one object',
      next: 'Pass { apiKey, clientId, baseUrl }, not a key alone',
    });
  const apiKey = options.apiKey ?? variable('SALLYPORT_API_KEY', env);
  const clientId = options.clientId ?? variable('SALLYPORT_CLIENT_ID', env);
  if (apiKey === undefined && clientId === undefined)
    throw new ConfigurationError('missing_api_key', {
      what: 'new Sallyport() has neither an API key nor a client id',
      next: 'Pass apiKey (and clientId for signing in), or set SALLYPORT_API_KEY and SALLYPORT_CLIENT_ID. A public client passes clientId alone',
    });
  if (apiKey !== undefined) checkKey(options.apiKey === apiKey ? 'apiKey' : 'SALLYPORT_API_KEY', apiKey);
  if (clientId !== undefined) checkClientId(clientId);
  if (apiKey !== undefined && inBrowser() && !options.dangerouslyAllowBrowser)
    throw new ConfigurationError('api_key_in_browser', {
      what: 'An API key was given to a client in a browser',
      why: 'Everyone who opens the page can read it and use it for any request',
      next: 'Keep the key on your server and pass clientId alone, or dangerouslyAllowBrowser: true for a key that may be public',
    });
  const base = baseUrlOf(options, env);
  return {
    apiKey,
    clientId,
    ...base,
    dialect: dialectFrom(options.dialect),
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
    deadlineMs: positive('deadlineMs', options.deadlineMs ?? 60_000),
    maxRetries: whole('maxRetries', options.maxRetries ?? 2),
    maxConcurrent: whole('maxConcurrent', options.maxConcurrent ?? 0),
    headers: headersFrom(options.headers ?? {}),
    fetch: fetchFrom(options.fetch),
    fetchOptions: options.fetchOptions ?? {},
    observers: observersOf(options, env),
    maxResponseBytes: positive('maxResponseBytes', options.maxResponseBytes ?? 16 * 1024 * 1024),
  };
}

function checkKey(option: string, key: unknown): void {
  // A key copied with its line break would be refused by fetch with a message that prints it.
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new ConfigurationError('malformed_api_key', {
      what: `${option} must be a string of ASCII characters without blanks and line breaks`,
      next: 'Copy the key again, without the quotes around it',
    });
}

function checkClientId(clientId: unknown): void {
  if (typeof clientId !== 'string' || clientId.trim() === '' || /[\s\p{Cc}]/u.test(clientId))
    throw new ConfigurationError('missing_client_id', {
      what: 'clientId must be a string without blanks and line breaks',
      next: 'Pass the client id of your application, or leave it out when no one signs in',
    });
}

function baseUrlOf(options: SallyportOptions, env: Environment): BaseUrl {
  const address = options.baseUrl ?? variable('SALLYPORT_BASE_URL', env);
  if (address === undefined)
    throw new ConfigurationError('missing_base_url', {
      what: 'The client does not know where the service is',
      next: 'Pass baseUrl or set SALLYPORT_BASE_URL; for the emulator run npx sallyport emulator and use the address it prints',
    });
  return checkedBaseUrl(address, options.allowInsecure);
}

function dialectFrom(choice: DialectChoice | undefined): Dialect {
  const dialect = dialectOf(choice);
  const gap = dialect && gapIn(dialect);
  if (dialect && !gap) return dialect;
  if (gap)
    throw new ConfigurationError('unknown_dialect', {
      what: `The dialect must have ${gap}, with the same kind of value as dialects.spec`,
      next: 'Pass { ...dialects.spec } with your changes',
    });
  throw new ConfigurationError('unknown_dialect', {
    what: `There is no dialect called ${String(choice)}`,
    next: `Pass ${Object.keys(dialects).join(', ')}, or an object made from one of them`,
  });
}

function headersFrom(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    const problem = complaintAboutHeader(name, value);
    if (problem) invalidOption(`headers.${name}`, `cannot be sent: ${problem}`);
  }
  return headers;
}

function fetchFrom(fetch: SallyportOptions['fetch']): typeof globalThis.fetch | undefined {
  if (fetch !== undefined && typeof fetch !== 'function') invalidOption('fetch', 'must be a function');
  return fetch;
}

function observersOf(options: SallyportOptions, env: Environment): Observers {
  const { logger } = options;
  const variableLevel = variable('SALLYPORT_LOG', env);
  if (variableLevel !== undefined && !isLogLevel(variableLevel))
    invalidOption('SALLYPORT_LOG', 'must be debug, info, warn, error or off');
  const level = variableLevel as LogLevel | undefined;
  if (typeof logger === 'string') {
    if (!isLogLevel(logger)) invalidOption('logger', 'must be debug, info, warn, error, off or an object');
    return new Observers(options.hooks ?? {}, console, logger as LogLevel);
  }
  return new Observers(options.hooks ?? {}, logger ?? (level ? console : undefined), level ?? 'debug');
}

function invalidOption(option: string, problem: string): never {
  throw new ConfigurationError('invalid_option', {
    what: `The option ${option} ${problem}`,
    next: `Correct ${option}`,
  });
}

function positive(option: string, value: number): number {
  if (!(typeof value === 'number' && value > 0)) invalidOption(option, 'must be a number greater than 0');
  return value;
}

function whole(option: string, value: number): number {
  if (!Number.isInteger(value) || value < 0) invalidOption(option, 'must be a whole number, 0 or more');
  return value;
}
