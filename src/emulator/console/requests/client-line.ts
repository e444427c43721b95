import { isObject } from '../../../service/describe/codec.js';
import type { Descriptor } from '../../../service/describe/define.js';
import { descriptorOf, type Operation, paramNamesOf, pathOf } from '../../../service/describe/operation.js';
import type { Memory } from '../../world/memory.js';
import { literalOf } from './literal.js';

type RequestFields = Readonly<Record<string, unknown>>;

/** Parts of a world that define the format of requests. */
type Grammar = Pick<Memory, 'codec' | 'parser'> & { readonly settings: Pick<Memory['settings'], 'dialect'> };

/** A request to an operation, with wire names. */
interface OperationRequest {
  readonly operation: Operation | undefined;
  /** Path and query. */
  readonly path: string;
  readonly body: string | null;
}

/** Path parameters, query and body of a request, with camelCase names. */
interface CallInput {
  readonly params: RequestFields;
  readonly query: RequestFields;
  readonly body: unknown;
}

/** Fields of grants that the client adds itself. */
const clientGrantFields = ['clientId', 'clientSecret', 'grantType'];

/**
 * Write the line of code that sends a request with the client, such as
 * `await sallyport.organizations.createOrganization({ name: 'Acme' });`. Returns undefined if no single call can send it: a URL for
 * a browser, a request with an access token, or a request that does not match its description.
 */
export function clientLineOf(memory: Grammar, { operation, path, body }: OperationRequest): string | undefined {
  if (!operation || operation.kind === 'url' || operation.io.auth === 'access_token') return undefined;
  try {
    const input = inputOf(memory, operation, path, body);
    return input && `await sallyport.${operation.client}(${argumentsOf(operation, input).map(literalOf).join(', ')});`;
  } catch {
    // The client cannot send a request that does not match its description.
    return undefined;
  }
}

function inputOf(memory: Grammar, operation: Operation, path: string, body: string | null): CallInput | undefined {
  const { io, kind } = operation;
  const [before = '', search = ''] = path.split('?');
  const params = paramsIn(operation, pathOf(operation, memory.settings.dialect), before);
  if (!params) return undefined;
  const texts = Object.fromEntries(new URLSearchParams(search));
  const { limit, order, after, before: until, ...filters } = kind === 'list' ? texts : { ...texts };
  const list = { after, before: until, order, limit: limit === undefined ? undefined : Number(limit) };
  const filter = io.query ? memory.parser.query(io.query, filters) : { value: {} };
  if (!('value' in filter)) return undefined;
  return {
    params,
    query: withoutAbsent({ ...(filter.value as RequestFields), ...list }),
    body: io.body && body ? memory.codec.decode(descriptorOf(io.body), contentOf(body)) : undefined,
  };
}

/** Read the parameters of a path, with the names for callers. */
function paramsIn(operation: Operation, pattern: string, path: string): RequestFields | undefined {
  const names = pattern.split('/');
  const segments = path.split('/').map(decodeURIComponent);
  if (names.length !== segments.length) return undefined;
  const values = segments.filter((_, at) => names[at]!.startsWith(':'));
  return Object.fromEntries(paramNamesOf(operation).map(({ argument }, at) => [argument, values[at]]));
}

/** Parse a JSON or form body. */
function contentOf(body: string): unknown {
  return /^\s*[[{]/.test(body) ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

/** Arrange the input of a call as the operation's method takes it. */
function argumentsOf({ io, kind }: Operation, { params, query, body }: CallInput): readonly unknown[] {
  const values = Object.values(params);
  if (body === undefined) {
    if (io.takes === 'object') return [{ ...params, ...query }];
    const filter = io.query ? asPassed(descriptorOf(io.query), query) : query;
    return Object.keys(query).length > 0 && (kind === 'list' || io.query) ? [...values, filter] : values;
  }
  const descriptor = descriptorOf(io.body!);
  const passed = asPassed(descriptor, body);
  if (Array.isArray(passed)) return [passed];
  const fields = passed as RequestFields;
  if (io.takes === 'arguments')
    return values.length > 0 ? [...values, fields] : Object.keys(descriptor.model!.shape).map((name) => fields[name]);
  const own = Object.entries(fields).filter(([name]) => !io.grant || !clientGrantFields.includes(name));
  return [withoutAbsent({ ...(io.paramsIn ? { [io.paramsIn]: params } : params), ...Object.fromEntries(own) })];
}

/** Convert a value of a request to the caller's form. */
function asPassed(field: Descriptor, value: unknown, isFlat = false): unknown {
  if (Array.isArray(value) && field.element) return value.map((item) => asPassed(field.element!, item, isFlat));
  if (field.json) return JSON.parse(String(value));
  if (!field.model || !isObject(value)) return value;
  const passed: Record<string, unknown> = {};
  for (const [name, own] of Object.entries(value)) {
    const described: Descriptor = field.model.shape[name] ?? { kind: 'unknown' };
    const { inside, flatWith } = described;
    // The client adds constants itself.
    if (described.kind === 'constant') continue;
    if (inside && !isFlat) passed[inside] = { ...Object(passed[inside]), [name]: own };
    else passed[name] = asPassed(described, own, flatWith && value[flatWith[0]] === flatWith[1]);
  }
  return passed;
}

const withoutAbsent = (fields: RequestFields): RequestFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
