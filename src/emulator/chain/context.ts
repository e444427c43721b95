import type { Answer, AnswerSource } from '../http/answer.js';
import { type PathMatch, type PathMatcher, pathIn } from '../http/path-matcher.js';
import type { Endpoint } from '../http/route-table.js';
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
  readonly paths: PathMatcher;
  /** Called with every operation that was run. */
  readonly onServed: (operation: NonNullable<Endpoint['route']>['operation']) => void;
  /** Send a request to the emulator, like a program on this machine. */
  readonly send: (request: Request) => Promise<Response>;
}

/** CORS headers of a response (https://fetch.spec.whatwg.org/#http-cors-protocol). */
export interface CrossOrigin {
  /** Headers to add to the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole response, if the request is a preflight. */
  readonly preflight?: Answer;
}

/** A request on its way through the chain. A step reads only what the steps before it have set. */
export class Context {
  readonly path: string;
  /** Headers to add to the answer, even to that of a failure. */
  headers: Readonly<Record<string, string>> = {};
  /** Part of the emulator that answers, if it is not the service. */
  source: AnswerSource | undefined;

  /** What the page that sent the request may read. Set by `cors`. */
  crossOrigin: CrossOrigin | undefined;
  /** World whose address the request was sent to. Undefined for the emulator's own address. Set by `worldOfAddress`. */
  addressee: World | undefined;
  /** The operations at the path and method, or the page there. Set by `match`. */
  endpoints: readonly Endpoint[] = [];
  /** Set by `match`. */
  valueAt: PathMatch['valueAt'] = () => '';
  /** World of the key or address. Set by `worldOfKey`, and again by `worldOfRequest`, which also looks at the body. */
  world!: World;
  /** Memory of the world. Set by `worldOfKey`, and again by `actAs`. A request under way at a reset finishes with it. */
  memory!: Memory;
  /** Undefined if the operation needs none. Set by `authorize`. */
  key: ApiKey | undefined;
  /** Set by `readBody`. */
  body = '';
  /** Set by `readBody`. */
  query = new URLSearchParams();
  /** The parsed body. Set by `readBody`. */
  raw: Raw = { value: undefined, texts: false };
  /** Set by `chooseEndpoint`. */
  endpoint!: Endpoint;
  /** Values in the path by name. Set by `chooseEndpoint`. */
  params: Readonly<Record<string, string>> = {};
  /** View of the memory whose events name the actor. Set by `actAs`. */
  actingMemory!: Memory;

  constructor(
    readonly request: Request,
    /** Host names of the emulator. Undefined for a request of this process. */
    readonly hosts: Hosts | undefined,
    readonly parts: ChainParts,
  ) {
    this.path = pathIn(request);
  }

  /** GET for HEAD, which is answered alike. */
  get method(): string {
    const { method } = this.request;
    return method === 'HEAD' ? 'GET' : method;
  }

  /** Whether the answer is a control or a page of the emulator itself, not of the service. */
  get isOwn(): boolean {
    const { isControl, page } = this.endpoint;
    return isControl === true || (page !== undefined && isEmulatorPath(page.path));
  }
}

/** An answer, or a promise of it. Most steps do not wait for anything, so they create no promise. */
type MaybeAnswer = Answer | Promise<Answer>;

/** A step of the chain: answers, or passes the request on with `next`. */
export type Step = (context: Context, next: () => MaybeAnswer) => MaybeAnswer;

/** Get the path and query of a request. */
export const targetOf = ({ url }: Request): string => url.slice(url.indexOf('/', 8));

/** Whether a path belongs to the emulator itself, not to the service. */
export const isEmulatorPath = (path: string): boolean => /^\/(?:[?]|$|_emulator\/)/.test(path);

/** Whether browsers open the endpoint: a page, or an operation that redirects. */
export const opensInBrowser = ({ page, route }: Endpoint): boolean =>
  page !== undefined || route?.operation.kind === 'url';

/** Headers of answers that may be secret, or change with the next call. */
export const noStore = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
