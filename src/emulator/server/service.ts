import { dialects } from '../../service/describe/dialect.js';
import type { Operation } from '../../service/describe/operation.js';
import type { LimitedRequest } from '../../service/limited-requests.js';
import { dashboard, endUser } from '../world/actor.js';
import type { ApiKey } from '../world/api-keys.js';
import type { CausedEvent } from '../world/event-log.js';
import type { Ids } from '../world/ids.js';
import type { Raw } from '../world/parser.js';
import { Refusal } from '../world/refusal.js';
import { slot, table, type World } from '../world/world.js';
import { Addresses, type Find, pathIn } from './addresses.js';
import { checkAdminKey } from './administrator.js';
import { type Answer, json, ownAnswer, redirect, refusalOf, responseOf } from './answer.js';
import { withBasicCredentials } from './basic-credentials.js';
import { crossOrigin } from './cors.js';
import { bearerOf, type Environments, keyOfAnother, noSuchWorld } from './environments.js';
import { errorPage } from './error-page.js';
import { exchange } from './exchange.js';
import type { Fault } from './fault.js';
import { type FaultyRequest, faultHeader, faultIn, faults } from './faults.js';
import type { Hosts } from './hosts.js';
import { type AnswerRecord, answerRecord, fingerprintOf, Idempotency } from './idempotency.js';
import { countedOf, rateLimiter } from './rate-limiter.js';
import { parseBody, parseQuery, readBody } from './request-body.js';
import { requestLog } from './request-log.js';
import { choose, type Endpoint, tableOf } from './route-table.js';
import type { RawInput, Router } from './router.js';
import { servePage } from './serve-page.js';

/** What serving needs of the emulator. */
export interface ServiceParts {
  /** Every operation of the service, served or not. */
  readonly operations: readonly Operation[];
  readonly router: Router;
  /** Where requests find their worlds. */
  readonly environments: Environments;
  /** What opens the controls of the emulator as a whole. */
  readonly adminKey: string;
  readonly requestIds: Ids;
  /** Told of every operation that was carried out. */
  readonly onServed: (operation: Operation) => void;
  /** Told of faults of the emulator itself. */
  readonly onFault: (error: unknown) => void;
}

/** What comes to be known of a request while it is answered, for the log. */
interface Sighting {
  world?: World;
  operation?: Operation | undefined;
  key?: ApiKey | undefined;
  body?: string;
  events?: readonly CausedEvent[];
}

/** A request on its way to its answer. */
interface Arrival {
  readonly request: Request;
  readonly path: string;
  /** Absent where it did not come over HTTP. */
  readonly hosts: Hosts | undefined;
  readonly sighting: Sighting;
  /** The world to whose address it was sent; undefined where that is the emulator's own. */
  addressee?: World | undefined;
}

/** The answers that are repeated, by whose key it is and the key. */
const idempotentAnswers = table<AnswerRecord>('idempotent answer', answerRecord);
const idempotency = slot('idempotency', 'the answers are in a table, and whoever waits for one has gone', (world) => {
  const { clock, settings, dropped } = world;
  const records = world.of(idempotentAnswers);
  const own = new Idempotency(clock, settings.strictIdempotency, () => dropped.note('answers'), records);
  world.onClose(() => own.close());
  return own;
});

