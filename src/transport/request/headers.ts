import { InvalidArgumentError, quotable } from '../../errors/index.js';
import { isPlainObject } from '../../errors/known-options.js';
import { kindOfValue, tagOf } from '../../service/describe/codec.js';
import type { Operation } from '../../service/describe/operation.js';
import type { Config } from '../types.js';
import { missingApiKey } from './credentials.js';
import type { RequestOptions } from './options.js';
import { rejectArgument } from './reject-argument.js';

/** Return what is wrong with a header, or undefined. Never prints its value, unlike the errors of `fetch`. */
export function headerProblem(name: string, value: unknown): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'its name must be a valid header name';
  if (typeof value !== 'string') return `it must be a string, not ${kindOfValue(value)}`;
  if (value.trim() === '') return 'it must not be blank';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'it must not contain line breaks or other characters that headers do not allow';
}

/** Return the headers in `Headers` or in a plain object, as they are given; undefined for any other value. */
export const headerEntries = (
  headers: unknown,
): readonly (readonly [name: string, value: string | undefined])[] | undefined => {
  if (headers === undefined || headers === null) return [];
  if (tagOf(headers) === 'Headers') return [...(headers as Headers)];
  return isPlainObject(headers) ? Object.entries(Object(headers)) : undefined;
};

function headerValue(given: string, name: string, value: unknown): string {
  const problem = headerProblem(name, value);
  if (problem === undefined) return value as string;
  // The name of a header is the caller's and may contain line breaks.
  const argument = quotable(given);
  throw new InvalidArgumentError({
    what: `${argument} cannot be sent as a header: ${problem}`,
    next: `Correct ${argument}`,
    argument,
  });
}

/** Return the headers of a request by lower-case name: ours, the client's, the call's. Later ones win. */
export function headersOf(
  config: Config,
  operation: Operation,
  { accessToken, headers: given = {} }: { readonly accessToken?: unknown; readonly headers?: object | undefined },
  hasBody: boolean,
  options: RequestOptions,
): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (hasBody) headers['content-type'] = operation.io.form ? 'application/x-www-form-urlencoded' : 'application/json';
  const authorization = authorizationOf(config, operation, accessToken);
  if (authorization) headers.authorization = authorization;
  const key = options.idempotencyKey ?? (operation.method === 'GET' ? undefined : randomKey());
  if (key !== undefined) headers['idempotency-key'] = headerValue('idempotencyKey', 'idempotency-key', key);
  const added =
    headerEntries(options.headers) ??
    rejectArgument(operation, {
      at: 'headers',
      expected: 'a plain object or Headers',
      found: kindOfValue(options.headers),
    });
  for (const [name, value] of [...Object.entries(config.headers), ...added])
    if (value === undefined) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = headerValue(`headers.${name}`, name, value);
  for (const [argument, value] of Object.entries(given)) {
    const name = argument.replace(/[A-Z]/g, '-$&').toLowerCase();
    if (value !== undefined) headers[name] = headerValue(argument, name, value);
  }
  return headers;
}

/** Pages without HTTPS have no `randomUUID`. */
const randomKey = (): string => crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');

function authorizationOf(config: Config, operation: Operation, accessToken: unknown): string | undefined {
  const auth = operation.io.auth ?? 'api_key';
  if (auth === 'access_token') return `Bearer ${headerValue('accessToken', 'authorization', accessToken)}`;
  if (auth !== 'api_key') return undefined;
  if (config.apiKey !== undefined) return `Bearer ${config.apiKey}`;
  throw missingApiKey(operation.client);
}

/** Matches names of values that must not be printed. */
const secretName = /auth|code|cookie|hash|key|pass|secret|session|token/i;

/** Return the strings in a value, at any depth. */
const stringsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(stringsIn);

/** Return values with secret names, at any depth, and their parts, such as the content of a cookie. */
export const secretsByName = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (secretName.test(name) && name !== 'idempotency-key')
      return stringsIn(value).flatMap((text) => [text, ...text.split(/[\s;,=]+/).filter((part) => part.length >= 8)]);
    return typeof value === 'object' && value ? secretsByName(value) : [];
  });
