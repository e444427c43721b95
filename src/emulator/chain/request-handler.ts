import { emulatedDialects } from '../../service/describe/dialect.js';
import type { Operation } from '../../service/describe/operation.js';
import type { LimitedRequest } from '../../service/rates/limited-requests.js';
import {
  type Answer,
  type AnswerSource,
  json,
  markAnswer,
  redirect,
  refusalAnswer,
  responseOf,
} from '../http/answer.js';
import { limitPage, refusalPageOrJson, wantsPage } from '../http/error-page.js';
import { type PathMatch, PathMatcher, pathIn } from '../http/path-matcher.js';
import { parseBody, parseQuery, readBody } from '../http/request-body.js';
import { choose, type Endpoint, tableOf } from '../http/route-table.js';
import type { RawInput, Router } from '../http/router.js';
import { runOperation } from '../http/run-operation.js';
import { servePage } from '../http/serve-page.js';
import type { Fault } from '../rooms/faults/fault.js';
import { type FaultyRequest, faultHeader, faultIn, faults } from '../rooms/faults/faults.js';
import { countedOf, rateLimiter } from '../rooms/rate-limits/rate-limiter.js';
import { requestLog } from '../rooms/requests/request-log.js';
import type { Raw } from '../store/parser.js';
import { Refusal } from '../store/refusal.js';
import { dashboard, endUser } from '../world/actor.js';
import type { ApiKey } from '../world/api-keys.js';
import { bearerOf, type Environments, noSuchWorld, wrongWorldKey } from '../world/environments.js';
import type { CausedEvent } from '../world/event-log.js';
import type { Ids } from '../world/ids.js';
import { slot, table, type World } from '../world/world.js';
import { checkAdminKey } from './administrator.js';
import { withBasicCredentials } from './basic-credentials.js';
import { crossOrigin } from './cors.js';
import type { Hosts } from './hosts.js';
import { type AnswerRecord, answerRecord, fingerprintOf, Idempotency } from './idempotency.js';

/** Dependencies of the request handler. */
export interface RequestHandlerParts {
  /** All operations of the service, served or not. */
  readonly operations: readonly Operation[];
  readonly router: Router;
  readonly environments: Environments;
  /** Administrator key, which controls of the whole emulator require. */
  readonly adminKey: string;
  readonly requestIds: Ids;
  /** Called with every operation that was run. */
  readonly onServed: (operation: Operation) => void;
  /** Called with internal errors of the emulator. */
  readonly onFault: (error: unknown) => void;
}

/** Log entry of a request, filled in while it is answered. */
interface LogDraft {
  world?: World;
  operation?: Operation | undefined;
  key?: ApiKey | undefined;
  body?: string;
  events?: readonly CausedEvent[];
}

/** A request that is being answered. */
interface IncomingRequest {
  readonly request: Request;
  readonly path: string;
  /** Undefined for a request of this process. */
  readonly hosts: Hosts | undefined;
  readonly log: LogDraft;
  /** World whose address the request was sent to. Undefined for the emulator's own address. */
  addressee?: World | undefined;
}

/** Stored responses, by caller and idempotency key. */
const idempotentAnswers = table<AnswerRecord>('idempotent answer', answerRecord);
const idempotency = slot('idempotency', 'responses are in a table; running requests do not survive', (world) => {
  const { clock, settings, dropped } = world;
  const records = world.of(idempotentAnswers);
  const stored = new Idempotency(clock, settings.strictIdempotency, () => dropped.note('answers'), records);
  world.onClose(() => stored.close());
  return stored;
});

/** Handles requests: finds the route and the world, checks the key, applies limits and faults, and converts refusals to responses. */
export class RequestHandler {
  readonly #parts: RequestHandlerParts;
  readonly #paths: PathMatcher;

  constructor(parts: RequestHandlerParts) {
    this.#parts = parts;
    this.#paths = new PathMatcher(tableOf(parts.operations, parts.router));
  }

  /** Answer a request of this process, like `fetch`. Never rejects. */
  async fetch(request: Request): Promise<Response> {
    return responseOf(await this.answer(request), request.method);
  }

  /** Answer a request. Never rejects. @param hosts The emulator's host names, for a request over HTTP. */
  async answer(request: Request, hosts?: Hosts): Promise<Answer> {
    const startedAt = performance.now();
    const log: LogDraft = {};
    const answer = await this.#answerUnlogged({ request, path: pathIn(request), hosts, log });
    this.#log(request, answer, log, performance.now() - startedAt);
    return answer;
  }