/** Answers requests: finds what they are for, checks the key, repeats answers, and turns refusals into answers. */
export class Service {
  readonly #parts: ServiceParts;
  readonly #addresses: Addresses;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#addresses = new Addresses(tableOf(parts.operations, parts.router));
  }

  /** The answer to a request of this process, as `fetch` gives it; never rejects. */
  async fetch(request: Request): Promise<Response> {
    return responseOf(await this.answer(request), request.method);
  }

  /** The answer to a request, which came over HTTP where there are names to come by; never rejects. */
  async answer(request: Request, hosts?: Hosts): Promise<Answer> {
    const began = performance.now();
    const sighting: Sighting = {};
    const answer = await this.#answerOnce({ request, path: pathIn(request), hosts, sighting });
    this.#log(request, answer, sighting, performance.now() - began);
    return answer;
  }

  async #answerOnce(arrival: Arrival): Promise<Answer> {
    const { request, hosts } = arrival;
    try {
      const { environments } = this.#parts;
      const page = await crossOrigin(environments, request);
      const refusal = hosts?.refusalOf(request, { mayRead: page !== undefined });
      if (refusal) return this.#signed(ownAnswer('stranger', forWhomeverAsks(request, refusal)));
      const name = environments.nameIn(request);
      arrival.addressee = name === undefined ? undefined : environments.named(name);
      if (name !== undefined && !arrival.addressee)
        return this.#signed(ownAnswer('no-such-world', forWhomeverAsks(request, noSuchWorld(name), 'No such world')));
      const answer = page?.preflight ?? (await this.#find(arrival));
      const signed = this.#signed(answer, arrival.sighting.world ?? arrival.addressee);
      return page ? signed.with(page.headers) : signed;
    } catch (error) {
      return this.#signed(this.#fault(error));
    }
  }

  /** Remembers a request to the service; what is the emulator's own, controls and pages about it, is nobody's request. */
  #log(request: Request, answer: Answer, sighting: Sighting, durationMs: number): void {
    const path = pathOf(request);
    if (path === '/health' || isOwnPath(path) || request.method === 'OPTIONS') return;
    const { environments } = this.#parts;
    const { world = environments.ofKey(bearerOf(request)) ?? environments.first } = sighting;
    const { operation, key, body = '', events } = sighting;
    const header = (wanted: string): string | undefined => answer.headers.findLast(([name]) => name === wanted)?.[1];
    const isJson = request.method !== 'HEAD' && header('content-type')?.includes('json');
    world.of(requestLog).add({
      id: header('x-request-id') ?? '',
      at: world.clock.now(),
      method: request.method,
      path,
      status: answer.status,
      durationMs,
      operation,
      key,
      authorization: request.headers.get('authorization'),
      idempotencyKey: request.headers.get('idempotency-key'),
      contentType: request.headers.get('content-type'),
      body,
      // Pages show people what is theirs alone: the key of an authenticator app, say.
      answer: isJson && typeof answer.body === 'string' ? answer.body : '',
      location: header('location'),
      events: events ?? [],
    });
  }

  /** Has the first thing at the path answer that takes the method. */
  async #find(arrival: Arrival): Promise<Answer> {
    const { request, path } = arrival;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isHealth = path === '/health';
    if (isHealth && method === 'GET') return ownAnswer('health', json(200, { status: 'ok' }));
    const methods = new Set<string>(isHealth ? ['GET'] : []);
    for (const find of this.#addresses.at(path)) {
      const own = find.endpoints.get(method);
      if (own) return this.#answer(own, find, arrival);
      // Another pattern may fit the path too and know the method.
      for (const other of find.endpoints.keys()) methods.add(other);
    }
    return nothingAt(request.method, path, methods);
  }

  /** With the headers that every answer has. */
  #signed(answer: Answer, world = this.#parts.environments.first): Answer {
    // By the world's own clock, whose time its tokens have; a repeated answer says when it is repeated.
    const date = new Date(world.clock.now()).toUTCString();
    return answer.with({ date, 'x-request-id': this.#parts.requestIds('req') });
  }

  #fault(error: unknown, operation?: Operation): Answer {
    this.#parts.onFault(error);
    const fault = json(500, {
      message: `The emulator failed${operation ? ` while answering ${operation.id}` : ''}; this is its own fault, not the request's. Pass debug: true to createEmulator to see where`,
      code: 'emulator_error',
    });
    return ownAnswer('fault', fault);
  }

  async #answer(endpoints: readonly Endpoint[], find: Find, arrival: Arrival): Promise<Answer> {
    const { request, path, hosts } = arrival;
    const page = endpoints.find((endpoint) => endpoint.page);
    const isForPeople = page !== undefined && (endpoints.length === 1 || wantsPage(request));
    const candidates = isForPeople ? [page] : endpoints.filter((endpoint) => endpoint !== page);
    const isFile = page?.page?.isFile ?? false;
    const refusal = isForPeople && !isFile ? hosts?.refusalOfPage(request) : undefined;
    if (refusal) return ownAnswer('page', forWhomeverAsks(request, refusal));
    const isPage = isForPeople && !isFile && !page.page?.isStream;
    const otherOrigin = isOwnPath(path) ? hosts?.refusalOfOtherOrigin(request, { isPage }) : undefined;
    if (otherOrigin) return ownAnswer('stranger', forWhomeverAsks(request, otherOrigin));
    const answer = await this.#outcome(candidates, request, () => this.#serve(candidates, find, arrival));
    if (isForPeople && isOwnPath(path)) return ownAnswer('page', answer);
    return candidates[0]?.isControl ? ownAnswer('control', answer.with(unkept)) : answer;
  }

  /** What serving gives, or what is answered where it throws. */
  async #outcome([first]: readonly Endpoint[], request: Request, serve: () => Promise<Answer>): Promise<Answer> {
    try {
      return await serve();
    } catch (error) {
      if (!(error instanceof Refusal)) return this.#fault(error, first?.operation);
      const isPage = first?.page || (first?.operation?.kind === 'url' && wantsPage(request));
      return error.status === 429 && isPage ? limitPage(error) : refusalOf(error);
    }
  }

  async #serve(endpoints: readonly Endpoint[], find: Find, arrival: Arrival): Promise<Answer> {
    const { request, path, sighting, addressee } = arrival;
    const { environments, adminKey } = this.#parts;
    const bearer = bearerOf(request);
    const opened = environments.ofKey(bearer);
    if (addressee && opened && opened !== addressee) throw keyOfAnother(addressee);
    const byKey = opened ?? addressee ?? environments.first;
    const { method } = request;
    const query = parseQuery(request.url);
    const first = endpoints[0]!;
    sighting.world = byKey;
    sighting.operation = first.operation;
    if (endpoints.every((endpoint) => endpoint.operation && !endpoint.route)) return notSupported(first.operation!);
    const forAdministrator = first.route?.options.forAdministrator;
    if (forAdministrator) checkAdminKey(adminKey, bearer, environments);
    const key =
      !forAdministrator && (first.operation?.io.auth ?? (first.page ? 'none' : 'api_key')) === 'api_key'
        ? byKey.keys.check(request.headers.get('authorization'), method, path)
        : undefined;

    sighting.key = key;

    const writes = method !== 'GET' && method !== 'HEAD';
    const body = writes
      ? await readBody(request, Math.max(byKey.settings.maxBodyBytes, first.route?.options.mostBytes ?? 0))
      : '';
    sighting.body = body;
    // An operation without a body ignores what is sent along, whatever it is.
    const takesBody = endpoints.some((endpoint) => endpoint.page || endpoint.operation?.io.body);
    const sent = takesBody ? parseBody(body, request.headers.get('content-type')) : noBody;
    const { dialect } = byKey.settings;
    const takesBasic = dialect.basicAuthentication && first.operation?.io.auth === 'client_secret';
    const raw = takesBasic ? withBasicCredentials(sent, request.headers.get('authorization')) : sent;
    const endpoint = choose(endpoints, { body: raw.value, query }, dialect);
    const { operation, route, page, names, isControl } = endpoint;
    const params = Object.fromEntries(names.map((name, place) => [name, find.valueAt(place)]));
    const found = addressee ?? (forAdministrator ? environments.first : undefined);
    const world = key ? byKey : (found ?? environments.of({ params, query, raw, request }));
    // There the browser keeps what is its own in this world, and nothing of another.
    const elsewhere = addressee || !forBrowser(endpoint, request) ? undefined : world.separatePageUrl(pathOf(request));
    if (elsewhere) return redirect(elsewhere).with(unkept);

    const who = isControl ? dashboard : key && world.keys.actorOf(key);
    const acted = world.by(who ?? endUser);
    Object.assign(sighting, { world, operation, events: acted.caused });

    const limits = countRequest(world, endpoint, {
      method: writes ? method : 'GET',
      params,
      body: raw.value,
      query,
      apiKey: key?.value,
    });

    const broken = async (perform: () => Promise<Answer>): Promise<Answer> => {
      const faulty: FaultyRequest = {
        operation: route?.operation.id,
        path,
        signal: () => request.signal,
        own: ownFault(world, request, key),
        refuse: (refusal) =>
          isOpened(endpoint) ? forWhomeverAsks(request, refusal, 'Something went wrong') : refusalOf(refusal),
      };
      return (await world.of(faults).answer(faulty, perform)).with(limits);
    };
    if (page) {
      const send = (another: Request): Promise<Response> => this.fetch(another);
      const exchange = { params, query, body: raw.value, now: world.now, world: acted, request, environments, send };
      if (isOwnPath(page.path)) return servePage(page, exchange);
      return broken(() => this.#outcome(endpoints, request, () => servePage(page, exchange)));
    }
    if (!route) return notSupported(operation!);
    const run = async (): Promise<Answer> => {
      try {
        const answer = await exchange({ world: acted, route, params, query, raw, key, request });
        if (!isControl) this.#parts.onServed(route.operation);
        return answer;
      } catch (error) {
        const words = isControl ? dialects.spec : dialect;
        return error instanceof Refusal ? refusalOf(error, words) : this.#fault(error, operation);
      }
    };
    const repeatable = (): Promise<Answer> => {
      // What a browser opens is nobody's request: the code in its answer is for that browser alone.
      const idempotencyKey = route.operation.kind === 'url' ? null : request.headers.get('idempotency-key');
      if (!idempotencyKey) return run();
      const fingerprint = fingerprintOf(method, pathOf(request), body);
      const token = route.operation.io.auth === 'access_token' ? request.headers.get('authorization') : null;
      const asker = key?.value ?? token ?? askerOf(raw);
      return world.of(idempotency).answer(asker, idempotencyKey, fingerprint, run);
    };
    if (isControl) return repeatable();
    return broken(repeatable);
  }
}

