import { type Dialect, dialects } from '../../service/describe/dialect.js';
import { type Operation, pathOf } from '../../service/describe/operation.js';
import { oauthError } from '../store/refusal.js';
import type { PageRoute, RawInput, Route, Router } from './router.js';

/** An operation, or a page, at an address. */
export interface Endpoint {
  readonly operation?: Operation;
  /** Undefined if the emulator does not serve the operation. */
  readonly route?: Route | undefined;
  readonly page?: PageRoute;
  /** Whether the operation is a control of the emulator. */
  readonly isControl?: true;
  /** Names of the path parameters, in order. */
  readonly names: readonly string[];
}

/** Endpoints at one path, by method. Several operations may share both. */
export type Endpoints = ReadonlyMap<string, readonly Endpoint[]>;

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Collect all endpoints by path pattern, most literal patterns first. */
export function tableOf(operations: readonly Operation[], router: Router): ReadonlyMap<string, Endpoints> {
  const table = new Map<string, Map<string, readonly Endpoint[]>>();
  const add = (method: string, path: string, endpoint: Omit<Endpoint, 'names'>): void => {
    const names: string[] = [];
    const pattern = path.replace(/:([a-z_]+)/gi, (_, name: string) => `:p${names.push(camelCase(name)) - 1}`);
    const endpoints = table.get(pattern) ?? new Map<string, readonly Endpoint[]>();
    table.set(pattern, endpoints);
    endpoints.set(method, [...(endpoints.get(method) ?? []), { ...endpoint, names }]);
  };
  for (const operation of operations)
    for (const path of pathsOf(operation))
      add(operation.method, path, { operation, route: router.routes.get(operation.id) });
  for (const route of router.controls)
    add(route.operation.method, route.operation.path, { operation: route.operation, route, isControl: true });
  for (const page of router.pages) add(page.method, page.path, { page });
  // Each pattern is ranked only once, because every emulator sorts hundreds of them.
  const rows = [...table].map(([pattern, endpoints]) => ({ rank: literalness(pattern), pattern, endpoints }));
  rows.sort((one, other) => Number(one.rank > other.rank) - Number(one.rank < other.rank));
  return new Map(rows.map(({ pattern, endpoints }) => [pattern, endpoints]));
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

/** Choose between operations that share method and path. @throws {Refusal} 400 if the request matches none. */
export function choose(endpoints: readonly Endpoint[], raw: RawInput, dialect: Dialect): Endpoint {
  if (endpoints.length === 1) return endpoints[0]!;
  const matches = endpoints.filter(({ route, operation }) => {
    const when = route?.options.when ?? (operation && conditionOf(operation));
    return when?.(raw);
  });
  // An operation without a condition takes the requests that match no other.
  const rest = endpoints.find(({ route, operation }) => !route?.options.when && !(operation && conditionOf(operation)));
  const endpoint = matches[0] ?? rest;
  if (endpoint) return endpoint;
  const grants = endpoints.flatMap(({ operation }) => operation?.io.grant ?? []);
  throw oauthError(
    400,
    'unsupported_grant_type',
    `grant_type must be one of ${grants.join(', ')}; put ${dialect.urnPrefix} before those with a hyphen`,
  );
}

/** Derive the condition of an operation from its description: its grant type, or a body that is a list. */
function conditionOf({ io }: Operation): ((raw: RawInput) => boolean) | undefined {
  const { grant, body } = io;
  if (grant)
    return (raw) => {
      const type = (raw.body as Record<string, unknown> | undefined)?.grant_type;
      // Accept the prefix of any vendor.
      return typeof type === 'string' && type.replace(/^urn:[^:]+:oauth:grant-type:/, '') === grant;
    };
  if (body && 'kind' in body && body.kind === 'array') return (raw) => Array.isArray(raw.body);
  return undefined;
}
