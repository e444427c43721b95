import { complaintAbout, complaintAboutId, complaintAboutNames } from '../../service/describe/check.js';
import { type Codec, kindOfValue } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { camelCase, type Operation, pathOf } from '../../service/describe/operation.js';
import { prefixesUnder } from '../../service/identifiers.js';
import type { Config } from '../types.js';
import { isGiven, type RequestOptions } from './options.js';
import { rejectArgument } from './reject-argument.js';

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
  extraQuery: RequestOptions['extraQuery'] = {},
): string {
  const path = input.path ?? fillPath(pathOf(operation, config.dialect), operation, input.params ?? {});
  const query: string[] = [];
  const add = (argument: string, name: string, value: unknown): void => {
    // An empty list would become a list of one empty string.
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return;
    if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) add(`${argument}.${key}`, `${name}[${key}]`, inner);
      return;
    }
    try {
      query.push(
        `${encodeURIComponent(name)}=${encodeURIComponent(Array.isArray(value) ? value.join(',') : String(value))}`,
      );
    } catch {
      rejectArgument(operation, {
        at: argument,
        expected: 'valid Unicode',
        found: 'a string with an unpaired surrogate',
      });
    }
  };
  // Treat null as undefined, because cursors at the end of a list are null.
  const parameters = Object.fromEntries(Object.entries(input.query ?? {}).filter(([, value]) => isGiven(value)));
  const described = parametersOf(operation);
  // Without this check, a misspelled filter would list everything.
  const unknown = complaintAboutNames(parameters, described);
  if (unknown) rejectArgument(operation, unknown, undefined, 'extraQuery');
  for (const name in described) {
    const field = described[name]!;
    const value = parameters[name];
    const complaint = complaintAbout(field, value, name);
    if (complaint) rejectArgument(operation, complaint);
    for (const wireName of codec.wireNames(name, field)) add(name, wireName, value);
  }
  for (const name of Object.keys(extraQuery)) add(`extraQuery.${name}`, name, extraQuery[name]);
  return config.baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : '');
}

/**
 * Fill the parameters into a path, each encoded as one segment.
 *
 * Encoding is not enough: it keeps `.` and `..`, and parsing the URL would then lead to another resource. They are rejected, and
 * so are empty strings and values that are not strings.
 */
function fillPath(template: string, operation: Operation, params: Readonly<Record<string, unknown>>): string {
  const [start = '', ...parts] = template.split(':');
  return parts.reduce((path, part, at) => {
    const [wireName = '', ...rest] = part.split('/');
    const name = camelCase(wireName);
    const argument = at === parts.length - 1 ? (operation.io.argument ?? name) : name;
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