/** Whether a browser opens a page, or an address that leads to one. */
const forBrowser = (endpoint: Endpoint, request: Request): boolean =>
  request.method === 'GET' && isOpened(endpoint) && !endpoint.page?.isFile && wantsPage(request);

/** The fault that a request asks for, for itself alone. @throws {Refusal} 401 without an API key, 422 for one that cannot be. */
function ownFault(world: World, request: Request, key: ApiKey | undefined): Fault | undefined {
  const header = request.headers.get(faultHeader);
  if (header === null) return undefined;
  if (!key && !world.keys.find(bearerOf(request)))
    throw new Refusal(
      401,
      'missing_api_key',
      'Sallyport-Fault is for those who have an API key. Send it in the Authorization header, or plan the fault by emulator.faults.add',
    );
  return faultIn(world, header);
}

/** Count a request to the service under its rate limits; give the headers that say so. @throws {Refusal} 429. */
function countRequest(
  world: World,
  { operation, route, page, isControl }: Endpoint,
  request: Omit<LimitedRequest, 'path' | 'subject'> & RawInput,
): Readonly<Record<string, string>> {
  const limiter = world.of(rateLimiter);
  const path = page?.path ?? operation!.path;
  // What the emulator has beside the service is nobody's load.
  if (limiter.isIdle || isControl || path.startsWith('/_emulator/')) return {};
  const subject = route?.options.subject?.(world, request);
  return limiter.count(countedOf({ ...request, path, subject }), world.settings.clientId);
}

