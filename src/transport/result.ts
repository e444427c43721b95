import { isRecord } from '../http/json.js';
import { type Codec, kindOfValue, Mismatch } from '../service/describe/codec.js';
import type { Descriptor } from '../service/describe/define.js';
import { descriptorOf, type Operation } from '../service/describe/operation.js';
import { type Attempted, type Exchange, UnexpectedResponseError } from './errors.js';

/** One page of a list, as the service answers it. */
export interface Page<T> {
  /** The items, in the order asked for. */
  readonly data: readonly T[];
  /** Where the neighbouring pages begin; null at either end of the list. */
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
}

/** What is known of an answer before its body is read. */
export interface Facts extends Attempted {
  readonly operation: Operation;
  readonly status: number;
  readonly headers: Headers;
  /** Makes a stranger's text one that may stand in a message: a service may repeat what it was sent. */
  readonly quote: (text: string) => string;
}

/** The answer's `X-Request-ID`, as it may be printed. */
export const requestIdOf = ({ headers, quote }: Facts): string | undefined => {
  const id = headers.get('x-request-id');
  return id === null ? undefined : quote(id);
};

/** The exchange as an error knows it. */
export const exchangeOf = (facts: Facts, body: unknown, serviceCode?: string): Exchange => {
  const { status, headers, method, route, attempts } = facts;
  return { status, requestId: requestIdOf(facts), method, route, attempts, headers, body, serviceCode };
};

/** The result of a successful answer. @throws {UnexpectedResponseError} */
export function resultOf(codec: Codec, facts: Facts, text: string): unknown {
  const { operation } = facts;
  const { returns } = operation.io;
  if (!returns) return undefined;
  const body = parsed(facts, text);
  const descriptor = descriptorOf(returns);
  try {
    if (operation.kind === 'list') return pageOf(codec, descriptor, body);
    if (operation.kind === 'data') return itemsOf(codec, descriptor, body);
    return codec.decode(descriptor, body);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    // Keys of maps are the service's words.
    const path = facts.quote(error.at);
    const what = path ? `The field ${path}` : 'The body';
    throw unexpected(facts, `${what} must be ${error.expected} and is ${error.found}`, body, path || undefined);
  }
}

/** An answer that is not what the service is described to send. */
export function unexpected(facts: Facts, why: string, body?: unknown, path?: string): UnexpectedResponseError {
  const exchange = exchangeOf(facts, body);
  const { method, route, status, requestId } = exchange;
  return new UnexpectedResponseError(
    {
      what: `${facts.operation.client} got an answer it cannot use (${method} ${route}, status ${status})`,
      why,
      next: `Check that baseUrl and dialect are those of the service${requestId ? `; the request id is ${requestId}` : ''}`,
    },
    exchange,
    path,
  );
}

function parsed(facts: Facts, text: string): unknown {
  if (text.trim() === '') throw unexpected(facts, 'The body must be JSON and is empty');
  const type = facts.headers.get('content-type');
  if (type !== null && !/\bjson\b/i.test(type))
    throw unexpected(facts, `The body must be JSON and is ${facts.quote(type.split(';')[0]!)}`, text);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(facts, 'The body must be JSON; it may have been cut off', text);
  }
}

function itemsOf(codec: Codec, item: Descriptor, body: unknown): unknown[] {
  if (!isRecord(body)) throw new Mismatch('an object', kindOfValue(body));
  try {
    // Decoding an array gives an array.
    return codec.decode({ kind: 'array', element: item }, body.data) as unknown[];
  } catch (error) {
    if (error instanceof Mismatch) error.path.unshift('data');
    throw error;
  }
}

function pageOf(codec: Codec, item: Descriptor, body: unknown): Page<unknown> {
  const data = itemsOf(codec, item, body);
  const {
    data: _,
    object: __,
    __proto__: ___,
    list_metadata,
    listMetadata,
    ...unknown
  } = body as Record<string, unknown>;
  return { ...unknown, data, listMetadata: cursorsOf(list_metadata ?? listMetadata) };
}

/** Absent or null means the end of the list. */
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
