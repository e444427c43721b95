import type { Accepted, AnyModel, Descriptor, Field, Fields } from './define.js';
import type { Dialect } from './dialect.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What an operation returns: `one` resource, a `list` of pages, a bare `array`, `data` without cursors, `nothing`, or a
 * `url` built locally.
 */
export type Kind = 'one' | 'list' | 'array' | 'data' | 'nothing' | 'url';

/** Required credentials: the API key, the client secret in the body, an SSO access token, or none. */
export type Auth = 'api_key' | 'client_secret' | 'access_token' | 'none';

/** Grant types, without the prefix of non-standard ones. */
export type Grant =
  | 'authorization_code'
  | 'password'
  | 'refresh_token'
  | 'magic-auth:code'
  | 'email-verification:code'
  | 'mfa-totp'
  | 'organization-selection';

type Description = AnyModel | Field<unknown>;

/** Input, output and properties of an operation. */
export interface Io {
  /** Name of the client's method, if it differs from the operation's name. */
  readonly client?: string;
  readonly query?: AnyModel;
  readonly body?: Description;
  /** Response; for a list, one item. */
  readonly returns?: Description;
  /** Success status in the specification, if it is not 200. */
  readonly status?: 201;
  readonly auth?: Auth;
  /** Key of the dialect that sets the path. */
  readonly pathVaries?: 'rolesPath' | 'jwksPath';
  /** A user is waiting for this call, so retries wait at most two seconds. */
  readonly interactive?: true;
  /** The body is sent form-encoded. */
  readonly form?: true;
  /** The list only supports forward pagination: it has `limit` and `after`, but no `before`. */
  readonly forwardOnly?: true;
  /** Query field that sets the start of the list and excludes `after`; only the first request sends it. */
  readonly startsAt?: string;
  /** Superseded, but still supported. */
  readonly earlier?: true;
  /** Method of the client that reads the response of a service that gives the older form. */
  readonly earlierForm?: `legacy.${string}`;
  /** Method of the client that reads the response of a service that gives today's form. */
  readonly todaysForm?: string;
  readonly deprecated?: true;
  /** Not part of the specification. */
  readonly extension?: true;
  /**
   * Grant type, which distinguishes the operations of `POST /user_management/authenticate`. The three standard types
   * are sent as they are, the others with the dialect's prefix.
   */
  readonly grant?: Grant;
  /** Name of the last path parameter for callers, if it differs: `userId` for `:id`. */
  readonly argument?: string;
  /** Name of the list that is the body, for callers. */
  readonly bodyArgument?: string;
  /**
   * How the client's method takes its input, if not by the rule: path parameters are arguments, followed by the query; with a body,
   * they are fields of one object. `object`: they are fields of one object without a body too. `arguments`: they are arguments with
   * a body too; without path parameters, the fields of the body are arguments.
   */
  readonly takes?: 'object' | 'arguments';
  /** Name of the object that holds the path parameters for callers. */
  readonly paramsIn?: string;
  /** The path parameters are secrets and must never be printed. */
  readonly secretParams?: true;
}

