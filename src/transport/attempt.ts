import type { KyInstance } from 'ky';
import { ConfigurationError } from '../errors/index.js';
import { BodyTooLarge, discard, readBody } from '../http/body.js';
import { checkedResponse } from '../http/response.js';
import type { Config } from './config.js';
import type { Prepared } from './request.js';

/** What one attempt brought. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body; empty where it was not read. */
  readonly text: string;
  /** A redirect; it is never followed, so that keys and bodies stay with the service they are meant for. */
  readonly redirect: boolean;
  /** Why the body cannot be used, where it cannot. */
  readonly unreadable: string | undefined;
}

/**
 * ky, loaded with the first request: it touches `Request` while loading, which makes Node start its fetch stack, and a process
 * that only imports the client should not pay for that.
 */
let ky: KyInstance | undefined;

/** Sends the request once; resolves as soon as the head of an answer is there. Retries and time are not its business. */
export async function sendOnce(config: Config, prepared: Prepared, signal: AbortSignal): Promise<Response> {
  ky ??= (await import('./ky.js')).default;
  if (signal.aborted) throw signal.reason;
  const { url, method, headers, body } = prepared;
  let handedOver = false;
  let response: Response;
  try {
    response = await ky(url, {
      ...config.fetchOptions,
      method,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      // Given the request that ky makes of all this, `fetch` would copy it once more. And a signal given to ky would be joined with
      // one of ky's own. Both take longer than all that is done here, so headers, body and signal go straight to `fetch`.
      fetch: async () => {
        handedOver = true;
        const init = { ...config.fetchOptions, method, headers: { ...headers }, redirect: 'manual', signal } as const;
        return checkedResponse(await (config.fetch ?? fetch)(url, body === undefined ? init : { ...init, body }));
      },
    });
  } catch (error) {
    // What is wrong with a request is said at once; whatever goes wrong later is the network's.
    if (!handedOver)
      throw new ConfigurationError('invalid_option', {
        what: 'The options given to fetch make no request',
        why: prepared.quote((error as Error).message),
        next: 'Correct fetchOptions',
      });
    // ky's own errors carry the request, headers included: only what fetch said goes on.
    const { name, cause, value } = (error ?? {}) as { name?: string; cause?: unknown; value?: unknown };
    throw name === 'NetworkError' ? cause : name === 'NonError' ? value : error;
  }
  if (!signal.aborted) return response;
  discard(response);
  throw signal.reason;
}

/** Made with the first answer: a decoder for each would cost more than what it decodes. */
let decoder: TextDecoder | undefined;

/** Reads an answer, its body at most up to the limit. */
export async function readAnswer(response: Response, limitBytes: number, signal: AbortSignal): Promise<Answer> {
  const { status, headers } = response;
  // Browsers hide a redirect that is not followed behind status 0.
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
    // Not every runtime lets a decoder forget what it could not decode.
    decoder = undefined;
    return { ...answer, unreadable: 'The body must be valid UTF-8' };
  }
}
