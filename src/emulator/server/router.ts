import type { Input, Method, Operation, Output } from '../../service/describe/operation.js';
import type { SeedPart } from '../seed/section.js';
import type { ApiKey } from '../world/api-keys.js';
import type { Refusal, RequestProblem } from '../world/refusal.js';
import type { ListQuery, Page } from '../world/selection.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import type { Answer, AnswerValue } from './answer.js';
import type { ControlSet } from './control.js';
import type { Environments } from './environments.js';
import type { RecordPage } from './texts.js';
import type { Visitor } from './visitor.js';

type ParamsIn<O> = Input<O> extends { readonly params: infer P } ? P : {};
type BodyIn<O> = Input<O> extends { readonly body: infer B } ? { [K in keyof B]: Exclude<B[K], undefined> } : undefined;
type QueryIn<O> = Input<O> extends { readonly query?: infer Q } ? QueryValues<NonNullable<Q>> : {};

/** A query as it arrives: what callers leave out by null or undefined is absent. */
export type QueryValues<Query> = { [K in keyof Query]: NonNullable<Query[K]> };

/** What a handler works with. Everything is checked by the description and in callers' names. */
export interface Exchange<O = Operation> {
  readonly params: ParamsIn<O>;
  readonly body: BodyIn<O>;
  /** Filters; every one may be absent. */
  readonly query: QueryIn<O>;
  /** The time, as timestamps are written. */
  readonly now: string;
  readonly world: World;
  /** The key of the request; absent where an operation is not called with one. */
  readonly key: ApiKey | undefined;
  /** The request as it came; its body has been read. */
  readonly request: Request;
  /** Body and query before they were read by the description: for names that only another dialect or time has. */
  readonly raw: RawInput;
  /** Emits an event: `emit('organization.created', organization)`. */
  readonly emit: World['emit'];
}

/** What the handler of a list works with. */
export interface ListExchange<O = Operation> extends Exchange<O> {
  /** Which part of the list is asked for, ready for `page`. */
  readonly list: ListQuery;
}

type Awaitable<T> = T | Promise<T>;
type Handler<O> = (exchange: Exchange<O>) => Awaitable<View<Output<O>> | AnswerValue | Answer>;
type ListHandler<O> = (
  exchange: ListExchange<O>,
) => Awaitable<Page<View<Output<O>>> | RecordPage<View<Output<O>>> | AnswerValue | Answer>;
type DataHandler<O> = (exchange: Exchange<O>) => Awaitable<readonly View<Output<O>>[] | AnswerValue | Answer>;

/** The body and query as they came, which distinguish operations that share method and path. */
export interface RawInput {
  /** JSON or form, in wire names, not yet checked. */
  readonly body: unknown;
  readonly query: URLSearchParams;
}

/** What is special about a route. */
export interface RouteOptions {
  /** Whether a request is for this operation, where others share its method and path. Grants and arrays need none. */
  readonly when?: (raw: RawInput) => boolean;
  /** Order of a list when the request names none; `desc` otherwise. */
  readonly order?: 'asc' | 'desc';
  /** Name under which a list carries its cursors, where it is not `list_metadata`. */
  readonly cursors?: 'listMetadata';
  /** The handler reads the query itself from `raw`: what is wrong with it is answered by a redirect or a page. */
  readonly unchecked?: true;
  /** Whose allowance of a rate limit a request uses, where it names that by something else than the limit does. */
  readonly subject?: (world: World, raw: RawInput) => string | undefined;
  /** Whether it needs the administrator key. */
  readonly forAdministrator?: boolean;
  /** The most bytes of the body, where it may be larger than others. */
  readonly mostBytes?: number | undefined;
  /** The refusal of a request that does not fit the description, where it is not the usual 422. */
  readonly invalid?: (errors: readonly RequestProblem[]) => Refusal;
}

/** A route as the service runs it. */
export interface Route {
  readonly operation: Operation;
  readonly handler: (exchange: ListExchange) => unknown;
  readonly options: RouteOptions;
}

/** What a page's handler works with. */
export interface PageExchange {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** JSON or form, not checked. */
  readonly body: unknown;
  readonly now: string;
  readonly world: World;
  readonly request: Request;
  /** The browser that the page is for. */
  readonly visitor: Visitor;
  /** The worlds of the emulator. */
  readonly environments: Environments;
  /** Sends a request to the emulator, as a program of this machine does. */
  readonly send: (request: Request) => Promise<Response>;
}

