import { type Codec, kindOfValue, Mismatch } from '../service/describe/codec.js';
import type { Descriptor } from '../service/describe/define.js';
import { descriptorOf, type Operation } from '../service/describe/operation.js';
import { type Exchange, UnexpectedResponseError } from './errors.js';

/** One page of a list, as the service answers it. */
export interface Page<T> {
  /** The items, in the order asked for. */
  readonly data: readonly T[];
  /** Where the neighbouring pages begin; null at either end of the list. */
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
}

/** What is known of an answer before its body is read. */
export type Facts = Omit<Exchange, 'body' | 'serviceCode'>;

/** Makes a stranger's text one that may stand in a message. */
export type Quote = (text: string) => string;

/** The result of a successful answer. @throws {UnexpectedResponseError} */
export function resultOf(codec: Codec, operation: Operation, facts: Facts, text: string, quote: Quote): unknown {
  const { returns } = operation.io;
  if (!returns) return undefined;
  const body = parsed(operation, facts, text, quote);
  const descriptor = descriptorOf(returns);
  try {
    if (operation.kind === 'list') return pageOf(codec, descriptor, body);
    if (operation.kind === 'data') return itemsOf(codec, descriptor, body);
    return codec.decode(descriptor, body);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    // Keys of maps are the service's words.
    const path = quote(error.at);
    const what = path ? `the field ${path}` : 'the body';
    throw unexpected(
      operation,
      facts,
      `${what} should be ${error.expected} and is ${error.found}`,
      body,
      path || undefined,
    );
  }
}

/** An answer that is not what the service is described to send. */
export const unexpected = (
  operation: Operation,
  facts: Facts,
  why: string,
  body?: unknown,
  path?: string,
): UnexpectedResponseError =>
  new UnexpectedResponseError(
    {
      what: `${operation.client} got an answer it cannot use (${facts.method} ${facts.route}, status ${facts.status})`,
      why,
      next: `Check that baseUrl and dialect are those of the service${facts.requestId ? `; the request id is ${facts.requestId}` : ''}`,
    },
    { ...facts, body, serviceCode: undefined },
    path,
  );

function parsed(operation: Operation, facts: Facts, text: string, quote: Quote): unknown {
  if (text.trim() === '') throw unexpected(operation, facts, 'the body is empty');
  const type = facts.headers.get('content-type');
  if (type !== null && !/\bjson\b/i.test(type))
    throw unexpected(operation, facts, `the body is ${quote(type.split(';')[0]!)} and not JSON`, text);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(operation, facts, 'the body is not whole JSON', text);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function itemsOf(codec: Codec, item: Descriptor, body: unknown): unknown[] {
  if (!isObject(body)) throw new Mismatch('an object', kindOfValue(body));
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
  if (!isObject(metadata)) throw new Mismatch('an object', kindOfValue(metadata), ['list_metadata']);
  const cursor = (name: 'before' | 'after') => {
    const value = metadata[name] ?? null;
    if (value === null || typeof value === 'string') return value || null;
    throw new Mismatch('a string', kindOfValue(value), ['list_metadata', name]);
  };
  return { before: cursor('before'), after: cursor('after') };
}
