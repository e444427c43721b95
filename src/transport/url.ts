import { complaintAbout } from '../service/describe/check.js';
import type { Codec } from '../service/describe/codec.js';
import type { Descriptor } from '../service/describe/define.js';
import { type Operation, pathOf } from '../service/describe/operation.js';
import { refuse } from './argument.js';
import type { Config } from './config.js';
import type { RequestOptions } from './options.js';
import { fillPath } from './path.js';

const listParams: Readonly<Record<string, Descriptor>> = {
  limit: { kind: 'integer', min: 1, max: 100, optional: true },
  order: { kind: 'string', known: ['asc', 'desc'], closed: true, optional: true },
  after: { kind: 'string', optional: true },
  before: { kind: 'string', optional: true },
};

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
  const add = (argument: string, name: string, value: unknown) => {
    if (value === undefined || value === null) return;
    try {
      query.push(
        `${encodeURIComponent(name)}=${encodeURIComponent(Array.isArray(value) ? value.join(',') : String(value))}`,
      );
    } catch {
      refuse(operation, { at: argument, expected: 'valid Unicode', found: 'a broken string' });
    }
  };
  const given = input.query ?? {};
  const shape = operation.io.query?.shape ?? {};
  const described = operation.kind === 'list' ? { ...shape, ...listParams } : shape;
  for (const name in described) {
    const field = described[name]!;
    const complaint = complaintAbout(field, given[name], name);
    if (complaint) refuse(operation, complaint);
    for (const wireName of codec.wireNames(name, field)) add(name, wireName, given[name]);
  }
  for (const name of Object.keys(extraQuery)) add(`extraQuery.${name}`, name, extraQuery[name]);
  return config.baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : '');
}
