import type { EmulatedDialect } from '../../service/describe/emulated-dialect.js';
import type { Input, Method, Operation, Output } from '../../service/describe/operation.js';
import type { SeedPart } from '../seed/section.js';
import type { EmulatorRefusal, RequestProblem } from '../store/refusal.js';
import type { ListQuery, Page } from '../store/selection.js';
import type { View } from '../store/view.js';
import type { ApiKey } from '../world/api-keys.js';
import type { CreatedWorlds } from '../world/created-worlds.js';
import type { Memory } from '../world/memory.js';
import type { World } from '../world/world.js';
import type { WorldDirectory } from '../world/world-directory.js';
import type { Answer, AnswerValue } from './answer.js';
import type { Visitor } from './visitor.js';

type ParamsIn<O> = Input<O> extends { readonly params: infer P } ? P : {};
type BodyIn<O> = Input<O> extends { readonly body: infer B } ? { [K in keyof B]: Exclude<B[K], undefined> } : undefined;
type QueryIn<O> = Input<O> extends { readonly query?: infer Q } ? QueryValues<NonNullable<Q>> : {};

/** Values of a query. Parameters that callers leave out are absent. */
export type QueryValues<Query> = { [K in keyof Query]: NonNullable<Query[K]> };

/** Input of a handler. Parameters, body and query are checked and have camelCase names. */
export interface Exchange<O = Operation> {
  readonly params: ParamsIn<O>;
  readonly body: BodyIn<O>;
  /** Filters. Each may be absent. */
  readonly query: QueryIn<O>;
  /** Current time of the emulator's clock; ISO 8601 UTC. */
  readonly now: string;
  readonly memory: Memory;
  readonly world: World;
  /** The created worlds, for the controls of the whole emulator. */
  readonly worlds: CreatedWorlds;
  /** API key of the request. Undefined for operations that take none. */
  readonly key: ApiKey | undefined;
  /** The request itself. Its body has been read. */
  readonly request: Request;
  /** Unparsed body and query, for names that only other dialects or older clients use. */
  readonly raw: RawInput;
  /** Emits an event, such as `emit('organization.created', organization)`. */
  readonly emit: Memory['emit'];
}

/** Input of a list handler. */
export interface ListExchange<O = Operation> extends Exchange<O> {
  /** Limit, order and cursor, for `page` of a collection. */
  readonly list: ListQuery;
}

type Awaitable<T> = T | Promise<T>;
type Handler<O> = (exchange: Exchange<O>) => Awaitable<View<Output<O>> | AnswerValue | Answer>;
type ListHandler<O> = (exchange: ListExchange<O>) => Awaitable<Page<View<Output<O>>> | AnswerValue | Answer>;
type DataHandler<O> = (exchange: Exchange<O>) => Awaitable<readonly View<Output<O>>[] | AnswerValue | Answer>;

/** Unparsed body and query of a request. They distinguish operations that share method and path. */
export interface RawInput {
  /** JSON or form with wire names, not checked. */
  readonly body: unknown;
  readonly query: URLSearchParams;
}

/** Options of a route. */
export interface RouteOptions {
  /** Whether a request is for this operation, if others share its method and path. Not needed for grants and list bodies. */
  readonly when?: (raw: RawInput) => boolean;
  /** Default order of a list; default `desc`. */
  readonly order?: 'asc' | 'desc';
  /** Name of the field with the cursors of a list, if it is not `list_metadata`. */
  readonly cursors?: 'listMetadata';
  /** Names of fields and query parameters that the handler reads from `raw`, in addition to those of the description. */
  readonly reads?: (dialect: EmulatedDialect) => readonly string[];
  /** Whether the handler checks the query itself, because it answers problems with a redirect or a page. */
  readonly unchecked?: true;
  /** Finds the subject of a per-subject rate limit, if the request identifies it by a different field than the limit. */
  readonly subject?: (memory: Memory, raw: RawInput) => string | undefined;
  /** Pages of other origins that may read the answer: any page, or those of a registered redirect URI. None by default. */
  readonly pages?: 'any' | 'registered';
  /** Whether unknown fields are refused. */
  readonly isStrict?: true;
  /** Whether the request needs the administrator key. */
  readonly forAdministrator?: boolean;
  /** Maximum size of the body in bytes, if larger than the usual limit. */
  readonly maxBytes?: number | undefined;
  /** Creates the refusal of an invalid request, if it is not the usual 422. */
  readonly invalid?: (errors: readonly RequestProblem[]) => EmulatorRefusal;
}

/** An operation with its handler. */
export interface Route {
  readonly operation: Operation;
  readonly handler: (exchange: ListExchange) => unknown;
  readonly options: RouteOptions;
}