  async #answerUnlogged(incoming: IncomingRequest): Promise<Answer> {
    const { request, hosts } = incoming;
    try {
      const { environments } = this.#parts;
      const page = await crossOrigin(environments, request);
      const refusal = hosts?.refusalOf(request, { mayRead: page !== undefined });
      const refuse = (source: AnswerSource, reason: Refusal, title?: string): Answer =>
        this.#withCommonHeaders(markAnswer(source, refusalPageOrJson(request, reason, title)));
      if (refusal) return refuse('stranger', refusal);
      const name = environments.nameIn(request);
      incoming.addressee = name === undefined ? undefined : environments.named(name);
      if (name !== undefined && !incoming.addressee)
        return refuse('no-such-world', noSuchWorld(name), 'World not found');
      const answer = page?.preflight ?? (await this.#route(incoming));
      const complete = this.#withCommonHeaders(answer, incoming.log.world ?? incoming.addressee);
      return page ? complete.with(page.headers) : complete;
    } catch (error) {
      return this.#withCommonHeaders(this.#internalError(error));
    }
  }

  /** Log a request to the service. Requests to controls and console pages are not logged. */
  #log(request: Request, answer: Answer, log: LogDraft, durationMs: number): void {
    const path = pathOf(request);
    if (path === '/health' || isEmulatorPath(path) || request.method === 'OPTIONS') return;
    const { environments } = this.#parts;
    const { world = environments.ofKey(bearerOf(request)) ?? environments.first } = log;
    const { operation, key, body = '', events } = log;
    const header = (field: string): string | undefined => answer.headers.findLast(([name]) => name === field)?.[1];
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
      // Pages may contain secrets of the user, such as the key of an authenticator app.
      answer: isJson && typeof answer.body === 'string' ? answer.body : '',
      location: header('location'),
      events: events ?? [],
    });
  }

  /** Answer with the first endpoints at the path that accept the method. */
  async #route(incoming: IncomingRequest): Promise<Answer> {
    const { request, path } = incoming;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isHealth = path === '/health';
    if (isHealth && method === 'GET') return markAnswer('health', json(200, { status: 'ok' }));
    const methods = new Set<string>(isHealth ? ['GET'] : []);
    for (const match of this.#paths.match(path)) {
      const endpoints = match.endpoints.get(method);
      if (endpoints) return this.#answer(endpoints, match, incoming);
      // Another pattern may match the path too and accept the method.
      for (const other of match.endpoints.keys()) methods.add(other);
    }
    return notFoundOrNotAllowed(request.method, path, methods);
  }

  /** Add the headers of all responses. */
  #withCommonHeaders(answer: Answer, world = this.#parts.environments.first): Answer {
    // The Date header follows the world's clock, like the timestamps of its tokens. A repeated response gets a new date.
    const date = new Date(world.clock.now()).toUTCString();
    return answer.with({ date, 'x-request-id': this.#parts.requestIds('req') });
  }

  #internalError(error: unknown, operation?: Operation): Answer {
    this.#parts.onFault(error);
    const answer = json(500, {
      message: `The emulator failed${operation ? ` in ${operation.id}` : ''}. This is a bug in the emulator, not in the request. Pass debug: true to createEmulator to print the stack`,
      code: 'emulator_error',
    });
    return markAnswer('fault', answer);
  }

  async #answer(endpoints: readonly Endpoint[], match: PathMatch, incoming: IncomingRequest): Promise<Answer> {
    const { request, path, hosts } = incoming;
    const page = endpoints.find((endpoint) => endpoint.page);
    const servesPage = page !== undefined && (endpoints.length === 1 || wantsPage(request));
    const candidates = servesPage ? [page] : endpoints.filter((endpoint) => endpoint !== page);
    const isFile = page?.page?.isFile ?? false;
    const refusal = servesPage && !isFile ? hosts?.refusalOfPage(request) : undefined;
    if (refusal) return markAnswer('page', refusalPageOrJson(request, refusal));
    const isPage = servesPage && !isFile && !page.page?.isStream;
    const otherOrigin = isEmulatorPath(path) ? hosts?.refusalOfOtherOrigin(request, { isPage }) : undefined;
    if (otherOrigin) return markAnswer('stranger', refusalPageOrJson(request, otherOrigin));
    const answer = await this.#catchErrors(candidates, request, () => this.#serve(candidates, match, incoming));
    if (servesPage && isEmulatorPath(path)) return markAnswer('page', answer);
    return candidates[0]?.isControl ? markAnswer('control', answer.with(noStore)) : answer;
  }

  /** Convert errors of `serve` to responses. */
  async #catchErrors([first]: readonly Endpoint[], request: Request, serve: () => Promise<Answer>): Promise<Answer> {
    try {
      return await serve();
    } catch (error) {
      if (!(error instanceof Refusal)) return this.#internalError(error, first?.operation);
      const isPage = first?.page || (first?.operation?.kind === 'url' && wantsPage(request));
      return error.status === 429 && isPage ? limitPage(error) : refusalAnswer(error);
    }
  }

  async #serve(endpoints: readonly Endpoint[], match: PathMatch, incoming: IncomingRequest): Promise<Answer> {
    const { request, path, log, addressee } = incoming;
    const { environments, adminKey } = this.#parts;
    const bearer = bearerOf(request);
    const opened = environments.ofKey(bearer);
    if (addressee && opened && opened !== addressee) throw wrongWorldKey(addressee);
    const byKey = opened ?? addressee ?? environments.first;
    const { method } = request;
    const query = parseQuery(request.url);
    const first = endpoints[0]!;
    log.world = byKey;
    log.operation = first.operation;
    if (endpoints.every((endpoint) => endpoint.operation && !endpoint.route)) return notSupported(first.operation!);
    const forAdministrator = first.route?.options.forAdministrator;
    if (forAdministrator) checkAdminKey(adminKey, bearer, environments);
    const key =
      !forAdministrator && (first.operation?.io.auth ?? (first.page ? 'none' : 'api_key')) === 'api_key'
        ? byKey.keys.check(request.headers.get('authorization'), method, path)
        : undefined;
    log.key = key;
    const writes = method !== 'GET' && method !== 'HEAD';
    const body = writes
      ? await readBody(request, Math.max(byKey.settings.maxBodyBytes, first.route?.options.maxBytes ?? 0))
      : '';
    log.body = body;
    // An operation without a body ignores any body that is sent.
    const takesBody = endpoints.some((endpoint) => endpoint.page || endpoint.operation?.io.body);
    const sent = takesBody ? parseBody(body, request.headers.get('content-type')) : noBody;
    const { dialect } = byKey.settings;
    const takesBasic = dialect.basicAuthentication && first.operation?.io.auth === 'client_secret';
    const raw = takesBasic ? withBasicCredentials(sent, request.headers.get('authorization')) : sent;
    const endpoint = choose(endpoints, { body: raw.value, query }, dialect);
    const { operation, route, page, names, isControl } = endpoint;
    const params = Object.fromEntries(names.map((name, index) => [name, match.valueAt(index)]));
    const byAddress = addressee ?? (forAdministrator ? environments.first : undefined);
    const world = key ? byKey : (byAddress ?? environments.of({ params, query, raw, request }));
    // Redirect the browser to the subdomain of the world, so that worlds do not share cookies.
    const worldUrl = addressee || !isForBrowser(endpoint, request) ? undefined : world.separatePageUrl(pathOf(request));
    if (worldUrl) return redirect(worldUrl).with(noStore);

    const actor = isControl ? dashboard : key && world.keys.actorOf(key);
    const actingWorld = world.by(actor ?? endUser);
    Object.assign(log, { world, operation, events: actingWorld.caused });

    const limits = countRequest(world, endpoint, {
      method: writes ? method : 'GET',
      params,
      body: raw.value,
      query,
      apiKey: key?.value,
    });

    const withFaults = async (perform: () => Promise<Answer>): Promise<Answer> => {
      const faulty: FaultyRequest = {
        operation: route?.operation.id,
        path,
        signal: () => request.signal,
        headerFault: headerFaultOf(world, request, key),
        refuse: (error) =>
          opensInBrowser(endpoint) ? refusalPageOrJson(request, error, 'Something went wrong') : refusalAnswer(error),
      };
      return (await world.of(faults).answer(faulty, perform)).with(limits);
    };
    if (page) {
      const send = (another: Request): Promise<Response> => this.fetch(another);
      const exchange = {
        params,
        query,
        body: raw.value,
        now: world.now,
        world: actingWorld,
        request,
        environments,
        send,
      };
      if (isEmulatorPath(page.path)) return servePage(page, exchange);
      return withFaults(() => this.#catchErrors(endpoints, request, () => servePage(page, exchange)));
    }
    if (!route) return notSupported(operation!);
    const run = async (): Promise<Answer> => {
      try {
        const answer = await runOperation({ world: actingWorld, route, params, query, raw, key, request });
        if (!isControl) this.#parts.onServed(route.operation);
        return answer;
      } catch (error) {
        const errorDialect = isControl ? emulatedDialects.spec : dialect;
        return error instanceof Refusal ? refusalAnswer(error, errorDialect) : this.#internalError(error, operation);
      }
    };
    const idempotent = (): Promise<Answer> => {
      // The response to a URL that a browser opens is never repeated: its code belongs to that browser.
      const idempotencyKey = route.operation.kind === 'url' ? null : request.headers.get('idempotency-key');
      if (!idempotencyKey) return run();
      const fingerprint = fingerprintOf(method, pathOf(request), body);
      const token = route.operation.io.auth === 'access_token' ? request.headers.get('authorization') : null;
      const caller = key?.value ?? token ?? callerOf(raw);
      return world.of(idempotency).answer(caller, idempotencyKey, fingerprint, run);
    };
    if (isControl) return idempotent();
    return withFaults(idempotent);
  }
}