/** What controls answer may be secret, and changes with the next call. */
const unkept = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const noBody: Raw = { value: undefined, texts: false };

/**
 * Whose request it is where the key is not in the header: of whoever shows the secret, or holds what a public client asks
 * by. The id of a public client is known to everybody, and must not get anybody the tokens of somebody else.
 */
const askerOf = ({ value }: Raw): string => {
  const credentials = (value ?? {}) as Record<string, unknown>;
  return JSON.stringify(
    credentials.client_secret ?? [credentials.client_id, credentials.refresh_token ?? credentials.code],
  );
};

function nothingAt(method: string, path: string, methods: ReadonlySet<string>): Answer {
  if (methods.size === 0) {
    const message = path.startsWith('/_emulator/')
      ? `The emulator has no control ${method} ${path}. docs/emulator-controls.md lists them`
      : `The service has nothing at ${method} ${path}. Check the path and the baseUrl`;
    return ownAnswer('no-such-path', refusalOf(new Refusal(404, 'not_found', message)));
  }
  const list = [...methods].sort().join(', ');
  return ownAnswer(
    'method-not-allowed',
    refusalOf(
      new Refusal(405, 'method_not_allowed', `${path} does not take ${method}, only ${list}`, {}, { allow: list }),
    ),
  );
}

const notSupported = (operation: Operation): Answer =>
  ownAnswer(
    'not-supported',
    refusalOf(
      new Refusal(
        501,
        'not_supported',
        `The emulator does not yet play ${operation.id} (${operation.method} ${operation.path}). Use an operation that docs/operations.md marks as served, or answer this one in your test by a fetch of your own around emulator.fetch`,
      ),
    ),
  );

const limitPage = ({ message, headers }: Refusal): Answer =>
  errorPage(429, 'Too many requests', `${message} Then go back and try again.`).with(headers);

/** Whether the emulator itself is at a path, and not the service. */
const isOwnPath = (path: string): boolean => /^\/(?:[?]|$|_emulator\/)/.test(path);

/** Path and query of a request. */
const pathOf = ({ url }: Request): string => url.slice(url.indexOf('/', 8));

const wantsPage = (request: Request): boolean => request.headers.get('accept')?.includes('text/html') ?? false;

/** Whether browsers open it, rather than a program that calls. */
const isOpened = ({ page, operation }: Endpoint): boolean => page !== undefined || operation?.kind === 'url';

const forWhomeverAsks = (request: Request, refusal: Refusal, title = 'Nothing to see here'): Answer =>
  wantsPage(request) ? errorPage(refusal.status, title, refusal.message).with(refusal.headers) : refusalOf(refusal);
