import { isRecord, isText } from '../../http/json.js';
import { type Codec, kindOfValue, Mismatch } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import type { ListOptions } from '../request/options.js';
import { type Attempted, type BadRecord, type Exchange, UnexpectedResponseError } from './errors.js';

/** One page of a list. */
export interface Page<T> {
  /** The items, in the requested order. */
  readonly data: readonly T[];
  /** Cursors of the previous and next page; null at the ends of the list. */
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
}

/** A response before its body is decoded, with what decoding needs. */
export interface Facts extends Attempted {
  readonly operation: Operation;
  readonly status: number;
  readonly headers: Headers;
  /** What to do with invalid records. */
  readonly onInvalid: ListOptions['onInvalid'];
  /** Whether the list is walked backwards. */
  readonly backwards: boolean;
  /** Makes untrusted text safe to quote in a message. The service may repeat secrets of the request. */
  readonly quote: (text: string) => string;
}

/** Return the `X-Request-ID` of the response, safe to print. */
export const requestIdOf = ({ headers, quote }: Facts): string | undefined => {
  const id = headers.get('x-request-id');
  return id === null ? undefined : quote(id);
};

/** Return the exchange for an error. */
export const exchangeOf = (facts: Facts, body: unknown, serviceCode?: string): Exchange => {
  const { status, headers, method, route, attempts } = facts;
  return { status, requestId: requestIdOf(facts), method, route, attempts, headers, body, serviceCode };
};

/** Return the result of a successful response. @throws {UnexpectedResponseError} */
export function resultOf(codec: Codec, facts: Facts, text: string): unknown {
  const { operation } = facts;
  const { returns } = operation.io;
  if (!returns) return undefined;
  const descriptor = descriptorOf(returns);
  // Only responses that are not described may be empty.
  if (descriptor.kind === 'unknown' && operation.kind === 'one' && text.trim() === '') return undefined;
  const body = parsed(facts, text);
  try {
    switch (operation.kind) {
      case 'list':
        return pageOf(codec, facts, descriptor, body);
      case 'data':
        return recordsOf(codec, facts, descriptor, fieldsOf(body).data, ['data'], body);
      case 'array':
        return recordsOf(codec, facts, descriptor.element!, body, [], body);
      default:
        return codec.decode(descriptor, body);
    }
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw unexpected(facts, error.problem('The body'), body, error.at || undefined);
  }
}

/** Create the error for a response that does not match the service's description. */
export function unexpected(
  facts: Facts,
  why: string,
  body?: unknown,
  path?: string,
  bad?: BadRecord,
): UnexpectedResponseError {
  const exchange = exchangeOf(facts, body);
  const { method, route, status, requestId } = exchange;
  const { client, io } = facts.operation;
  const older =
    io.earlierForm && io.earlierForm !== client
      ? `Call ${io.earlierForm} if the service responds in the older form. `
      : '';
  const next = bad ? adviceToSkip(facts, bad) : `${older}Check that baseUrl and dialect match the service`;
  return new UnexpectedResponseError(
    {
      what: `${client} got an unexpected response (${method} ${route}, status ${status})`,
      why,
      next: `${next}${requestId ? `; the request id is ${requestId}` : ''}`,
    },
    exchange,
    path,
    bad,
  );
}

const adviceToSkip = ({ backwards }: Facts, { cursor }: BadRecord): string =>
  `Pass onInvalid to leave out such records${
    cursor === undefined ? '' : `, or continue after it with { ${backwards ? 'before' : 'after'}: error.cursor }`
  }`;

function parsed(facts: Facts, text: string): unknown {
  if (text.trim() === '') throw unexpected(facts, 'The body must be JSON, but is empty');
  const type = facts.headers.get('content-type');
  if (type !== null && !/\bjson\b/i.test(type))
    throw unexpected(facts, `The body must be JSON, but is ${facts.quote(type.split(';')[0]!)}`, text);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(facts, 'The body must be JSON; it may have been cut off', text);
  }
}

const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> => {
  if (isRecord(body)) return body;
  throw new Mismatch('an object', kindOfValue(body));
};

/** Decode the records of a list. @throws {UnexpectedResponseError} One is invalid and `onInvalid` is not given. */
function recordsOf(
  codec: Codec,
  facts: Facts,
  item: Descriptor,
  records: unknown,
  path: readonly string[],
  body: unknown,
): unknown[] {
  if (!Array.isArray(records)) throw new Mismatch('an array', kindOfValue(records), [...path]);
  const { operation, backwards, onInvalid } = facts;
  const items: unknown[] = [];
  const last = records.length - 1;
  for (let i = 0; i <= last; i++) {
    const at = backwards ? last - i : i;
    const record: unknown = records[at];
    try {
      items.push(codec.decode(item, record));
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (typeof onInvalid === 'function') onInvalid(record, error.problem('The record'));
      if (onInvalid) continue;
      error.path.unshift(...path, at);
      const id = operation.kind === 'list' && isRecord(record) ? record.id : undefined;
      const cursor = isText(id) ? id : undefined;
      throw unexpected(facts, error.problem('The body'), body, error.at, { record, cursor, preceding: items });
    }
  }
  return backwards ? items.reverse() : items;
}

function pageOf(codec: Codec, facts: Facts, item: Descriptor, body: unknown): Page<unknown> {
  const { data, object: _, __proto__: __, list_metadata, listMetadata, ...unknown } = fieldsOf(body);
  return {
    ...unknown,
    data: recordsOf(codec, facts, item, data, ['data'], body),
    listMetadata: cursorsOf(list_metadata ?? listMetadata),
  };
}

/** Decode the cursors of a page. Absent or null means the end of the list. */
function cursorsOf(metadata: unknown): Page<unknown>['listMetadata'] {
  if (metadata === undefined || metadata === null) return { before: null, after: null };
  if (!isRecord(metadata)) throw new Mismatch('an object', kindOfValue(metadata), ['list_metadata']);
  const cursor = (name: 'before' | 'after') => {
    const value = metadata[name] ?? null;
    if (value === null || typeof value === 'string') return value || null;
    throw new Mismatch('a string', kindOfValue(value), ['list_metadata', name]);
  };
  return { before: cursor('before'), after: cursor('after') };
}
