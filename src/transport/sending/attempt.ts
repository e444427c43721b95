import type { KyInstance } from 'ky';
import { ConfigurationError } from '../../errors/index.js';
import { BodyTooLarge, discard, readBody } from '../../http/body.js';
import { checkedResponse } from '../../http/response.js';
import type { Prepared } from '../request/request.js';
import type { Config } from '../types.js';

/** The response to one attempt. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, or an empty string if it was not read. */
  readonly text: string;
  /** Whether it is a redirect. Redirects are never followed, so keys and bodies only reach the configured service. */
  readonly redirect: boolean;
  /** Why the body cannot be used; undefined if it can. */
  readonly unreadable: string | undefined;
}

/**
 * ky, imported with the first request. Loading it touches `Request`, which starts Node's fetch stack; importing the client should
 * stay cheap.
 */
let ky: KyInstance | undefined;

/** Send the request once and resolve when the response headers arrive. Callers handle retries and time limits. */
export async function sendOnce(config: Config, prepared: Prepared, signal: AbortSignal): Promise<Response> {
  ky ??= (await import('./ky.js')).default;
  if (signal.aborted) throw signal.reason;
  const { url, method, headers, body } = prepared;
  let isFetchCalled = false;
  let response: Response;
  try {
    response = await ky(url, {
      ...config.fetchOptions,
      method,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      // Passing ky's Request would make `fetch` copy it, and ky would join the signal with its own. Both are slow.
      fetch: async () => {
        isFetchCalled = true;
        const init = { ...config.fetchOptions, method, headers: { ...headers }, redirect: 'manual', signal } as const;
        return checkedResponse(await (config.fetch ?? fetch)(url, body === undefined ? init : { ...init, body }));
      },
    });
  } catch (error) {
    // An error before the call of `fetch` comes from a bad option, a later one from the network.
    if (!isFetchCalled)
      throw new ConfigurationError('invalid_option', {
        what: 'fetchOptions do not make a valid request',
        why: prepared.quote((error as Error).message),
        next: 'Correct fetchOptions',
      });
    // ky's errors contain the request with its headers, so only rethrow the error of `fetch`.
    const { name, cause, value } = (error ?? {}) as { name?: string; cause?: unknown; value?: unknown };
    throw name === 'NetworkError' ? cause : name === 'NonError' ? value : error;
  }
  if (!signal.aborted) return response;
  discard(response);
  throw signal.reason;
}

/** Shared by all responses: creating a decoder costs more than decoding a typical body. */
let decoder: TextDecoder | undefined;

/** Read a response and at most `limitBytes` of its body. */
export async function readAnswer(response: Response, limitBytes: number, signal: AbortSignal): Promise<Answer> {
  const { status, headers } = response;
  // Browsers report a redirect that was not followed as status 0.
  const redirect = (status >= 300 && status < 400) || response.type === 'opaqueredirect';
  const answer = { status, headers, text: '', redirect, unreadable: undefined };
  if (redirect) {
    discard(response);
    return answer;
  }
  let bytes: Uint8Array;
  try {
    bytes = await readBody(response, limitBytes, signal);
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    return { ...answer, unreadable: `The body is larger than maxResponseBytes, ${limitBytes} bytes` };
  }
  try {
    decoder ??= new TextDecoder('utf-8', { fatal: true });
    answer.text = decoder.decode(bytes);
    return answer;
  } catch {
    // In some runtimes a decoder is unusable after an error.
    decoder = undefined;
    return { ...answer, unreadable: 'The body must be valid UTF-8' };
  }
}
