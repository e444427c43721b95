import { type Context, Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { Operation } from '../../service/describe/operation.js';
import type { Ids } from '../world/ids.js';
import type { Raw } from '../world/parser.js';
import { Refusal } from '../world/refusal.js';
import { kept, type World } from '../world/world.js';
import { type Answer, AnswerResponse, json } from './answer.js';
import { crossOrigin } from './cors.js';
import { exchange } from './exchange.js';
import { fingerprintOf, Idempotency } from './idempotency.js';
import { parseBody, parseQuery, readBody } from './request-body.js';
import { choose, type Endpoint, type Endpoints, tableOf } from './route-table.js';
import type { Router } from './router.js';

/** What serving needs of the emulator. */
export interface ServiceParts {
  /** Every operation of the service, served or not. */
  readonly operations: readonly Operation[];
  readonly router: Router;
  /** The world as it is now; `reset` changes it. */
  readonly world: () => World;
  readonly requestIds: Ids;
  /** Told of every operation that was carried out. */
  readonly onServed: (operation: Operation) => void;
  /** Told of faults of the emulator itself. */
  readonly onFault: (error: unknown) => void;
}

const idempotency = kept((world) => new Idempotency(world.clock, world.settings.strictIdempotency));

/** Answers requests: finds what they are for, checks the key, repeats answers, and turns refusals into answers. */
export class Service {
  readonly #parts: ServiceParts;
  readonly #app: Hono;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#app = this.#build(tableOf(parts.operations, parts.router));
  }

  /** The answer to a request; never rejects. */
  async fetch(request: Request): Promise<Response> {
    const page = await crossOrigin(this.#parts.world(), request);
    if (page?.preflight) return this.#respond(page.preflight.with(page.headers));
    const response = await this.#app.fetch(request);
    return page && response instanceof AnswerResponse
      ? new AnswerResponse(response.answer.with(page.headers))
      : response;
  }

  #build(table: ReadonlyMap<string, Endpoints>): Hono {
    const app = new Hono({ router: new TrieRouter() });
    app.get('/health', () => this.#respond(json(200, { status: 'ok' })));
    for (const [pattern, endpoints] of table)
      app.all(pattern, async (context, next) => {
        const method = context.req.method === 'HEAD' ? 'GET' : context.req.method;
        const own = endpoints.get(method);
        if (!own) {
          // Another pattern may fit the path too and know the method.
          allow(context, endpoints);
          return next();
        }
        return this.#respond(await this.#answer(own, context));
      });
    app.notFound((context) => this.#respond(refusalOf(nothingAt(context))));
    app.onError((error) => this.#respond(this.#fault(error)));
    return app;
  }

  #respond(answer: Answer): Response {
    return new AnswerResponse(answer.with({ 'x-request-id': this.#parts.requestIds('req') }));
  }

  #fault(error: unknown, operation?: Operation): Answer {
    this.#parts.onFault(error);
    return json(500, {
      message: `The emulator failed${operation ? ` while answering ${operation.id}` : ''}; this is its own fault, not the request's. Pass debug: true to createEmulator to see where`,
      code: 'emulator_error',
    });
  }

  async #answer(endpoints: readonly Endpoint[], context: Context): Promise<Answer> {
    const operation = endpoints[0]!.operation;
    try {
      return await this.#serve(endpoints, context);
    } catch (error) {
      return error instanceof Refusal ? refusalOf(error) : this.#fault(error, operation);
    }
  }

  async #serve(endpoints: readonly Endpoint[], context: Context): Promise<Answer> {
    const world = this.#parts.world();
    const request = context.req.raw;
    const { method } = request;
    const query = parseQuery(request.url);
    const first = endpoints[0]!;
    if (endpoints.every((endpoint) => endpoint.operation && !endpoint.route)) throw notSupported(first.operation!);
    const key =
      (first.operation?.io.auth ?? (first.page ? 'none' : 'api_key')) === 'api_key'
        ? world.keys.check(request.headers.get('authorization'), method, context.req.path)
        : undefined;

    const writes = method !== 'GET' && method !== 'HEAD';
    const body = writes ? await readBody(request, world.settings.maxBodyBytes) : '';
    // An operation without a body ignores what is sent along, whatever it is.
    const takesBody = endpoints.some((endpoint) => endpoint.page || endpoint.operation?.io.body);
    const raw = takesBody ? parseBody(body, request.headers.get('content-type')) : noBody;
    const { operation, route, page, names } = choose(endpoints, { body: raw.value, query }, world.settings.dialect);
    const params = Object.fromEntries(names.map((name, at) => [name, context.req.param(`p${at}`) ?? '']));

    if (page) return page.handler({ params, query, body: raw.value, now: world.now, world, request });
    if (!route) throw notSupported(operation!);
    const run = async (): Promise<Answer> => {
      try {
        const answer = await exchange({ world, route, params, query, raw, key, request });
        this.#parts.onServed(route.operation);
        return answer;
      } catch (error) {
        return error instanceof Refusal ? refusalOf(error) : this.#fault(error, operation);
      }
    };
    const idempotencyKey = writes ? request.headers.get('idempotency-key') : null;
    if (!idempotencyKey) return run();
    const fingerprint = fingerprintOf(method, request.url.slice(request.url.indexOf('/', 8)), body);
    return world.of(idempotency).answer(key?.value ?? askerOf(raw), idempotencyKey, fingerprint, run);
  }
}

const noBody: Raw = { value: undefined, texts: false };
const refusalOf = (refusal: Refusal): Answer => json(refusal.status, refusal.body, refusal.headers);

/**
 * Whose request it is where the key is not in the header: of whoever shows the secret, or holds what a public client asks
 * by. The id of a public client is known to everybody, and must not get anybody the tokens of somebody else.
 */
const askerOf = ({ value }: Raw): string => {
  const asked = (value ?? {}) as Record<string, unknown>;
  return JSON.stringify(asked.client_secret ?? [asked.client_id, asked.refresh_token ?? asked.code]);
};

const allowed = new WeakMap<Request, Set<string>>();
function allow(context: Context, endpoints: Endpoints): void {
  const methods = allowed.get(context.req.raw) ?? new Set();
  for (const method of endpoints.keys()) methods.add(method);
  allowed.set(context.req.raw, methods);
}

function nothingAt(context: Context): Refusal {
  const { method, path } = context.req;
  const methods = allowed.get(context.req.raw);
  if (!methods && path !== '/health')
    return new Refusal(
      404,
      'not_found',
      `The service has nothing at ${method} ${path}. Check the path and the baseUrl`,
    );
  const list = [...(methods ?? ['GET'])].sort().join(', ');
  return new Refusal(405, 'method_not_allowed', `${path} does not take ${method}, only ${list}`, {}, { allow: list });
}

const notSupported = (operation: Operation): Refusal =>
  new Refusal(
    501,
    'not_supported',
    `The emulator does not yet play ${operation.id} (${operation.method} ${operation.path}). Use an operation that docs/operations.md marks as served, or answer this one in your test by a fetch of your own around emulator.fetch`,
  );
