import { checkArgumentNames, type OptionNames } from '../../errors/known-options.js';
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
  const found = problemOf(path);
  if (found)
    rejectArgument(
      operation,
      { at: 'path', expected: 'a percent-encoded path that begins with one /', found },
      'Encode each id with encodeURIComponent, and pass parameters in query',
    );
  const parameters = parametersIn(query);
  if (!parameters)
    rejectArgument(operation, {
      at: 'query',
      expected: 'a plain object or URLSearchParams',
      found: kindOfValue(query),
    });
  if (!/^(?:\/[!-~]*|\(request\))$/.test(route))
    rejectArgument(operation, {
      at: 'route',
      expected: 'a path template, such as /organizations/:id',
      found: typeof route === 'string' ? 'another text' : kindOfValue(route),
    });
  const described = Object.keys(parameters ?? {}).map((name) => [name, { ...anything, wireName: name }]);
  return {
    ...operation,
    io: { ...io, query: part(Object.fromEntries(described)), returns: anything, extension: true },
  };
}

/** Return what is wrong with a path; undefined if it is sent exactly as it is, below `baseUrl`. */
function problemOf(path: unknown): string | undefined {
  if (typeof path !== 'string') return kindOfValue(path);
  if (!path.startsWith('/')) return 'a text that begins otherwise';
  if (path.includes('//')) return 'a path with //';
  if (path.includes('\\')) return 'a path with a backslash';
  if (/[?#]/.test(path)) return 'a path with ? or #';
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return 'a path with a % that encodes nothing';
  }
  if (/\p{Cc}/u.test(decoded)) return 'a path with a control character';
  if (/(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(decoded)) return 'a path with a dot segment';
  // The characters that RFC 3986 allows in a path. The URL parser would encode or drop others.
  return /^[\w.~!$&'()*+,;=:@%/-]+$/.test(path) ? undefined : 'a path with a character that must be encoded';
}