/** An address that is no operation: a link in an email, a file, a hosted page. Anyone may open it. */
export interface PageRoute {
  readonly method: Method;
  readonly path: string;
  readonly handler: (exchange: PageExchange) => Answer | Promise<Answer>;
  /** Whether programs fetch it too, wherever they run. */
  readonly isFile: boolean;
  /** Whether the answer goes on for as long as a page listens. */
  readonly isStream?: true;
}

/** Collects what the rooms serve. */
export class Router {
  readonly #routes = new Map<string, Route>();
  readonly #controls: Route[] = [];
  readonly #pages: PageRoute[] = [];

  /** All routes by the id of their operation. */
  get routes(): ReadonlyMap<string, Route> {
    return this.#routes;
  }

  /** The routes of controls, which are the emulator's own. */
  get controls(): readonly Route[] {
    return this.#controls;
  }

  get pages(): readonly PageRoute[] {
    return this.#pages;
  }

  /** Serve an operation with one answer, an array, or nothing. */
  on<O extends Operation>(operation: O, handler: Handler<O>, options: RouteOptions = {}): void {
    this.#add(operation, handler, options, ['one', 'array', 'nothing', 'url']);
  }

  /** Serve a list with cursors. */
  list<O extends Operation>(operation: O, handler: ListHandler<O>, options: RouteOptions = {}): void {
    this.#add(operation, handler, options, ['list']);
  }

  /** Serve `{ data: [...] }` without cursors. */
  data<O extends Operation>(operation: O, handler: DataHandler<O>, options: RouteOptions = {}): void {
    this.#add(operation, handler, options, ['data']);
  }

  /** Serve an address that is no operation. */
  page(method: Method, path: string, handler: PageRoute['handler']): void {
    this.#pages.push({ method, path, handler, isFile: false });
  }

  /** Serve what a page of the emulator listens to; it is answered to whom pages are. */
  stream(path: string, handler: PageRoute['handler']): void {
    this.#pages.push({ method: 'GET', path, handler, isFile: false, isStream: true });
  }

  /** Serve a file behind a link that nobody can guess. */
  file(path: string, handler: PageRoute['handler']): void {
    this.#pages.push({ method: 'GET', path, handler, isFile: true });
  }

  /** Serve a control, whatever it answers. */
  control(operation: Operation, handler: (exchange: Exchange) => unknown, options: RouteOptions = {}): void {
    this.#controls.push({ operation, handler, options });
  }

  #add(operation: Operation, handler: unknown, options: RouteOptions, kinds: readonly string[]): void {
    if (!kinds.includes(operation.kind))
      throw new Error(`${operation.id} is of kind ${operation.kind}: serve it with another method of the router.`);
    if (this.#routes.has(operation.id)) throw new Error(`${operation.id} is served twice.`);
    // A handler takes the exchange of its own operation, which is the one it is called with.
    this.#routes.set(operation.id, { operation, handler: handler as Route['handler'], options });
  }
}

/** Some of the operations of a room, and what has to be prepared for them. */
export interface RoomPart {
  /** Put the operations on the router. Called once. */
  routes(router: Router): void;
  /** Put into a new world what is there from the beginning; a world that was saved has it. */
  begin?(world: World): void;
  /** Prepare a world, new or saved, without looking into it: what goes when something is deleted, who listens. */
  start?(world: World): void;
  /** Schedule again what the clock has to do in a world that was saved, which it does not know any more. */
  resume?(world: World): void;
}

/** One room of the service, as the emulator plays it. */
export interface Room extends RoomPart {
  /** What happens in the real world and no operation does, by the names of the methods of the emulator. */
  readonly controls?: ControlSet;
  /** What the room says of seeds: sections of its own, and fields of those below. */
  readonly seed?: readonly SeedPart[];
}

/** Several parts as one, in this order. */
export const together = (...parts: readonly RoomPart[]): Required<RoomPart> => ({
  routes(router) {
    for (const part of parts) part.routes(router);
  },
  begin(world) {
    for (const part of parts) part.begin?.(world);
  },
  start(world) {
    for (const part of parts) part.start?.(world);
  },
  resume(world) {
    for (const part of parts) part.resume?.(world);
  },
});
