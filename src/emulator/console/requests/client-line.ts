import { descriptorOf, type Operation, pathOf } from '../../../service/describe/operation.js';
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

/** Methods without a body that take the path parameters in one object. */
const takesParamsObject = new Set([
  'organizations.listRoles',
  'users.sendVerificationEmail',
  'users.listAuthorizedApplications',
  'users.deleteAuthorizedApplication',
  'users.listAuthFactors',
  'fga.getResource',
  'fga.deleteResource',
  'webhooks.deleteEndpoint',
]);

/** Methods that take the path parameters as arguments, then the body. */
const takesParamsThenBody = new Set(['organizations.updateAuditLogsRetention', 'organizationMemberships.update']);

/** Methods with special arguments. */
const specialArguments: Readonly<Record<string, (input: CallInput) => readonly unknown[]>> = {
  'auditLogs.createEvent': ({ body }) => {
    const { organizationId, event } = body as RequestFields;
    return [organizationId, event];
  },
  'fga.writeWarrant': ({ body }) => [withResource(body)],
  'fga.batchWriteWarrants': ({ body }) => [(body as readonly unknown[]).map(withResource)],
  'fga.createResource': ({ body }) => [withResource(body)],
  'fga.updateResource': ({ params, body }) => [{ resource: params, ...(body as RequestFields) }],
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

/** Combine the resource's type and id, which are two fields of the request, into the object that callers pass. */
function withResource(one: unknown): RequestFields {
  const { resourceType, resourceId, ...rest } = one as RequestFields;
  return { resource: { resourceType, resourceId }, ...rest };
}

const withChecks = (body: unknown): RequestFields => {
  const { checks, ...rest } = body as { readonly checks: readonly unknown[] };
  return { ...rest, checks: checks.map(withResource) };
};

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
  const params = paramsIn(pathOf(operation, memory.settings.dialect), before, io.argument);
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

/** Read the parameters of a path, with camelCase names. */
function paramsIn(pattern: string, path: string, argument: string | undefined): RequestFields | undefined {
  const names = pattern.split('/');
  const segments = path.split('/').map(decodeURIComponent);
  if (names.length !== segments.length) return undefined;
  const params = names.flatMap((name, at): (readonly [string, string])[] =>
    name.startsWith(':') ? [[camelCase(name.slice(1)), segments[at]!]] : [],
  );
  return Object.fromEntries(
    params.map(([name, value], at) => [at === params.length - 1 ? (argument ?? name) : name, value]),
  );
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Parse a JSON or form body. */
function contentOf(body: string): unknown {
  return /^\s*[[{]/.test(body) ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

function argumentsOf({ id, io, kind }: Operation, input: CallInput): readonly unknown[] {
  const { params, query, body } = input;
  const special = specialArguments[id];
  if (special) return special(input);
  const values = Object.values(params);
  const rest = Object.keys(query).length === 0 ? [] : [query];
  if (takesParamsObject.has(id)) return [{ ...params, ...query }];
  if (takesParamsThenBody.has(id)) return [...values, body];
  if (Array.isArray(body)) return [body];
  if (body !== undefined) {
    const fields = Object.entries(body as RequestFields).filter(
      ([name]) => !io.grant || !clientGrantFields.includes(name),
    );
    return [withoutAbsent({ ...params, ...Object.fromEntries(fields) })];
  }
  return kind === 'list' || io.query ? [...values, ...rest] : values;
}

const withoutAbsent = (fields: RequestFields): RequestFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
