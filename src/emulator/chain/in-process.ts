import { abortReason, onAbort } from '../../async/on-abort.js';
import { testEnvironmentAdvice } from '../../http/fetch-advice.js';
import { responseOf } from '../http/answer.js';
import { brokenConnection } from '../http/connection-failure.js';
import { EmulatorError } from '../store/refusal.js';
import type { RequestHandler } from './request-handler.js';

type FetchInput = Parameters<typeof fetch>[0];

/** Check that this process has what requests are made of. @throws {EmulatorError} `unsupported_environment`. */
export function checkEnvironment(): void {
  const missing = (['Request', 'Response', 'Headers', 'TextEncoder'] as const).filter((name) => !globalThis[name]);
  if (missing.length > 0)
    throw new EmulatorError('unsupported_environment', {
      what: `The emulator needs ${missing.join(', ')}, which this environment does not have`,
      next: testEnvironmentAdvice() ?? 'Run it in Node 20.19 or later',
    });
}

/** Answer a request of this process. Rejects when its signal aborts, as `fetch` does. */
export async function answerInProcess(
  service: RequestHandler,
  base: string,
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<Response> {
  const { request, signal } = await requestOf(input, init, base);
  if (signal?.aborted) throw abortReason(signal);
  const answer = await abortable(signal, service.answer(request));
  if (answer.connectionFailure?.kind === 'reset') throw brokenConnection();
  return responseOf(answer, request.method);
}

/**
 * Create the request of a call of `fetch`. Its parts may come from elsewhere: a signal from a test environment such as jsdom, a
 * request from the package undici. Relative paths are accepted, as in browsers.
 */
async function requestOf(input: FetchInput, init: RequestInit | undefined, base: string) {
  if (input instanceof Request && !init) return { request: input, signal: input.signal };
  const isForeign = !isNative(input) && typeof input === 'object' && 'headers' in input;
  const target = isForeign ? input.url : typeof input === 'string' ? new URL(input, base) : input;
  const parts = isForeign ? { ...(await partsOf(input)), ...init } : init;
  try {
    const request = new Request(target, parts);
    // A request without a signal cannot be aborted, so nothing has to listen to one.
    return { request, signal: parts?.signal || isNative(input) ? request.signal : undefined };
  } catch (error) {
    if (!parts?.signal) throw error;
    return { request: new Request(target, { ...parts, signal: null }), signal: parts.signal };
  }
}

/** Whether it is a request of this realm. */
const isNative = (input: FetchInput): boolean => input instanceof Request;

async function partsOf(request: Request): Promise<RequestInit> {
  const { method, headers, signal, body } = request;
  return { method, headers: [...headers], signal, body: body && new Uint8Array(await request.arrayBuffer()) };
}

/** Wait for an answer, but reject when the signal aborts. */
async function abortable<T>(signal: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
  if (!signal) return answer;
  let unsubscribe = (): void => undefined;
  const abortion = new Promise<never>((_, reject) => {
    unsubscribe = onAbort(signal, () => reject(abortReason(signal)));
  });
  try {
    return await Promise.race([answer, abortion]);
  } finally {
    unsubscribe();
  }
}
