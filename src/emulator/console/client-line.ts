import { descriptorOf, type Operation, pathOf } from '../../service/describe/operation.js';
import type { World } from '../world/world.js';
import { literalOf } from './literal.js';

type Fields = Readonly<Record<string, unknown>>;

/** What of a world says how requests are written. */
type Grammar = Pick<World, 'codec' | 'parser'> & { readonly settings: Pick<World['settings'], 'dialect'> };

/** A request of an operation, in wire names. */
export interface OperationRequest {
  readonly operation: Operation | undefined;
  /** Path and query. */
  readonly path: string;
  readonly body: string | null;
}

/** What a method of the client is called with: what stands in the path, in the query and in the body, in callers' names. */
interface Given {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: unknown;
}

/** Methods that take what stands in the path in one object, although there is no body. */
const inOneObject = new Set([
  'organizations.listRoles',
  'users.sendVerificationEmail',
  'users.listAuthorizedApplications',
  'users.deleteAuthorizedApplication',
  'users.listAuthFactors',
  'fga.getResource',
  'fga.deleteResource',
  'webhooks.deleteEndpoint',
]);

/** Methods that take the path first and the body by itself. */
const oneByOne = new Set(['organizations.updateAuditLogsRetention', 'organizationMemberships.update']);

/** Methods that take it in a way of their own. */
const special: Readonly<Record<string, (given: Given) => readonly unknown[]>> = {
  'auditLogs.createEvent': ({ body }) => {
    const { organizationId, event } = body as Fields;
    return [organizationId, event];
  },
  'fga.writeWarrant': ({ body }) => [withResource(body)],
  'fga.batchWriteWarrants': ({ body }) => [(body as readonly unknown[]).map(withResource)],
  'fga.createResource': ({ body }) => [withResource(body)],
  'fga.updateResource': ({ params, body }) => [{ resource: params, ...(body as Fields) }],
  'fga.batchWriteResources': ({ body }) => {
    const { op, resources } = body as { readonly op: string; readonly resources: readonly unknown[] };
    return [{ op, resources: op === 'create' ? resources.map(withResource) : resources }];
  },
  'fga.check': ({ body }) => [withChecks(body)],
  'fga.checkBatch': ({ body }) => {
    const { op: _, ...rest } = withChecks(body);
    return [rest];
  },
  'fga.query': ({ query }) => [
    { ...query, ...(typeof query.context === 'string' ? { context: JSON.parse(query.context) } : {}) },
  ],
};

/** Callers name a resource as a thing of its own; the service takes its two parts side by side. */
function withResource(one: unknown): Fields {
  const { resourceType, resourceId, ...rest } = one as Fields;
  return { resource: { resourceType, resourceId }, ...rest };
}

const withChecks = (body: unknown): Fields => {
  const { checks, ...rest } = body as { readonly checks: readonly unknown[] };
  return { ...rest, checks: checks.map(withResource) };
};

/** What the client adds to the grants by itself. */
const ownOfGrants = ['clientId', 'clientSecret', 'grantType'];

/**
 * The line by which the client sends such a request, `await sallyport.organizations.createOrganization({ name: 'Acme' });`.
 * Undefined for what no single call of it sends: an address for a browser, a request that goes by an access token, one
 * that does not fit its description.
 */
export function clientLineOf(world: Grammar, { operation, path, body }: OperationRequest): string | undefined {
  if (!operation || operation.kind === 'url' || operation.io.auth === 'access_token') return undefined;
  try {
    const given = givenIn(world, operation, path, body);
    return given && `await sallyport.${operation.client}(${argumentsOf(operation, given).map(literalOf).join(', ')});`;
  } catch {
    // What does not fit the description, the client does not send.
    return undefined;
  }
}

function givenIn(world: Grammar, operation: Operation, path: string, body: string | null): Given | undefined {
  const { io, kind } = operation;
  const [before = '', search = ''] = path.split('?');
  const params = paramsIn(pathOf(operation, world.settings.dialect), before, io.argument);
  if (!params) return undefined;
  const texts = Object.fromEntries(new URLSearchParams(search));
  const { limit, order, after, before: until, ...filters } = kind === 'list' ? texts : { ...texts };
  const list = { after, before: until, order, limit: limit === undefined ? undefined : Number(limit) };
  const filter = io.query ? world.parser.query(io.query, filters) : { value: {} };
  if (!('value' in filter)) return undefined;
  return {
    params,
    query: withoutAbsent({ ...(filter.value as Fields), ...list }),
    body: io.body && body ? world.codec.decode(descriptorOf(io.body), contentOf(body)) : undefined,
  };
}

/** What stands in a path, in callers' names. */
function paramsIn(pattern: string, path: string, argument: string | undefined): Fields | undefined {
  const names = pattern.split('/');
  const segments = path.split('/').map(decodeURIComponent);
  if (names.length !== segments.length) return undefined;
  const found = names.flatMap((name, at): (readonly [string, string])[] =>
    name.startsWith(':') ? [[camelCase(name.slice(1)), segments[at]!]] : [],
  );
  return Object.fromEntries(
    found.map(([name, value], at) => [at === found.length - 1 ? (argument ?? name) : name, value]),
  );
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The value of a body: JSON, or a form. */
function contentOf(body: string): unknown {
  return /^\s*[[{]/.test(body) ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

function argumentsOf({ id, io, kind }: Operation, given: Given): readonly unknown[] {
  const { params, query, body } = given;
  const own = special[id];
  if (own) return own(given);
  const values = Object.values(params);
  const rest = Object.keys(query).length === 0 ? [] : [query];
  if (inOneObject.has(id)) return [{ ...params, ...query }];
  if (oneByOne.has(id)) return [...values, body];
  if (Array.isArray(body)) return [body];
  if (body !== undefined) {
    const fields = Object.entries(body as Fields).filter(([name]) => !io.grant || !ownOfGrants.includes(name));
    return [withoutAbsent({ ...params, ...Object.fromEntries(fields) })];
  }
  return kind === 'list' || io.query ? [...values, ...rest] : values;
}

const withoutAbsent = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
