import { isRecord, isText } from '../../http/json.js';
import { type Codec, kindOfValue, Mismatch } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { descriptorOf } from '../../service/describe/operation.js';
import type { PreparedRequest } from '../request/request.js';
import { type BadRecord, type Exchange, UnexpectedResponseError } from './errors.js';

/** One page of a list. */
export interface Page<T> {
  /** The items, in the requested order. */
  readonly data: readonly T[];
  /** Cursors of the previous and next page; null at the ends of the list. */
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
}

/** Return the result of a successful response. @throws {UnexpectedResponseError} */
export function resultOf(codec: Codec, request: PreparedRequest, exchange: Exchange, text: string): unknown {
  const { operation } = request;
  const { returns } = operation.io;
  if (!returns) return undefined;
  const descriptor = descriptorOf(returns);
  // Only responses that are not described may be empty.
  if (descriptor.kind === 'unknown' && operation.kind === 'one' && text.trim() === '') return undefined;
  const body = parsed(request, exchange, text);
  try {
    switch (operation.kind) {
      case 'list':
        return pageOf(codec, request, descriptor, body);
      case 'data':
        return recordsOf(codec, request, descriptor, fieldsOf(body).data, ['data']);
      case 'array':
        return recordsOf(codec, request, descriptor.element!, body, []);
      default:
        return codec.decode(descriptor, body);
    }
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const bad = error instanceof InvalidRecord ? error.bad : undefined;
    throw unexpected(request, exchange, error.problem('The body'), body, error.at || undefined, bad);
  }
}

/** Create the error for a response that does not match the service's description. */
export function unexpected(
  { operation, backwards }: PreparedRequest,
  exchange: Exchange,
  why: string,
  body?: unknown,
  path?: string,
  bad?: BadRecord,
): UnexpectedResponseError {
  const { method, route, status, requestId } = exchange;
  const { client, io } = operation;
  const [other, form] =
    io.earlierForm === client ? [io.todaysForm, "today's form"] : [io.earlierForm, 'the older form'];
  const call = other ? `Call ${other} if the service responds in ${form}. ` : '';
  const next = bad ? adviceToSkip(backwards, bad) : `${call}Check that baseUrl and dialect match the service`;
  return new UnexpectedResponseError(
    {
      what: `${client} got an unexpected response (${method} ${route}, status ${status})`,
      why,
      next: `${next}${requestId ? `; the request id is ${requestId}` : ''}`,
    },
    { ...exchange, body },
    path,
    bad,
  );
}

const adviceToSkip = (backwards: boolean, { cursor }: BadRecord): string =>
  `Pass onInvalid to leave out such records${
    cursor === undefined ? '' : `, or continue after it with { ${backwards ? 'before' : 'after'}: error.cursor }`
  }`;

function parsed(request: PreparedRequest, exchange: Exchange, text: string): unknown {
  if (text.trim() === '') throw unexpected(request, exchange, 'The body must be JSON, but is empty');
  const type = exchange.headers.get('content-type');
  if (type !== null && !/\bjson\b/i.test(type))
    throw unexpected(request, exchange, `The body must be JSON, but is ${request.quote(type.split(';')[0]!)}`, text);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(request, exchange, 'The body must be JSON; it may have been cut off', text);
  }
}

const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> => {
  if (isRecord(body)) return body;
  throw new Mismatch('an object', kindOfValue(body));
};

/** Decode the records of a list. @throws {Mismatch} One is invalid and `onInvalid` is not given. */
function recordsOf(
  codec: Codec,
  request: PreparedRequest,
  item: Descriptor,
  records: unknown,
  path: readonly string[],
): unknown[] {
  if (!Array.isArray(records)) throw new Mismatch('an array', kindOfValue(records), [...path]);
  const { backwards } = request;
  const items: unknown[] = [];
  const last = records.length - 1;
  for (let i = 0; i <= last; i++) {
    const at = backwards ? last - i : i;
    const record: unknown = records[at];
    try {
      items.push(codec.decode(item, record));
    } catch (error) {
      leaveOut(error, request, record, [...path, at], items);
    }
  }
  return backwards ? items.reverse() : items;
}

/** Leave out a record that was not decoded, if `onInvalid` is given. @throws the error otherwise */
function leaveOut(
  error: unknown,
  { operation, onInvalid }: PreparedRequest,
  record: unknown,
  at: readonly (string | number)[],
  preceding: readonly unknown[],
): void {
  if (!(error instanceof Mismatch)) throw error;
  if (!onInvalid) throw new InvalidRecord(error, record, at, preceding, operation.kind === 'list');
  if (typeof onInvalid === 'function') onInvalid(record, error.problem('The record'));
}

/** A record of a list that does not match. */
class InvalidRecord extends Mismatch {
  declare readonly bad: BadRecord;
  constructor(
    { expected, found, path }: Mismatch,
    record: unknown,
    at: readonly (string | number)[],
    preceding: readonly unknown[],
    hasCursor: boolean,
  ) {
    super(expected, found, [...at, ...path]);
    const id = hasCursor && isRecord(record) ? record.id : undefined;
    this.bad = { record, cursor: isText(id) ? id : undefined, preceding };
  }
}

function pageOf(codec: Codec, request: PreparedRequest, item: Descriptor, body: unknown): Page<unknown> {
  const { data, object: _, list_metadata, listMetadata, ...unknown } = fieldsOf(body);
  // A pattern with this name would read the prototype, which `node --disable-proto=throw` forbids.
  Reflect.deleteProperty(unknown, '__proto__');
  return {
    ...unknown,
    data: recordsOf(codec, request, item, data, ['data']),
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
