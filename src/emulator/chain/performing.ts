// Steps that limit, disturb, repeat and run an operation or a page.
import { hashOf } from '../../crypto/pkce.js';
import { ref } from '../../service/describe/define.js';
import { emulatedDialects } from '../../service/describe/emulated-dialect.js';
import { countedOf } from '../../service/rates/limited-requests.js';
import { type Answer, refusalAnswer } from '../http/answer.js';
import { refusalPageOrJson } from '../http/error-page.js';
import { runOperation } from '../http/run-operation.js';
import { servePage } from '../http/serve-page.js';
import type { Fault } from '../rooms/faults/fault.js';
import { faultHeader, faultIn, faults } from '../rooms/faults/faults.js';
import { countedAsHosted, rateLimiter } from '../rooms/rate-limits/rate-limiter.js';
import type { Raw } from '../store/parser.js';
import { Refusal } from '../store/refusal.js';
import { slot, table } from '../world/memory.js';
import { bearerOf } from '../world/world-directory.js';
import { type Context, opensInBrowser, type Step, targetOf } from './context.js';
import { refusedAnswer } from './errors.js';
import { type AnswerRecord, answerRecord, Idempotency } from './idempotency.js';

/** Count the request under its rate limits. @throws {Refusal} 429. */
export const limit: Step = (context, next) => {
  const { endpoint, isOwn, key, method, params, query, raw } = context;
  const { page, route } = endpoint;
  const memory = context.memory;
  const limiter = memory.of(rateLimiter);
  if (limiter.isIdle || isOwn) return next();
  const request = { method, params, query, body: raw.value, apiKey: key?.value };
  const path = page?.path ?? route!.operation.path;
  const subject = route?.options.subject?.(memory, request);
  const counted = page?.isHosted ? countedAsHosted(method) : countedOf({ ...request, path, subject });
  context.headers = { ...context.headers, ...limiter.count(counted, memory.settings.clientId) };
  return next();
};

/** Apply a planned fault. */
export const applyFault: Step = (context, next) => {
  const { endpoint, isOwn, path, request } = context;
  if (isOwn) return next();
  const refuse = (error: Refusal): Answer =>
    opensInBrowser(endpoint) ? refusalPageOrJson(request, error, 'Something went wrong') : refusalAnswer(error);
  const operation = endpoint.route?.operation.id;
  const faulty = { operation, path, signal: () => request.signal, headerFault: headerFaultOf(context), refuse };
  return context.memory.of(faults).answer(faulty, async () => next());
};

/** Read the fault in the header of a request. @throws {Refusal} 401 without an API key, 422 for an invalid fault. */
function headerFaultOf({ request, key, memory }: Context): Fault | undefined {
  const header = request.headers.get(faultHeader);
  if (header === null) return undefined;
  if (!key && !memory.keys.find(bearerOf(request)))
    throw new Refusal(
      401,
      'missing_api_key',
      'The Sallyport-Fault header needs an API key. Send the key in the Authorization header, or plan the fault with emulator.faults.add',
    );
  return faultIn(memory, header);
}

/** Stored responses, by caller and idempotency key. */
const idempotentAnswers = table<AnswerRecord>('idempotent answer', ref(answerRecord));
const idempotency = slot('idempotency', 'responses are in a table; running requests do not survive', (memory) => {
  const { clock, settings, dropped } = memory;
  const records = memory.of(idempotentAnswers);
  return new Idempotency(clock, settings.strictIdempotency, () => dropped.note('answers'), records);
});

/** Answer a repeated idempotency key with the stored answer. */
export const repeat: Step = async ({ endpoint, request, body, key, raw, memory }, next) => {
  const { operation } = endpoint.route ?? {};
  const idempotencyKey = request.headers.get('idempotency-key');
  // The answer to a URL that a browser opens is never repeated: its code belongs to that browser.
  if (!idempotencyKey || !operation || operation.kind === 'url') return next();
  if (memory.settings.ignoreIdempotencyKeys) return next();
  const fingerprint = await hashOf(JSON.stringify([request.method, targetOf(request), body]));
  const token = operation.io.auth === 'access_token' ? request.headers.get('authorization') : null;
  const caller = key?.value ?? token ?? callerOf(raw);
  return memory.of(idempotency).answer(caller, idempotencyKey, fingerprint, async () => next());
};

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

/** Run the operation or show the page. Refusals become answers here, because they are repeated like other answers. */
export const run: Step = async (context) => {
  const { actingMemory: memory, endpoint, key, params, parts, query, raw, request, world } = context;
  const { directory, send, worlds } = parts;
  const { page, route, isControl } = endpoint;
  try {
    if (page) {
      const exchange = { params, query, body: raw.value, now: memory.now, memory, request, world, directory, send };
      return await servePage(page, exchange);
    }
    const answer = await runOperation({ memory, world, worlds, route: route!, params, query, raw, key, request });
    if (!isControl) parts.onServed(route!.operation);
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return page ? refusedAnswer(context, error) : refusalAnswer(error, dialectOf(context));
  }
};

const dialectOf = ({ endpoint, memory }: Context): (typeof emulatedDialects)['spec'] =>
  endpoint.isControl ? emulatedDialects.spec : memory.settings.dialect;
