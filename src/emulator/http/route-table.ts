import { TrieRouter } from 'hono/router/trie-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import { type Dialect, dialects } from '../../service/describe/dialect.js';
import { camelCase, type Method, type Operation, pathOf } from '../../service/describe/operation.js';
import { oauthError } from '../store/refusal.js';
import type { PageRoute, RawInput, Route, RouteOptions, Router } from './router.js';

/** What is at an address. */
interface Address {
  readonly method: Method;
  /** Pattern of its path, as it is described. */
  readonly path: string;
  /** Names of the path parameters, in order. */
  readonly names: readonly string[];
  /** Whether it belongs to the emulator itself, not to the service. */
  readonly isOwn: boolean;
  /** Whether browsers open it: a page, or an operation that redirects. */
  readonly opensInBrowser: boolean;
  /** Pages of other origins that may read its answers. */
  readonly pages: RouteOptions['pages'];
}

/** An operation, or a page, at an address. `isControl` tells whether the operation is a control of the emulator. */
export type Endpoint = Address &
  (
    | { readonly route: Route; readonly isControl: boolean; readonly page?: undefined }
    | { readonly page: PageRoute; readonly route?: undefined; readonly isControl?: undefined }
  );

/** Endpoints at one path, by method. Several operations may share both. */
type Endpoints = ReadonlyMap<string, readonly Endpoint[]>;

/** Endpoints at the path of a request, with the values of the path's parameters. */
export interface PathMatch {
  readonly endpoints: Endpoints;
  /** Value of the parameter with this index, counted from 0. */
  valueAt(index: number): string;
}

/** Get the path of a request. */
export const pathIn = (request: Request): string => getPath(request);

/** Get the path and query of a request. */
export const targetOf = ({ url }: Request): string => url.slice(url.indexOf('/', 8));

/** Whether a path belongs to the emulator itself, not to the service. */
export const isEmulatorPath = (path: string): boolean => /^\/(?:$|_emulator\/)/.test(path);

/** All endpoints by path. Finds those at the path of a request, most literal first. */
export class RouteTable {
  readonly #router = new TrieRouter<Endpoints>();

  constructor(router: Router) {
    const table = [...tableOf(router)].map((row) => ({ rank: literalness(row[0]), row }));
    table.sort((one, other) => Number(one.rank > other.rank) - Number(one.rank < other.rank));
    for (const { row } of table) this.#router.add('ALL', ...row);
  }

  /** Find all endpoints at a path. */
  match(path: string): readonly PathMatch[] {
    const [matches] = this.#router.match('ALL', path);
    return matches.map(([endpoints, values]) => ({
      endpoints,
      // TrieRouter returns the values; other routers of Hono return indexes.
      valueAt: (index) =>
        tryDecodeURIComponent(String((values as Readonly<Record<string, unknown>>)[`p${index}`] ?? '')),
    }));
  }
}

/** Collect all endpoints by path pattern. */
function tableOf(router: Router): ReadonlyMap<string, Endpoints> {
  const table = new Map<string, Map<string, readonly Endpoint[]>>();
  const add = (path: string, describe: (names: readonly string[]) => Endpoint): void => {
    const names: string[] = [];
    const pattern = path.replace(/:([a-z_]+)/gi, (_, name: string) => `:p${names.push(camelCase(name)) - 1}`);
    const endpoint = describe(names);
    const endpoints = table.get(pattern) ?? new Map<string, readonly Endpoint[]>();
    table.set(pattern, endpoints);
    endpoints.set(endpoint.method, [...(endpoints.get(endpoint.method) ?? []), endpoint]);
  };
  const operationAt = (route: Route, isControl: boolean) => (names: readonly string[]) => {
    const { method, path, kind } = route.operation;
    const { pages } = route.options;
    return { route, isControl, method, path, names, isOwn: isControl, opensInBrowser: kind === 'url', pages };
  };
  for (const route of router.routes.values())
    for (const path of pathsOf(route.operation)) add(path, operationAt(route, false));
  for (const route of router.controls) add(route.operation.path, operationAt(route, true));
  for (const page of router.pages) {
    const { method, path, pages } = page;
    const isOwn = isEmulatorPath(path);
    add(path, (names) => ({ page, method, path, names, isOwn, opensInBrowser: true, pages }));
  }
  return table;
}

/** Sort key that puts a literal segment before a parameter in the same position. */
const literalness = (pattern: string): string =>
  pattern
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '1' : '0'))
    .join('');

/** List the paths of an operation in all dialects, with the older spelling with hyphens. */
function pathsOf(operation: Operation): readonly string[] {
  const presets: Dialect[] = [dialects.spec, dialects.workos];
  const paths = presets.map((dialect) => pathOf(operation, dialect));
  return [...new Set([operation.path, ...paths])].flatMap((path) =>
    path.startsWith('/organization_domains')
      ? [path, path.replace('organization_domains', 'organization-domains')]
      : path,
  );
}

/** Choose between operations that share method and path. @throws {EmulatorRefusal} 400 if the request matches none. */
export function choose(endpoints: readonly Endpoint[], raw: RawInput, dialect: Dialect): Endpoint {
  const conditions = endpoints.map((endpoint) => ({ endpoint, when: conditionOf(endpoint) }));
  const match = conditions.find(({ when }) => when?.(raw));
  // An operation without a condition takes the requests that match no other.
  const rest = conditions.find(({ when }) => !when);
  const chosen = match ?? rest;
  if (chosen) return chosen.endpoint;
  const grants = endpoints.flatMap(({ route }) => route?.operation.io.grant ?? []);
  throw oauthError(
    400,
    'unsupported_grant_type',
    `grant_type must be one of ${grants.join(', ')}; put ${dialect.urnPrefix} before those with a hyphen`,
  );
}

/** Get the condition of a route, or derive it from the description: its grant type, or a body that is a list. */
function conditionOf({ route }: Endpoint): ((raw: RawInput) => boolean) | undefined {
  if (!route || route.options.when) return route?.options.when;
  const { grant, body } = route.operation.io;
  if (grant)
    return (raw) => {
      const type = (raw.body as Record<string, unknown> | undefined)?.grant_type;
      // Accept the prefix of any vendor.
      return typeof type === 'string' && type.replace(/^urn:[^:]+:oauth:grant-type:/, '') === grant;
    };
  if (body && 'kind' in body && body.kind === 'array') return (raw) => Array.isArray(raw.body);
  return undefined;
}