/** Whether a browser opens a page, or a URL that leads to one. */
const isForBrowser = (endpoint: Endpoint, request: Request): boolean =>
  request.method === 'GET' && opensInBrowser(endpoint) && !endpoint.page?.isFile && wantsPage(request);

/** Read the fault in the header of a request. @throws {Refusal} 401 without an API key, 422 for an invalid fault. */
function headerFaultOf(world: World, request: Request, key: ApiKey | undefined): Fault | undefined {
  const header = request.headers.get(faultHeader);
  if (header === null) return undefined;
  if (!key && !world.keys.find(bearerOf(request)))
    throw new Refusal(
      401,
      'missing_api_key',
      'The Sallyport-Fault header needs an API key. Send the key in the Authorization header, or plan the fault with emulator.faults.add',
    );
  return faultIn(world, header);
}

/** Count a request under its rate limits. Returns the headers of the limit. @throws {Refusal} 429. */
function countRequest(
  world: World,
  { operation, route, page, isControl }: Endpoint,
  request: Omit<LimitedRequest, 'path' | 'subject'> & RawInput,
): Readonly<Record<string, string>> {
  const limiter = world.of(rateLimiter);
  const path = page?.path ?? operation!.path;
  // Controls and console pages are not part of the service, so they do not count.
  if (limiter.isIdle || isControl || path.startsWith('/_emulator/')) return {};
  const subject = route?.options.subject?.(world, request);
  return limiter.count(countedOf({ ...request, path, subject }), world.settings.clientId);
}

