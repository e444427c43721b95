import { complaintAbout, complaintAboutNames } from '../service/describe/check.js';
import type { Codec } from '../service/describe/codec.js';
import type { Descriptor } from '../service/describe/define.js';
import { type Operation, pathOf } from '../service/describe/operation.js';
import { prefixesUnder } from '../service/identifiers.js';
import { refuse } from './argument.js';
import type { Config } from './config.js';
import { isGiven, type RequestOptions } from './options.js';
import { fillPath } from './path.js';

type Shape = Readonly<Record<string, Descriptor>>;

const limit: Descriptor = { kind: 'integer', min: 1, max: 100, optional: true };
const order: Descriptor = { kind: 'string', known: ['asc', 'desc'], closed: true, optional: true };

/** Every query parameter of an operation, in callers' names. */
function parametersOf({ kind, path, io }: Operation): Shape {
  const described = io.query?.shape ?? {};
  if (kind !== 'list') return described;
  // A cursor is the id of an item, where items have one.
  const cursor: Descriptor = { kind: 'string', optional: true, prefixes: prefixesUnder(path) };
  return io.forwardOnly
    ? { ...described, limit, after: cursor }
    : { ...described, limit, order, after: cursor, before: cursor };
}

/** What an address is made of: parameters of the path and of the query, in callers' names. */
export interface AddressInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** Address of an operation, query included. */
export function urlOf(
  config: Config,
  codec: Codec,
  operation: Operation,
  input: AddressInput,
  extraQuery: RequestOptions['extraQuery'] = {},
): string {
  const path = fillPath(pathOf(operation, config.dialect), operation, input.params ?? {});
  const query: string[] = [];
  const add = (argument: string, name: string, value: unknown): void => {
    // An empty list would be written as a list of one empty text.
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
      refuse(operation, { at: argument, expected: 'valid Unicode', found: 'a string with half a character' });
    }
  };
  // Null leaves a parameter out as `undefined` does: cursors at the end of a list are null.
  const parameters = Object.fromEntries(Object.entries(input.query ?? {}).filter(([, value]) => isGiven(value)));
  const described = parametersOf(operation);
  // A misspelled filter would otherwise be a list of everything.
  const unknown = complaintAboutNames(parameters, described);
  if (unknown) refuse(operation, unknown, undefined, 'extraQuery');
  for (const name in described) {
    const field = described[name]!;
    const value = parameters[name];
    const complaint = complaintAbout(field, value, name);
    if (complaint) refuse(operation, complaint);
    for (const wireName of codec.wireNames(name, field)) add(name, wireName, value);
  }
  for (const name of Object.keys(extraQuery)) add(`extraQuery.${name}`, name, extraQuery[name]);
  return config.baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : '');
}