/** An operation of the service. */
export interface Operation<Path extends string = string, I extends Io = Io> {
  /** Stable name, such as `organizations.create`; set by `room`. */
  readonly id: string;
  /** Method of the client, such as `organizations.createOrganization`. */
  readonly client: string;
  readonly method: Method;
  readonly path: Path;
  readonly kind: Kind;
  readonly io: I;
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type Names<P extends string> = P extends `${string}:${infer N}/${infer R}`
  ? Camel<N> | Names<R>
  : P extends `${string}:${infer N}`
    ? Camel<N>
    : never;

type Result<D> = D extends Field<infer T> ? T : Fields<D>;
type Part<K extends string, T> = [T] extends [never] ? {} : { readonly [key in K]: T };
type IoOf<O> = O extends Operation<string, infer I> ? I : never;
type BodyOf<I> = I extends { readonly body: infer B } ? Accepted<Result<B>> : never;
type QueryOf<I> = I extends { readonly query: infer Q } ? Partial<Fields<Q>> : never;
type PathOf<O> = O extends Operation<infer P> ? P : never;
type ParamsOf<P extends string> = [Names<P>] extends [never] ? never : { readonly [N in Names<P>]: string };

/** The input of a call: path `params`, `body` and `query`, if the operation has them. */
export type Input<O> = Part<'params', ParamsOf<PathOf<O>>> &
  Part<'body', BodyOf<IoOf<O>>> &
  Partial<Part<'query', QueryOf<IoOf<O>>>>;
/**
 * The object that a method takes: the path parameters by their names for callers, and the fields of the body. Operations without
 * a body take one only with `takes: 'object'`.
 */
export type Payload<O> =
  IoOf<O> extends { readonly body: Description } | { readonly takes: 'object' }
    ? CallerParams<O> & ([BodyOf<IoOf<O>>] extends [never] ? {} : BodyOf<IoOf<O>>)
    : never;
type CallerParams<O> =
  IoOf<O> extends { readonly paramsIn: infer G extends string }
    ? { readonly [N in G]: ParamsOf<PathOf<O>> }
    : { readonly [N in IoOf<O> extends { readonly argument: infer A extends string } ? A : Names<PathOf<O>>]: string };

/** The output of an operation; for a list, one item. */
export type Output<O> = IoOf<O> extends { readonly returns: infer R } ? Result<R> : void;

/** An operation before `room` names it. */
export type Declared<P extends string = string, I extends Io = Io> = Omit<Operation<P, I>, 'id'>;

const kindOf = (io: Io): Kind =>
  io.returns === undefined ? 'nothing' : 'kind' in io.returns && io.returns.kind === 'array' ? 'array' : 'one';

const declare =
  (method: Method, kind?: Kind) =>
  <const P extends string, const I extends Io>(path: P, io: I): Declared<P, I> => ({
    client: io.client ?? '',
    method,
    path,
    kind: kind ?? kindOf(io),
    io,
  });

export const get = declare('GET');
export const post = declare('POST');
export const put = declare('PUT');
export const patch = declare('PATCH');
export const del = declare('DELETE');
/** Declare a list with pages of `returns`. */
export const list = declare('GET', 'list');
/** Declare a response of `{ data: [...] }` without cursors. */
export const data = declare('GET', 'data');
/** Declare a URL for the user's browser. The client sends no request. */
export const address = declare('GET', 'url');

type Room<T> = { readonly [K in keyof T]: T[K] extends Declared<infer P, infer I> ? Operation<P, I> : never };

/** Name a group of operations: `room('organizations', 'organizations', { get: get(...) })`. */
export const room = <const T extends Readonly<Record<string, Declared>>>(
  name: string,
  clientRoom: string,
  operations: T,
): Room<T> => {
  const named: Record<string, Operation> = {};
  for (const [key, operation] of Object.entries(operations))
    named[key] = { ...operation, id: `${name}.${key}`, client: `${clientRoom}.${operation.io.client ?? key}` };
  // The loop above sets every key, which TypeScript cannot infer.
  return named as Room<T>;
};

const standardGrants: readonly Grant[] = ['authorization_code', 'password', 'refresh_token'];
/** Return a grant type as it is sent. */
export const grantTypeOf = (grant: Grant, dialect: Dialect): string =>
  standardGrants.includes(grant) ? grant : dialect.urnPrefix + grant;

/** Return the path in a dialect, with its `:parameters`. */
export const pathOf = (operation: Operation, dialect: Dialect): string =>
  operation.io.pathVaries ? dialect[operation.io.pathVaries] : operation.path;

/** Return the path parameters in order: their names in the input, and those for callers. */
export function paramNamesOf({ path, io }: Operation): readonly { readonly name: string; readonly argument: string }[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => camelCase(name!));
  return names.map((name, at) => ({ name, argument: at === names.length - 1 ? (io.argument ?? name) : name }));
}

/** Return a wire name in camelCase. */
export const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Return the codec's descriptor of a model or field. */
export const descriptorOf = (described: Description): Descriptor =>
  'shape' in described ? { kind: 'model', model: described } : described;
