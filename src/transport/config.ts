import { type ConfigurationCode, ConfigurationError, quotable } from '../errors/index.js';
import { checkNames, checkOption, isPlainObject, type OptionNames } from '../errors/known-options.js';
import { checkedBaseUrl } from '../http/base-url.js';
import { chosenDialect, inBrowser, inPage, isEmulatorKey, setting, variable } from '../http/environment.js';
import { adviceFor } from '../http/fetch-advice.js';
import { isLike } from '../http/json.js';
import { type Dialect, type DialectChoice, dialectOf, dialects, gapIn } from '../service/describe/dialect.js';
import { version } from '../version.js';
import { headerEntries, headerProblem } from './request/headers.js';
import { isLogLevel, type LogLevel, loggingHooks, type Notify, notifierOf } from './sending/observe.js';
import type { CallConfig, Config, SallyportOptions, WithOptions } from './types.js';

const withNames: OptionNames<WithOptions> = {
  timeoutMs: 1,
  deadlineMs: 1,
  maxRetries: 1,
  headers: 1,
  hooks: 1,
  logger: 1,
  maxResponseBytes: 1,
};

const optionNames: OptionNames<SallyportOptions> = {
  ...withNames,
  apiKey: 1,
  clientId: 1,
  baseUrl: 1,
  dialect: 1,
  maxConcurrent: 1,
  limits: 1,
  fetch: 1,
  fetchOptions: 1,
  allowInsecure: 1,
  dangerouslyAllowBrowser: 1,
};

/** Throw a `ConfigurationError` unless the condition holds. */
function check(condition: unknown, code: ConfigurationCode, what: string, next: string): asserts condition {
  if (!condition) throw new ConfigurationError(code, { what, next });
}

/** Validate the options and read missing ones from the environment. @throws {ConfigurationError} */
export function configure(options: SallyportOptions): Config {
  check(
    isPlainObject(options),
    'invalid_option',
    'new Sallyport() takes one object',
    'Pass { apiKey, clientId, baseUrl }, not only a key',
  );
  checkNames('new Sallyport()', options, optionNames);
  const choice = chosenDialect(options);
  const { apiKey, clientId } = credentialsFrom(options, choice);
  const { fetch, limits } = options;
  checkOption(fetch === undefined || typeof fetch === 'function', 'fetch', 'must be a function');
  const address = options.baseUrl || setting('BASE_URL', choice);
  const base = address === undefined ? undefined : checkedBaseUrl(address, options.allowInsecure);
  const config = {
    apiKey,
    clientId,
    dialect: dialectFrom(choice),
    maxConcurrent: whole('maxConcurrent', options.maxConcurrent ?? 0),
    limits,
    fetch,
    fetchOptions: fetchOptionsFrom(options.fetchOptions),
    ...callConfig(options),
  };
  // Report missing settings last: the first call may find them in the environment.
  check(
    apiKey !== undefined || clientId !== undefined,
    'missing_api_key',
    'new Sallyport() has neither an API key nor a client id',
    `Pass apiKey, and clientId for sign-in, or set SALLYPORT_API_KEY and SALLYPORT_CLIENT_ID${choice === 'workos' ? ', or WORKOS_API_KEY and WORKOS_CLIENT_ID' : ''}. A public client needs only clientId`,
  );
  check(
    base && !isEmulatorKey(apiKey, base.baseUrl),
    'missing_base_url',
    'new Sallyport() has no base URL',
    'Pass baseUrl or set SALLYPORT_BASE_URL. For the emulator, use the URL that npx sallyport emulator prints',
  );
  return { ...config, ...base };
}

function credentialsFrom(options: SallyportOptions, choice: unknown) {
  const apiKey = options.apiKey ?? setting('API_KEY', choice);
  const clientId = options.clientId ?? setting('CLIENT_ID', choice);
  // fetch would reject a key with a line break, and print the key in its error.
  check(
    apiKey === undefined || isLike(apiKey, /^[\x21-\x7e]+$/),
    'malformed_api_key',
    `${options.apiKey === apiKey ? 'apiKey' : 'SALLYPORT_API_KEY'} must be a string of ASCII characters without spaces or line breaks`,
    'Copy the key again, without quotes',
  );
  checkOption(
    clientId === undefined || isLike(clientId, /^[^\s\p{Cc}]+$/u),
    'clientId',
    'must be a string without spaces or line breaks',
  );
  if (apiKey !== undefined && !options.dangerouslyAllowBrowser && inPage())
    throw new ConfigurationError('api_key_in_browser', {
      what: 'The client runs in a browser, where everyone can read its API key',
      next: adviceFor(
        undefined,
        'Keep the key on your server and pass only clientId, or pass dangerouslyAllowBrowser: true for a public key',
      ),
    });
  return { apiKey, clientId };
}

