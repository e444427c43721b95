import { type Dialect, dialects } from '../../service/describe/dialect.js';
import { camelCase, type Operation, pathOf } from '../../service/describe/operation.js';
import { oauthError } from '../store/refusal.js';
import type { PageRoute, RawInput, Route, Router } from './router.js';

/** An operation, or a page, at an address. */
export interface Endpoint {
  readonly route?: Route;
  readonly page?: PageRoute;
  /** Whether the operation is a control of the emulator. */
  readonly isControl?: true;
  /** Names of the path parameters, in order. */
  readonly names: readonly string[];
}

/** Endpoints at one path, by method. Several operations may share both. */
export type Endpoints = ReadonlyMap<string, readonly Endpoint[]>;

/** Collect all endpoints by path pattern, most literal patterns first. */
export function tableOf(router: Router): ReadonlyMap<string, Endpoints> {
  const table = new Map<string, Map<string, readonly Endpoint[]>>();
  const add = (method: string, path: string, endpoint: Omit<Endpoint, 'names'>): void => {
    const names: string[] = [];
    const pattern = path.replace(/:([a-z_]+)/gi, (_, name: string) => `:p${names.push(camelCase(name)) - 1}`);
    const endpoints = table.get(pattern) ?? new Map<string, readonly Endpoint[]>();
    table.set(pattern, endpoints);
    endpoints.set(method, [...(endpoints.get(method) ?? []), { ...endpoint, names }]);
  };
  for (const route of router.routes.values())
    for (const path of pathsOf(route.operation)) add(route.operation.method, path, { route });
  for (const route of router.controls) add(route.operation.method, route.operation.path, { route, isControl: true });
  for (const page of router.pages) add(page.method, page.path, { page });
  const ranked = [...table].map((row) => ({ rank: literalness(row[0]), row }));
  ranked.sort((one, other) => Number(one.rank > other.rank) - Number(one.rank < other.rank));
  return new Map(ranked.map(({ row }) => row));
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
