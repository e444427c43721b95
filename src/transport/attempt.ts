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
  const send = ky;
  if (signal.aborted) throw signal.reason;
  const { url, method, body } = prepared;
  const init = { ...config.fetchOptions, method };
  const response = await handOver(() =>
    send(url, {
      ...init,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      // Given the request that ky makes of all this, `fetch` would copy it once more. And a signal given to ky would be joined with
      // one of ky's own. Both take longer than all that is done here, so headers, body and signal go straight to `fetch`.
      fetch: async () =>
        checkedResponse(
          await (config.fetch ?? fetch)(url, {
            ...init,
            headers: { ...prepared.headers },
            redirect: 'manual',
            signal,
            ...(body !== undefined && { body }),
          }),
        ),
    }),
  ).catch((error: unknown) => {
    // ky's own errors carry the request, headers included: only what fetch said goes on.
    const { name, cause, value } = (error ?? {}) as { name?: string; cause?: unknown; value?: unknown };
    throw name === 'NetworkError' ? cause : name === 'NonError' ? value : error;
  });
  if (!signal.aborted) return response;
  discard(response);
  throw signal.reason;
}

/** What is wrong with a request is said at once; whatever goes wrong later is the network's. */
function handOver(send: () => Promise<Response>): Promise<Response> {
  try {
    return send();
  } catch (error) {
    throw new ConfigurationError('invalid_option', {
      what: 'The options given to fetch make no request',
      why: (error as Error).message,
      next: 'Correct fetchOptions',
    });
  }
}

/** An answer without its body. */
export const headOf = ({ status, headers }: Response, redirect = false): Answer => ({
  status,
  headers,
  text: '',
  redirect,
  unreadable: undefined,
});

/** Reads an answer, its body at most up to the limit. */
export async function readAnswer(response: Response, limitBytes: number, signal: AbortSignal): Promise<Answer> {
  // Browsers hide a redirect that is not followed behind status 0.
  if ((response.status >= 300 && response.status < 400) || response.type === 'opaqueredirect') {
    discard(response);
    return headOf(response, true);
  }
  try {
    return textAnswer(response, await readBody(response, limitBytes, signal));
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    return { ...headOf(response), unreadable: `The body is larger than maxResponseBytes, ${limitBytes} bytes` };
  }
}

function textAnswer(response: Response, body: Uint8Array): Answer {
  try {
    return { ...headOf(response), text: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { ...headOf(response), unreadable: 'The body must be valid UTF-8' };
  }
}
