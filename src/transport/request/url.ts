import { isPlainObject } from '../../errors/known-options.js';
import {
  complaintAbout,
  complaintAboutId,
  complaintAboutJson,
  complaintAboutNames,
} from '../../service/describe/check.js';
import { type Codec, kindOfValue, tagOf } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { camelCase, type Operation, pathOf } from '../../service/describe/operation.js';
import { prefixesUnder } from '../../service/identifiers.js';
import type { Config } from '../types.js';
import { rejectArgument } from './reject-argument.js';

/** Whether a query parameter is given. Null leaves it out, as `undefined` does. */
export const isGiven = <T>(parameter: T | null | undefined): parameter is T =>
  parameter !== undefined && parameter !== null;

/** The values of a parameter that URLSearchParams hold several times. They are sent one by one. */
class Repeated extends Array<string> {}

/** Return query parameters by name; undefined if they are neither in a plain object nor URLSearchParams. */
export function parametersIn(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined) return {};
  if (tagOf(given) !== 'URLSearchParams') return isPlainObject(given) ? Object(given) : undefined;
  const search = given as URLSearchParams;
  return Object.fromEntries(
    [...search.keys()].map((name) => {
      const [value = '', ...more] = search.getAll(name);
      // The limit of a list is described as a number.
      const isLimit = name === 'limit' && /^[1-9]\d{0,2}$/.test(value);
      return [name, more.length > 0 ? Repeated.of(value, ...more) : isLimit ? Number(value) : value];
    }),
  );
}

/** Return the text of a string, a number, a boolean, or of an object with such a `toJSON`, such as a Date; otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  const { toJSON } = Object(value) as { readonly toJSON?: () => unknown };
  const json = typeof toJSON === 'function' ? toJSON.call(value) : value;
  return ['string', 'number', 'boolean'].includes(typeof json) ? String(json) : undefined;
}

type Shape = Readonly<Record<string, Descriptor>>;

const limit: Descriptor = { kind: 'integer', min: 1, max: 100, optional: true };
const order: Descriptor = { kind: 'string', known: ['asc', 'desc'], closed: true, optional: true };

/** Return all query parameters of an operation, by the callers' names. */
function parametersOf({ kind, path, io }: Operation): Shape {
  const described = io.query?.shape ?? {};
  if (kind !== 'list') return described;
  // A cursor is the id of an item, if items have one.
  const cursor: Descriptor = { kind: 'string', optional: true, prefixes: prefixesUnder(path) };
  return io.forwardOnly
    ? { ...described, limit, after: cursor }
    : { ...described, limit, order, after: cursor, before: cursor };
}

/** Parameters of the path and the query, by the callers' names. */
export interface AddressInput {
  /** The path to send, already encoded and checked, if the operation has only a template for hooks and errors. */
  readonly path?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** Return the URL of an operation, including the query. */
export function urlOf(
  config: Config,
  codec: Codec,
  operation: Operation,
  input: AddressInput,
  extraQuery?: unknown,
): string {
  const path = input.path ?? fillPath(pathOf(operation, config.dialect), operation, input.params ?? {});
  // Callers of an undescribed endpoint pass the parameters in an option.
  const [option, within] = input.path === undefined ? ['params', ''] : ['query', 'query.'];
  const query: string[] = [];
  // Treat null as undefined, because cursors at the end of a list are null.
  const parameters = Object.fromEntries(
    Object.entries(checkedParameters(operation, option, input.query)).filter(([, value]) => isGiven(value)),
  );
  const described = parametersOf(operation);
  // Without this check, a misspelled filter would list everything.
  const unknown = complaintAboutNames(parameters, described);
  if (unknown) rejectArgument(operation, unknown, undefined, 'extraQuery');
  for (const name in described) {
    const field = described[name]!;
    const value = parameters[name];
    const complaint = complaintAbout(field, value, within + name);
    if (complaint) rejectArgument(operation, complaint);
    for (const wireName of codec.wireNames(name, field)) append(query, operation, within + name, wireName, value);
  }
  for (const [name, value] of Object.entries(checkedParameters(operation, 'extraQuery', extraQuery)))
    append(query, operation, `extraQuery.${name}`, name, value);
  return config.baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : '');
}

const checkedParameters = (operation: Operation, at: string, given: unknown): Readonly<Record<string, unknown>> =>
  parametersIn(given ?? undefined) ??
  rejectArgument(operation, { at, expected: 'a plain object', found: kindOfValue(given) });

const sendable = 'a string, a number, a boolean, a Date or a list of these';

/** Append a parameter to a query. Rejects a value that would be sent without its content, because a list without its filter lists everything. */
function append(query: string[], operation: Operation, at: string, name: string, value: unknown): void {
  // An empty list would become a list of one empty string.
  if (!isGiven(value) || (Array.isArray(value) && value.length === 0)) return;
  if (value instanceof Repeated) {
    for (const one of value) append(query, operation, at, name, one);
    return;
  }
  const complaint = complaintAboutJson(value, at);
  if (complaint) rejectArgument(operation, complaint);
  if (isPlainObject(value)) {
    for (const [key, inner] of Object.entries(Object(value)))
      append(query, operation, `${at}.${key}`, `${name}[${key}]`, inner);
    return;
  }
  const texts = (Array.isArray(value) ? value : [value]).map(textOf);
  if (texts.includes(undefined)) rejectArgument(operation, { at, expected: sendable, found: kindOfValue(value) });
  try {
    query.push(`${encodeURIComponent(name)}=${encodeURIComponent(texts.join(','))}`);
  } catch {
    rejectArgument(operation, { at, expected: 'valid Unicode', found: 'a string with an unpaired surrogate' });
  }
}

/**
 * Fill the parameters into a path, each encoded as one segment.
 *
 * Encoding is not enough: it keeps `.` and `..`, and parsing the URL would then lead to another resource. They are rejected, and
 * so are empty strings and values that are not strings.
 */
function fillPath(template: string, operation: Operation, params: Readonly<Record<string, unknown>>): string {
  const [start = '', ...parts] = template.split(':');
  const { paramsIn } = operation.io;
  const holder = paramsIn === undefined ? '' : `${paramsIn}.`;
  return parts.reduce((path, part, at) => {
    const [wireName = '', ...rest] = part.split('/');
    const name = camelCase(wireName);
    const argument = holder + (at === parts.length - 1 ? (operation.io.argument ?? name) : name);
    const reject = (found: string): never =>
      rejectArgument(
        operation,
        { at: argument, expected: 'a non-empty string', found },
        `It is part of the path ${template}`,
      );
    const value = params[name];
    if (typeof value !== 'string') return reject(kindOfValue(value));
    if (value.trim() === '') return reject('an empty string');
    if (value === '.' || value === '..') return reject(`"${value}"`);
    const complaint = complaintAboutId(prefixesUnder(operation.path.split(`/:${wireName}`)[0]!), value, argument);
    if (complaint) rejectArgument(operation, complaint);
    try {
      return [path + encodeURIComponent(value), ...rest].join('/');
    } catch {
      return reject('a string with an unpaired surrogate');
    }
  }, start);
}
