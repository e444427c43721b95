import { type Dialect, dialects } from '../../service/describe/dialect.js';
import { type Operation, pathOf } from '../../service/describe/operation.js';
import { oauthError } from '../world/refusal.js';
import type { PageRoute, RawInput, Route, Router } from './router.js';

/** An operation, or a page, at an address. */
export interface Endpoint {
  readonly operation?: Operation;
  /** Absent where no room serves the operation. */
  readonly route?: Route | undefined;
  readonly page?: PageRoute;
  /** Whether the operation is a control, which the service does not have. */
  readonly isControl?: true;
  /** Names of the path's parameters, in order. */
  readonly names: readonly string[];
}

/** What stands at one path, by method; several operations may share both. */
export type Endpoints = ReadonlyMap<string, readonly Endpoint[]>;

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What stands at which path, the most literal patterns first. */
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
  // Ranked once each: there are many, and every emulator sorts them.
  const rows = [...table].map(([pattern, endpoints]) => ({ rank: literalness(pattern), pattern, endpoints }));
  rows.sort((one, other) => Number(one.rank > other.rank) - Number(one.rank < other.rank));
  return new Map(rows.map(({ pattern, endpoints }) => [pattern, endpoints]));
}

/** Sort a literal segment before a parameter at the same place. */
const literalness = (pattern: string): string =>
  pattern
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '1' : '0'))
    .join('');

/** Every path of an operation: in all dialects, and in the earlier spelling with hyphens. */
function pathsOf(operation: Operation): readonly string[] {
  const presets: Dialect[] = [dialects.spec, dialects.workos];
  const paths = presets.map((dialect) => pathOf(operation, dialect));
  return [...new Set([operation.path, ...paths])].flatMap((path) =>
    path.startsWith('/organization_domains')
      ? [path, path.replace('organization_domains', 'organization-domains')]
      : path,
  );
}

/** Which of several operations at one address is asked for. @throws {Refusal} 400 when it is none of them. */
export function choose(endpoints: readonly Endpoint[], raw: RawInput, dialect: Dialect): Endpoint {
  if (endpoints.length === 1) return endpoints[0]!;
  const matches = endpoints.filter(({ route, operation }) => {
    const when = route?.options.when ?? (operation && conditionOf(operation));
    return when?.(raw);
  });
  // An operation without a condition takes what no other wants.
  const rest = endpoints.find(({ route, operation }) => !route?.options.when && !(operation && conditionOf(operation)));
  const endpoint = matches[0] ?? rest;
  if (endpoint) return endpoint;
  const grants = endpoints.flatMap(({ operation }) => operation?.io.grant ?? []);
  throw oauthError(
    400,
    'unsupported_grant_type',
    `grant_type must be one of ${grants.join(', ')}; those with a hyphen follow ${dialect.urnPrefix}`,
  );
}

/** The condition by which its description alone distinguishes an operation from others at its address. */
function conditionOf({ io }: Operation): ((raw: RawInput) => boolean) | undefined {
  const { grant, body } = io;
  if (grant)
    return (raw) => {
      const type = (raw.body as Record<string, unknown> | undefined)?.grant_type;
      // Any vendor's prefix will do.
      return typeof type === 'string' && type.replace(/^urn:[^:]+:oauth:grant-type:/, '') === grant;
    };
  if (body && 'kind' in body && body.kind === 'array') return (raw) => Array.isArray(raw.body);
  return undefined;
}
