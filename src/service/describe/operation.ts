import type { AnyModel, Descriptor, Field, Fields } from './define.js';
import type { Dialect } from './dialect.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `one` resource, a `list` of pages, a bare `array`, `data` without cursors, `nothing`, or a `url` that is built locally. */
export type Kind = 'one' | 'list' | 'array' | 'data' | 'nothing' | 'url';

/** Who may call: the API key, the client with its secret in the body, an SSO access token, or anyone. */
export type Auth = 'api_key' | 'client_secret' | 'access_token' | 'none';

/** Grant types, without the prefix of the ones that are not standard. */
export type Grant =
  | 'authorization_code'
  | 'password'
  | 'refresh_token'
  | 'magic-auth:code'
  | 'email-verification:code'
  | 'mfa-totp'
  | 'organization-selection';

type Described = AnyModel | Field<unknown>;

/** What an operation takes and gives. */
export interface Io {
  /** Method of the client, without its room, where it is not called as the operation is. */
  readonly client?: string;
  readonly query?: AnyModel;
  readonly body?: Described;
  /** The answer; for a list, one of its items. */
  readonly returns?: Described;
  /** Success status by the specification, where it is not 200. */
  readonly status?: 201;
  readonly auth?: Auth;
  /** A dialect may move the path. */
  readonly pathVaries?: 'rolesPath' | 'jwksPath';
  /** A person waits for this call: retries never wait longer than two seconds. */
  readonly interactive?: true;
  /** The body is sent form-encoded. */
  readonly form?: true;
  /** The list only goes forward: `limit` and `after`, no `before`; true for events and warrants. */
  readonly forwardOnly?: true;
  /** Query field that says where the list starts and excludes `after`; only the first page is asked for with it. */
  readonly startsAt?: string;
  /** Superseded, still served. */
  readonly earlier?: true;
  readonly deprecated?: true;
  /** Not a row of the specification. */
  readonly extension?: true;
  /**
   * Grant type of an authentication; tells the operations apart that share `POST /user_management/authenticate`.
   * The three standard ones are sent as they are, the others behind the dialect's prefix.
   */
  readonly grant?: Grant;
  /** What callers call the last parameter of the path, where it is not called the same: `userId` for `:id`. */
  readonly argument?: string;
  /** The parameters of the path are secrets: they are never printed. */
  readonly secretParams?: true;
}

/** One operation of the service. */
export interface Operation<Path extends string = string, I extends Io = Io> {
  /** Stable name, `organizations.create`; set by `room`. */
  readonly id: string;
  /** The client's method, `organizations.createOrganization`. */
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
type BodyOf<I> = I extends { readonly body: infer B } ? Result<B> : never;
type QueryOf<I> = I extends { readonly query: infer Q } ? Partial<Fields<Q>> : never;
type PathOf<O> = O extends Operation<infer P> ? P : never;
type ParamsOf<P extends string> = [Names<P>] extends [never] ? never : { readonly [N in Names<P>]: string };

/** What a call must be given: `params` of the path, `body`, `query`, each only where the operation has it. */
export type Input<O> = Part<'params', ParamsOf<PathOf<O>>> &
  Part<'body', BodyOf<IoOf<O>>> &
  Partial<Part<'query', QueryOf<IoOf<O>>>>;
/** What the operation answers; for a list, one item. */
export type Output<O> = IoOf<O> extends { readonly returns: infer R } ? Result<R> : void;

/** An operation as it is written down, before its room names it. */
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
/** Pages of `returns`. */
export const list = declare('GET', 'list');
/** `{ data: [...] }` without cursors. */
export const data = declare('GET', 'data');
/** An address for the user's browser; nothing is sent. */
export const address = declare('GET', 'url');

type Room<T> = { readonly [K in keyof T]: T[K] extends Declared<infer P, infer I> ? Operation<P, I> : never };

/** Names a room's operations: `room('organizations', 'organizations', { get: get(...) })`. */
export const room = <const T extends Readonly<Record<string, Declared>>>(
  name: string,
  clientRoom: string,
  operations: T,
): Room<T> => {
  const named: Record<string, Operation> = {};
  for (const [key, operation] of Object.entries(operations))
    named[key] = { ...operation, id: `${name}.${key}`, client: `${clientRoom}.${operation.io.client ?? key}` };
  // The loop above gives every key its operation; the compiler cannot see that.
  return named as Room<T>;
};

const standardGrants: readonly Grant[] = ['authorization_code', 'password', 'refresh_token'];
/** A grant type as it is sent. */
export const grantTypeOf = (grant: Grant, dialect: Dialect): string =>
  standardGrants.includes(grant) ? grant : dialect.urnPrefix + grant;

/** The path under this dialect, `:parameters` included. */
export const pathOf = (operation: Operation, dialect: Dialect): string =>
  operation.io.pathVaries ? dialect[operation.io.pathVaries] : operation.path;

/** A model or field as the codec's descriptor. */
export const descriptorOf = (described: Described): Descriptor =>
  'shape' in described ? { kind: 'model', model: described } : described;
