import { testEnvironmentAdvice } from '../../http/fetch-advice.js';
import { type Answer, json, markAnswer, responseOf } from '../http/answer.js';
import { refusedAnswer } from '../http/error-page.js';
import { isEmulatorPath, pathIn, targetOf } from '../http/route-table.js';
import { requestLog } from '../rooms/requests/request-log.js';
import { EmulatorRefusal } from '../store/refusal.js';
import type { Ids } from '../world/ids.js';
import { bearerOf } from '../world/world-directory.js';
import { pass } from './chain.js';
import type { Arrival, Call, ChainParts } from './context.js';
import type { Hosts } from './hosts.js';
import { healthPath } from './locate.js';
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
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const record: Arrival & Partial<Call> = { request, hosts, parts: this.#chain, path: pathIn(request), method };
    // The chain adds to this record. If a step fails, the log shows the findings of the steps before it.
    const sent = await pass(record).catch((error) => this.#failed(error, record));
    const answer = this.#complete(sent, record);
    this.#log(answer, record, performance.now() - startedAt);
    return answer;
  }

  /** Answer a request with the error that a step has thrown. */
  #failed(error: unknown, { request, first }: Arrival & Partial<Call>): Answer {
    if (error instanceof EmulatorRefusal) return refusedAnswer(request, first, error);
    this.#parts.onFault(error);
    const operation = first?.route?.operation.id;
    const answer = json(500, {
      message: `The emulator failed${operation ? ` in ${operation}` : ''}. ${testEnvironmentAdvice() ?? 'This is a bug in the emulator, not in the request'}. Pass debug: true to createEmulator to print the stack`,
      code: 'emulator_error',
    });
    return markAnswer('fault', answer);
  }

  /** Add the headers of all answers. */
  #complete(answer: Answer, { headers, corsHeaders, source, memory, addressee }: Partial<Call>): Answer {
    const { directory, requestIds } = this.#parts;
    // The Date header follows the world's clock, like the timestamps of its tokens. A repeated answer gets a new date.
    const date = new Date((memory ?? (addressee ?? directory.first).memory).clock.now()).toUTCString();
    const complete = answer.with({ ...headers, ...corsHeaders, date, 'x-request-id': requestIds('req') });
    return source ? markAnswer(source, complete) : complete;
  }

  /** Log a request to the service. Requests to controls and console pages are not logged. */
  #log(answer: Answer, record: Arrival & Partial<Call>, durationMs: number): void {
    const { request, first, endpoint, key, body = '', raw, query } = record;
    if (record.path === healthPath || isEmulatorPath(record.path) || request.method === 'OPTIONS') return;
    const { directory } = this.#parts;
    const { memory = (directory.ofKey(bearerOf(request)) ?? directory.first).memory } = record;
    const header = (field: string): string | undefined => answer.headers.findLast(([name]) => name === field)?.[1];
    const isJson = request.method !== 'HEAD' && header('content-type')?.includes('json');
    memory.of(requestLog).add({
      id: header('x-request-id') ?? '',
      at: memory.clock.now(),
      method: request.method,
      path: targetOf(request),
      status: answer.status,
      durationMs,
      operation: (endpoint ?? first)?.route?.operation,
      key,
      authorization: request.headers.get('authorization'),
      idempotencyKey: request.headers.get('idempotency-key'),
      contentType: request.headers.get('content-type'),
      body,
      // Pages may contain secrets of the user, such as the key of an authenticator app.
      answer: isJson && typeof answer.body === 'string' ? answer.body : '',
      location: header('location'),
      // If no endpoint was chosen, the answer explains the problem.
      ignoredFields:
        endpoint?.route && query ? unreadFields(endpoint.route, memory.codec, { body: raw?.value, query }) : noFields,
      events: record.actingMemory?.caused ?? [],
    });
  }
}