/** Headers of responses that may be secret, or change with the next call. */
const noStore = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const noBody: Raw = { value: undefined, texts: false };

/**
 * Identify the caller of a request without a key in the header: by the client secret, or by the code or refresh token of a public
 * client. The client id alone is public, so it must not give one caller the stored tokens of another.
 */
const callerOf = ({ value }: Raw): string => {
  const credentials = (value ?? {}) as Record<string, unknown>;
  return JSON.stringify(
    credentials.client_secret ?? [credentials.client_id, credentials.refresh_token ?? credentials.code],
  );
};

function notFoundOrNotAllowed(method: string, path: string, methods: ReadonlySet<string>): Answer {
  if (methods.size === 0) {
    const message = path.startsWith('/_emulator/')
      ? `The emulator has no control ${method} ${path}. See docs/reference/controls.md for the list`
      : `The service has no operation ${method} ${path}. Check the path and the baseUrl`;
    return markAnswer('no-such-path', refusalAnswer(new Refusal(404, 'not_found', message)));
  }
  const list = [...methods].sort().join(', ');
  return markAnswer(
    'method-not-allowed',
    refusalAnswer(
      new Refusal(405, 'method_not_allowed', `${path} does not accept ${method}, only ${list}`, {}, { allow: list }),
    ),
  );
}

const notSupported = (operation: Operation): Answer =>
  markAnswer(
    'not-supported',
    refusalAnswer(
      new Refusal(
        501,
        'not_supported',
        `The emulator does not support ${operation.id} (${operation.method} ${operation.path}) yet. Use an operation that docs/operations.md marks as served, or wrap emulator.fetch in your test to answer this one`,
      ),
    ),
  );

/** Whether a path belongs to the emulator itself, not to the service. */
const isEmulatorPath = (path: string): boolean => /^\/(?:[?]|$|_emulator\/)/.test(path);

/** Get the path and query of a request. */
const pathOf = ({ url }: Request): string => url.slice(url.indexOf('/', 8));

/** Whether browsers open the endpoint: a page, or an operation that redirects. */
const opensInBrowser = ({ page, operation }: Endpoint): boolean => page !== undefined || operation?.kind === 'url';
