import { type Answer, markAnswer, responseOf } from '../http/answer.js';
import { requestLog } from '../rooms/requests/request-log.js';
import type { Ids } from '../world/ids.js';
import { bearerOf } from '../world/world-directory.js';
import { pass } from './chain.js';
import { type ChainParts, Context, isEmulatorPath, targetOf } from './context.js';
import { failedAnswer } from './errors.js';
import type { Hosts } from './hosts.js';
import { unreadFields } from './unread-fields.js';

/** Dependencies of the request handler. */
interface RequestHandlerParts extends Omit<ChainParts, 'send'> {
  readonly requestIds: Ids;
  /** Called with internal errors of the emulator. */
  readonly onFault: (error: unknown) => void;
}

const noFields: ReadonlySet<string> = new Set();

/** Answers requests, and logs those to the service. */
export class RequestHandler {
  readonly #parts: RequestHandlerParts;
  readonly #chain: ChainParts;

  constructor(parts: RequestHandlerParts) {
    this.#parts = parts;
    this.#chain = { ...parts, send: (request) => this.fetch(request) };
  }

  /** Answer a request of this process, like `fetch`. Never rejects. */
  async fetch(request: Request): Promise<Response> {
    return responseOf(await this.answer(request), request.method);
  }

  /** Answer a request. Never rejects. @param hosts The emulator's host names, for a request over HTTP. */
  async answer(request: Request, hosts?: Hosts): Promise<Answer> {
    const startedAt = performance.now();
    const context = new Context(request, hosts, this.#chain);
    const sent = await pass(context).catch((error) => failedAnswer(context, error, this.#parts.onFault));
    const answer = this.#complete(sent, context);
    this.#log(answer, context, performance.now() - startedAt);
    return answer;
  }

  /** Add the headers of all answers. */
  #complete(answer: Answer, { headers, source, memory, addressee }: Context): Answer {
    const { directory, requestIds } = this.#parts;
    // The Date header follows the world's clock, like the timestamps of its tokens. A repeated answer gets a new date.
    const date = new Date((memory ?? (addressee ?? directory.first).memory).clock.now()).toUTCString();
    const complete = answer.with({ ...headers, date, 'x-request-id': requestIds('req') });
    return source ? markAnswer(source, complete) : complete;
  }

  /** Log a request to the service. Requests to controls and console pages are not logged. */
  #log(answer: Answer, context: Context, durationMs: number): void {
    const { request, endpoints, endpoint = endpoints[0], key, body, raw, query } = context;
    const path = targetOf(request);
    if (path === '/health' || isEmulatorPath(path) || request.method === 'OPTIONS') return;
    const { directory } = this.#parts;
    const { memory = (directory.ofKey(bearerOf(request)) ?? directory.first).memory } = context;
    const header = (field: string): string | undefined => answer.headers.findLast(([name]) => name === field)?.[1];
    // If no endpoint was chosen, the answer explains the problem.
    const chosen = context.endpoint?.route;
    const isJson = request.method !== 'HEAD' && header('content-type')?.includes('json');
    memory.of(requestLog).add({
      id: header('x-request-id') ?? '',
      at: memory.clock.now(),
      method: request.method,
      path,
      status: answer.status,
      durationMs,
      operation: endpoint?.route?.operation,
      key,
      authorization: request.headers.get('authorization'),
      idempotencyKey: request.headers.get('idempotency-key'),
      contentType: request.headers.get('content-type'),
      body,
      // Pages may contain secrets of the user, such as the key of an authenticator app.
      answer: isJson && typeof answer.body === 'string' ? answer.body : '',
      location: header('location'),
      ignoredFields: chosen ? unreadFields(chosen, memory.codec, { body: raw.value, query }) : noFields,
      events: context.actingMemory?.caused ?? [],
    });
  }
}