/** Check that nothing in the options of `fetch` would be replaced by the client's own. */
function fetchOptionsFrom(fetchOptions: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  checkOption(isPlainObject(fetchOptions), 'fetchOptions', 'must be a plain object');
  for (const name of ['headers', 'method', 'body', 'signal'])
    checkOption(fetchOptions[name] === undefined, `fetchOptions.${name}`, 'would not be sent', 'Pass it to the call');
  return fetchOptions;
}

/** Validate the options that `with` may change. @throws {ConfigurationError} */
export const callConfig = (options: WithOptions): CallConfig => ({
  timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
  deadlineMs: positive('deadlineMs', options.deadlineMs ?? 60_000),
  maxRetries: whole('maxRetries', options.maxRetries ?? 2),
  // Firefox and Safari send a User-Agent from pages too, and ask for it in a preflight, which the service refuses.
  headers: { ...(!inBrowser() && { 'user-agent': `sallyport/${version}` }), ...headersFrom(options.headers) },
  notify: notifyOf(options),
  maxResponseBytes: positive('maxResponseBytes', options.maxResponseBytes ?? 16 * 1024 * 1024),
});

/** Return the options of a client with these changes. @throws {ConfigurationError} One of them may not change. */
export function changedOptions(options: SallyportOptions, changes: WithOptions): SallyportOptions {
  checkNames('with()', changes, withNames);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...options, ...given, headers: { ...headersFrom(options.headers), ...headersFrom(changes.headers) } };
}

function dialectFrom(choice: DialectChoice | string): Dialect {
  const dialect = dialectOf(choice);
  const gap = dialect && gapIn(dialect);
  check(
    dialect && !gap,
    'unknown_dialect',
    gap
      ? `The dialect needs ${gap}, of the same type as in dialects.spec`
      : 'The option dialect, or SALLYPORT_DIALECT, names an unknown dialect',
    `Pass ${Object.keys(dialects).join(', ')}, or { ...dialects.spec } with your changes`,
  );
  return dialect;
}

function headersFrom(given: WithOptions['headers']): Record<string, string> {
  const entries = headerEntries(given);
  checkOption(entries, 'headers', 'must be a plain object or Headers');
  const headers: Record<string, string> = {};
  for (const [name, value] of entries ?? []) {
    const problem = headerProblem(name, value);
    checkOption(!problem, quotable(`headers.${name}`), `cannot be sent: ${problem}`);
    // `headerProblem` accepts only strings.
    headers[name.toLowerCase()] = value as string;
  }
  return headers;
}

function notifyOf({ logger, hooks = {} }: WithOptions): Notify {
  const fallback = checkedLevel('SALLYPORT_LOG', variable('SALLYPORT_LOG'));
  // Loggers such as pino have a property `level`, but none has `to`.
  const { to, level } =
    typeof logger === 'string' ? { to: console, level: logger } : logger && 'to' in logger ? logger : { to: logger };
  const minLevel = checkedLevel('logger', level) ?? fallback;
  const target = to ?? (minLevel && console);
  return notifierOf(target ? [hooks, loggingHooks(target, minLevel ?? 'info')] : [hooks]);
}

function checkedLevel(option: string, level: unknown): LogLevel | undefined {
  checkOption(level === undefined || isLogLevel(level), option, 'must have the level debug, info, warn, error or off');
  return level as LogLevel | undefined;
}

function positive(option: string, value: number): number {
  checkOption(typeof value === 'number' && value > 0, option, 'must be a number greater than 0');
  return value;
}

function whole(option: string, value: number): number {
  checkOption(Number.isInteger(value) && value >= 0, option, 'must be a whole number, 0 or more');
  return value;
}
