// The last phase: limit, disturb, repeat and run the operation or the page.
import { macOf } from '#crypto/mac';
import { ref } from '../../service/describe/define.js';
import { countedOf } from '../../service/rates/limited-requests.js';
import { type Answer, refusalAnswer } from '../http/answer.js';
import { errorPage, refusalPageOrJson, refusedAnswer } from '../http/error-page.js';
import { targetOf } from '../http/route-table.js';
import type { PageRoute } from '../http/router.js';
import { runOperation } from '../http/run-operation.js';
import { Visitor } from '../http/visitor.js';
import type { Fault } from '../rooms/faults/fault.js';
import { faultHeader, faultIn, faults } from '../rooms/faults/faults.js';
import { countedAsHosted, rateLimiter } from '../rooms/rate-limits/rate-limiter.js';
import type { Raw } from '../store/parser.js';
import { EmulatorRefusal } from '../store/refusal.js';
import { slot, table } from '../world/memory.js';
import { bearerOf } from '../world/world-directory.js';
import type { Around, Call } from './context.js';
import { type AnswerRecord, answerRecord, Idempotency } from './idempotency.js';

/** Count the request under its rate limits. @throws {EmulatorRefusal} 429. */
export const limit: Around = async ({ endpoint, key, memory, method, params, query, raw }, next) => {
  const limiter = memory.of(rateLimiter);
  if (limiter.isIdle || endpoint.isOwn) return next();
  const { page, path, route } = endpoint;
  const request = { method, params, query, body: raw.value, apiKey: key?.value };
  const subject = route?.options.subject?.(memory, request);
  const counted = page?.isHosted ? countedAsHosted(method) : countedOf({ ...request, path, subject });
  const headers = limiter.count(counted, memory.settings.clientId);
  return (await next()).with(headers);
};

/** Apply a planned fault. */
export const applyFault: Around = async (call, next) => {
  const { endpoint, path, request } = call;
  if (endpoint.isOwn) return next();
  const refuse = (error: EmulatorRefusal): Answer =>
    endpoint.opensInBrowser ? refusalPageOrJson(request, error, 'Something went wrong') : refusalAnswer(error);
  const operation = endpoint.route?.operation.id;
  const faulty = { operation, path, signal: () => request.signal, headerFault: headerFaultOf(call), refuse };
  return call.memory.of(faults).answer(faulty, next);
};

/** Read the fault in the header of a request. @throws {EmulatorRefusal} 401 without an API key, 422 for an invalid fault. */
function headerFaultOf({ request, key, memory }: Call): Fault | undefined {
  const header = request.headers.get(faultHeader);
  if (header === null) return undefined;
  if (!key && !memory.keys.find(bearerOf(request)))
    throw new EmulatorRefusal(
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
export const repeat: Around = async ({ endpoint, request, body, key, raw, memory }, next) => {
  const { operation } = endpoint.route ?? {};
  const idempotencyKey = request.headers.get('idempotency-key');
  // The answer to a URL that a browser opens is never repeated: its code belongs to that browser.
  if (!idempotencyKey || !operation || operation.kind === 'url') return next();
  if (memory.settings.ignoreIdempotencyKeys) return next();
  // Synchronous in Node: a hash on another thread takes a third of the time of a request.
  const fingerprint = await macOf(idempotencyKey, JSON.stringify([request.method, targetOf(request), body]));
  const token = operation.io.auth === 'access_token' ? request.headers.get('authorization') : null;
  const caller = key?.value ?? token ?? callerOf(raw);
  return memory.of(idempotency).answer(caller, idempotencyKey, fingerprint, next);
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
export const run: Around = async (call) => {
  const { endpoint, memory, parts, request } = call;
  const { page, route, isControl } = endpoint;
  try {
    if (page) return await showPage(page, call);
    const answer = await runOperation({ ...call, memory: call.actingMemory, worlds: parts.worlds, route });
    if (!isControl) parts.onServed(route.operation);
    return answer;
  } catch (error) {
    if (!(error instanceof EmulatorRefusal)) throw error;
    return page || isControl ? refusedAnswer(request, endpoint, error) : refusalAnswer(error, memory.settings.dialect);
  }
};

/** Show a page to a browser. Forms are accepted only from the browser that they were shown to. */
async function showPage({ method, handler }: PageRoute, { actingMemory: memory, parts, raw, ...call }: Call) {
  const { params, query, request, world } = call;
  const { directory, send } = parts;
  const visitor = new Visitor(request);
  if (method !== 'GET' && !visitor.hasFormToken(raw.value))
    return errorPage(
      403,
      'This form is not valid',
      'It was opened in another browser, or this browser has lost its cookies. Go back, reload the page and fill in the form again. If this happens again, allow this address to set cookies.',
    );
  const exchange = {
    params,
    query,
    body: raw.value,
    now: memory.now,
    memory,
    request,
    visitor,
    world,
    directory,
    send,
  };
  return (await handler(exchange)).with(visitor.headers);
}
