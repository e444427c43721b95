import type { AnyModel, Descriptor } from '../../service/describe/define.js';
import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { publicStatusOf } from '../../service/public-statuses.js';
import type { ParseResult, Parser, Raw } from '../store/parser.js';
import { type RequestProblem, unprocessable } from '../store/refusal.js';
import type { ListQuery, Page } from '../store/selection.js';
import type { Memory } from '../world/memory.js';
import { Answer, AnswerValue, empty, json } from './answer.js';
import { fieldTreeOf } from './request-body.js';
import type { ListExchange, Route } from './router.js';

/** A request and its route. */
interface OperationCall extends Pick<ListExchange, 'memory' | 'world' | 'worlds' | 'key' | 'request'> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly raw: Raw;
}

export const listParameters: readonly string[] = ['limit', 'order', 'after', 'before'];

/** Parse a request, run its handler, and serialize the result. The operation's description defines both formats. */
export async function runOperation(call: OperationCall): Promise<Answer> {
  const { memory, world, worlds, route, params, raw, key, request } = call;
  const { operation, handler, options } = route;
  const errors: RequestProblem[] = [];
  const texts = operation.io.query || operation.kind === 'list' ? fieldTreeOf(call.query) : {};
  const list = operation.kind === 'list' ? listQueryOf(texts, options.order ?? 'desc', errors) : wholeList;
  for (const name of operation.kind === 'list' ? listParameters : []) delete texts[name];
  const { query, body } = read(
    options.isStrict ? memory.parser.strict : memory.parser,
    operation,
    { query: options.unchecked ? undefined : texts, raw },
    errors,
  );
  if (errors.length > 0) throw (options.invalid ?? unprocessable)(errors);

  // The parser has checked body and query, and the handler's types come from the same description.
  const exchange = {
    params,
    query,
    body,
    list,
    now: memory.now,
    memory,
    world,
    worlds,
    key,
    request,
    raw: { body: raw.value, query: call.query },
    emit: memory.emit.bind(memory),
  } as unknown as ListExchange;
  return write(memory, route, await handler(exchange));
}

/** Query and body of a request, with wire names. */
interface RequestParts {
  /** Undefined if the handler reads it itself. */
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly raw: Raw;
}

/**
 * Parse query and body by their descriptions. The results have camelCase names. Problems are added to `errors`. The operations of
 * the service ignore unknown fields, which the request log names. Controls report them, because a typo in a control makes a test meaningless.
 */
export function read(
  parser: Pick<Parser, 'body' | 'query'>,
  { io }: Pick<Operation, 'io'>,
  { query, raw }: RequestParts,
  errors: RequestProblem[],
): { readonly query: unknown; readonly body: unknown } {
  const valueIn = (result: ParseResult): unknown => {
    if ('value' in result) return result.value;
    // push(...errors) would fail if a list had more wrong items than a call may have arguments.
    for (const error of result.errors) errors.push(error);
    return undefined;
  };
  return {
    query: io.query && query ? valueIn(parser.query(io.query, query)) : {},
    body: io.body ? valueIn(parser.body(bodyDescriptorOf(io.body), raw)) : undefined,
  };
}

// Schemas are cached by descriptor, so a model must always have the same one.
const descriptors = new WeakMap<object, Descriptor>();
function bodyDescriptorOf(description: AnyModel | Descriptor): Descriptor {
  let descriptor = descriptors.get(description);
  if (!descriptor) {
    descriptor = 'shape' in description ? { kind: 'model', model: description } : description;
    descriptors.set(description, descriptor);
  }
  return descriptor;
}

const wholeList: ListQuery = { limit: 100, order: 'desc' };

function listQueryOf(
  texts: Readonly<Record<string, unknown>>,
  fallback: 'asc' | 'desc',
  errors: RequestProblem[],
): ListQuery {
  const { limit = '10', order = fallback, after, before } = texts;
  const count = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > 100)
    errors.push({ field: 'limit', code: 'out_of_range', message: 'must be an integer from 1 to 100' });
  if (order !== 'asc' && order !== 'desc' && order !== 'normal')
    errors.push({ field: 'order', code: 'invalid_value', message: 'must be one of asc, desc' });
  return {
    limit: count,
    order: order === 'asc' ? 'asc' : 'desc',
    after: cursor('after', after, errors),
    before: cursor('before', before, errors),
  };
}

function cursor(field: string, value: unknown, errors: RequestProblem[]): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  errors.push({ field, code: 'invalid_type', message: 'must be the id of one object' });
  return undefined;
}

function write(memory: Memory, route: Route, result: unknown): Answer {
  if (result instanceof Answer) return result;
  const special = result instanceof AnswerValue ? result : undefined;
  const { operation } = route;
  const status = special?.status ?? statusOf(memory, operation);
  const value = special ? special.value : result;
  if (operation.kind === 'nothing') return empty(status, special?.headers);
  if (operation.kind === 'list') return json(status, listOf(memory, route, value), special?.headers);
  return json(status, wireOf(memory, route, value), special?.headers);
}

const statusOf = (memory: Memory, operation: Operation): number =>
  memory.settings.dialect.successStatus === 'public' ? publicStatusOf(operation) : (operation.io.status ?? 200);

function projectionOf(memory: Memory, { io, id }: Operation): (item: unknown) => unknown {
  if (io.returns === undefined)
    throw new Error(`${id} describes no result: return a response with json() or redirect().`);
  const descriptor = descriptorOf(io.returns);
  return (item) => project(memory.codec, descriptor, item);
}

function wireOf(memory: Memory, { operation }: Route, value: unknown): unknown {
  const projectItem = projectionOf(memory, operation);
  if (operation.kind !== 'data') return projectItem(value);
  return { object: 'list', data: (value as readonly unknown[]).map(projectItem) };
}

function listOf(memory: Memory, { operation, options }: Route, value: unknown): unknown {
  // The type of list handlers guarantees that they return a page.
  const { data, listMetadata, extra } = value as Page<object>;
  const cursors = operation.io.forwardOnly ? { after: listMetadata.after } : listMetadata;
  return {
    object: 'list',
    data: data.map(projectionOf(memory, operation)),
    [options.cursors ?? 'list_metadata']: cursors,
    ...extra,
  };
}
