import { checkArgumentNames, type OptionNames } from '../../errors/known-options.js';
import { isLike } from '../../http/json.js';
import { kindOfValue } from '../../service/describe/codec.js';
import { nullable, part, valueAs } from '../../service/describe/define.js';
import type { Io, Kind, Method, Operation } from '../../service/describe/operation.js';
import { type DirectListOptions, type DirectRequestOptions, optionNames } from './options.js';
import { rejectArgument } from './reject-argument.js';
import { parametersIn } from './url.js';

// Operations for endpoints that are not described. They are made by the call, from what its caller passes.

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const { extraBody: _, extraQuery: __, ...sharedNames } = optionNames;
const listNames: OptionNames<DirectListOptions> = { ...sharedNames, query: 1, route: 1 };
const { onInvalid: ___, ...callNames } = listNames;
const requestNames: OptionNames<DirectRequestOptions> = { ...callNames, body: 1 };

/** Describe the call of `client.request`. @throws {InvalidArgumentError} */
export function requestOf(method: Method, path: unknown, options: DirectRequestOptions): Operation {
  checkArgumentNames('request', options, requestNames);
  const { body } = options;
  const operation = operationOf('request', method, 'one', path, options, body === undefined ? {} : { body: anything });
  if (!methods.includes(method))
    rejectArgument(operation, { at: 'method', expected: `one of ${methods.join(', ')}`, found: 'another value' });
  if (method === 'GET' && body !== undefined)
    rejectArgument(operation, { at: 'body', expected: 'absent', found: 'given' }, 'A GET request has no body');
  return operation;
}

/** Describe the call of `client.list`. @throws {InvalidArgumentError} */
export function listOf(path: unknown, options: DirectListOptions): Operation {
  checkArgumentNames('list', options, listNames);
  return operationOf('list', 'GET', 'list', path, options, {});
}

const anything = nullable(valueAs<unknown>());

function operationOf(
  client: string,
  method: Method,
  kind: Kind,
  path: unknown,
  { query, route = '(request)' }: DirectListOptions,
  io: Io,
): Operation {
  const operation = { id: client, client, method, kind, path: route, io };
  const reject = (at: string, expected: string, given: unknown, why?: string): never =>
    rejectArgument(
      operation,
      { at, expected, found: typeof given === 'string' ? 'another text' : kindOfValue(given) },
      why,
    );
  if (!isEncodedPath(path))
    reject(
      'path',
      'a percent-encoded path that begins with one / and has neither // nor dot segments',
      path,
      'Encode each id with encodeURIComponent, and pass parameters in query',
    );
  const parameters = parametersIn(query);
  if (!parameters) reject('query', 'a plain object or URLSearchParams', query);
  if (!/^(?:\/[!-~]*|\(request\))$/.test(route)) reject('route', 'a path template, such as /organizations/:id', route);
  const described = Object.keys(parameters ?? {}).map((name) => [name, { ...anything, wireName: name }]);
  return {
    ...operation,
    io: { ...io, query: part(Object.fromEntries(described)), returns: anything, extension: true },
  };
}

/** Whether a path is sent exactly as it is, below `baseUrl`. */
function isEncodedPath(path: unknown): boolean {
  // The characters that RFC 3986 allows in a path. The URL parser would encode or drop others.
  if (!isLike(path, /^\/[\w.~!$&'()*+,;=:@%/-]*$/) || isLike(path, /\/\//)) return false;
  try {
    return !/\p{Cc}|(?:^|[/\\])\.\.?(?:[/\\]|$)/u.test(decodeURIComponent(`${path}`));
  } catch {
    return false;
  }
}
