import type { Answer, AnswerSource } from '../http/answer.js';
import type { Endpoint, PathMatch, RouteTable } from '../http/route-table.js';
import type { Raw } from '../store/parser.js';
import type { ApiKey } from '../world/api-keys.js';
import type { CreatedWorlds } from '../world/created-worlds.js';
import type { Memory } from '../world/memory.js';
import type { World } from '../world/world.js';
import type { WorldDirectory } from '../world/world-directory.js';
import type { Hosts } from './hosts.js';

/** Dependencies of the chain. */
export interface ChainParts {
  readonly directory: WorldDirectory;
  readonly worlds: CreatedWorlds;
  /** Administrator key, which controls of the whole emulator require. */
  readonly adminKey: string;
  readonly paths: RouteTable;
  /** Called with every operation that was run. */
  readonly onServed: (operation: NonNullable<Endpoint['route']>['operation']) => void;
  /** Send a request to the emulator, like a program on this machine. */
  readonly send: (request: Request) => Promise<Response>;
}

/** Headers to add to an answer, even to that of a failure. */
export type Headers = Readonly<Record<string, string>>;

/** A page that sent a request to an endpoint that pages may call. */
export interface Page {
  readonly origin: string;
  readonly endpoint: Endpoint;
}

/** A request as it arrives. */
export interface Arrival {
  readonly request: Request;
  /** Host names of the emulator. Undefined for a request of this process. */
  readonly hosts: Hosts | undefined;
  readonly parts: ChainParts;
  readonly path: string;
  /** GET for HEAD, which is answered alike. */
  readonly method: string;
}

/** A request whose sender may reach the emulator. */
export interface Admitted extends Arrival {
  /** The endpoints at its path, for all methods. */
  readonly matches: readonly PathMatch[];
  /** The page that sent it. Undefined for programs, and for pages of the emulator's own origins at other endpoints. */
  readonly page: Page | undefined;
  /** Until the world is known, they allow pages of the emulator's own origins to read the answer. */
  readonly corsHeaders: Headers;
  /** World whose address the request was sent to. Undefined for the emulator's own address. */
  readonly addressee: World | undefined;
}

/** A request with the endpoints that it may be for, and the world that its key or address names. */
export interface Located extends Admitted {
  /** The operations at the path and method, or the page there. */
  readonly candidates: readonly Endpoint[];
  readonly first: Endpoint;
  /** Values in the path by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Part of the emulator that answers, if it is not the service. */
  readonly source: AnswerSource | undefined;
  readonly headers: Headers;
  /** World of the key or address; otherwise the first. */
  readonly world: World;
  /** Memory of the world. A request under way at a reset finishes with it. */
  readonly memory: Memory;
  /** Undefined if the operation needs none. */
  readonly key: ApiKey | undefined;
}

/** A request that has been read, with the world that answers it. */
export interface Call extends Located {
  readonly endpoint: Endpoint;
  readonly body: string;
  readonly query: URLSearchParams;
  /** The parsed body. */
  readonly raw: Raw;
  /** View of the memory whose events name the actor. */
  readonly actingMemory: Memory;
}

/** Refuses or answers a request, or lets it pass. */
export type Check<Needs> = (record: Needs) => Answer | undefined;

/** Finds what later steps need, or answers the request. */
export type Find<Needs, Found> = (record: Needs) => Found | Answer | Promise<Found | Answer>;

/** A step around the later ones of its phase: it also sees their answer. */
export type Around = (call: Call, next: () => Promise<Answer>) => Promise<Answer>;