/** Input of a page handler. */
export interface PageExchange {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** JSON or form with wire names, not checked. */
  readonly body: unknown;
  readonly now: string;
  readonly memory: Memory;
  readonly request: Request;
  /** The browser that opened the page. */
  readonly visitor: Visitor;
  readonly world: World;
  /** All worlds of the emulator. */
  readonly directory: WorldDirectory;
  /** Sends a request to the emulator, like a program on this machine. */
  readonly send: (request: Request) => Promise<Response>;
}

/** A path outside the API: a hosted page, a file, or a link in an email. It needs no API key. */
export interface PageRoute {
  readonly method: Method;
  readonly path: string;
  readonly handler: (exchange: PageExchange) => Answer | Promise<Answer>;
  /** Whether programs may fetch it too, under any host name of the emulator. */
  readonly isFile: boolean;
  /** Whether the response is a stream that stays open. */
  readonly isStream?: true;
  /** Whether requests count towards the rate limits of the hosted sign-in. */
  readonly isHosted?: true;
  /** Pages of other origins that may read the file: any, or none by default. */
  readonly pages?: 'any';
}

/** Collects the routes, controls and pages of all rooms. */
export class Router {
  readonly #routes = new Map<string, Route>();
  readonly #controls: Route[] = [];
  readonly #pages: PageRoute[] = [];

  /** Routes by operation id. */
  get routes(): ReadonlyMap<string, Route> {
    return this.#routes;
  }

  /** Routes of the emulator's controls. */
  get controls(): readonly Route[] {
    return this.#controls;
  }

  get pages(): readonly PageRoute[] {
    return this.#pages;
  }

  /** Serve an operation that returns one object, an array, a URL or nothing. */
  on<O extends Operation>(operation: O, handler: Handler<O>, options: RouteOptions = {}): void {
    this.#add(operation, handler, options, ['one', 'array', 'nothing', 'url']);
  }

  /** Serve a paginated list. */
  list<O extends Operation>(operation: O, handler: ListHandler<O>, options: RouteOptions = {}): void {
    this.#add(operation, handler, options, ['list']);
  }

  /** Serve `{ data: [...] }` without cursors. */
  data<O extends Operation>(operation: O, handler: DataHandler<O>, options: RouteOptions = {}): void {
    this.#add(operation, handler, options, ['data']);
  }

  /** Serve a page. */
  page(method: Method, path: string, handler: PageRoute['handler'], options: Pick<PageRoute, 'isHosted'> = {}): void {
    this.#pages.push({ method, path, handler, isFile: false, ...options });
  }

  /** Serve a stream for pages of the emulator. The access rules of pages apply. */
  stream(path: string, handler: PageRoute['handler']): void {
    this.#pages.push({ method: 'GET', path, handler, isFile: false, isStream: true });
  }

  /** Serve a file that is public, or whose path contains an unguessable token. */
  file(path: string, handler: PageRoute['handler'], options: Pick<PageRoute, 'pages'> = {}): void {
    this.#pages.push({ method: 'GET', path, handler, isFile: true, ...options });
  }

  /** Serve a control. */
  control(operation: Operation, handler: (exchange: Exchange) => unknown, options: RouteOptions = {}): void {
    this.#controls.push({ operation, handler, options });
  }

  #add(operation: Operation, handler: unknown, options: RouteOptions, kinds: readonly string[]): void {
    if (!kinds.includes(operation.kind))
      throw new Error(`${operation.id} is of kind ${operation.kind}: serve it with another method of the router`);
    if (this.#routes.has(operation.id)) throw new Error(`${operation.id} is served twice`);
    // A handler is only called for its operation.
    this.#routes.set(operation.id, { operation, handler: handler as Route['handler'], options });
  }
}

/** Part of a room: its routes and the setup of a world. */
export interface RoomPart {
  /** Add the routes to the router. Called once. */
  routes(router: Router): void;
  /** Insert the initial records of a new world. Saved worlds already have them. */
  begin?(memory: Memory): void;
  /** Add cascading deletes and listeners to a new or saved world. Must not read its records. */
  start?(memory: Memory): void;
  /** Reschedule the timers of a saved world, because the clock does not save them. */
  resume?(memory: Memory): void;
}

/** One room of the service: its routes and seed sections. */
export interface Room extends RoomPart {
  /** Its sections of a seed, and fields that it adds to sections of other rooms. */
  readonly seed?: readonly SeedPart[];
}

/** Combine parts into one that runs them in this order. */
export const together = (...parts: readonly RoomPart[]): Required<RoomPart> => {
  const all = (name: keyof RoomPart) => (argument: Router & Memory) => {
    for (const part of parts) part[name]?.(argument);
  };
  // `all` calls the methods of one name, which take the same argument.
  return {
    routes: all('routes'),
    begin: all('begin'),
    start: all('start'),
    resume: all('resume'),
  } as Required<RoomPart>;
};
