import { ConfigurationError } from '../errors/sallyport-error.js';
import { parsedJson } from './json.js';

/** Thrown when a body is larger than allowed. The rest of it is not read. */
export class BodyTooLarge extends Error {}

/**
 * Read at most `limitBytes` of a body. Counts them after decompression, because a few compressed kilobytes can become gigabytes.
 * The declared length only serves to fail early.
 *
 * @param signal Cancels the body when it aborts.
 * @throws {BodyTooLarge} The body is larger.
 */
export async function readBody(
  response: Pick<Response, 'body' | 'headers' | 'text'>,
  limitBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  // A custom fetch may return another kind of body.
  const reader = response.body?.getReader?.();
  const stop = () => {
    reader?.cancel().catch(() => undefined);
  };
  // A fetch that ignores its signal would leave the body open.
  signal?.addEventListener('abort', stop);
  const allow = (bytes: number) => {
    if (bytes > limitBytes) {
      stop();
      throw new BodyTooLarge(`answered with more than ${limitBytes} bytes`);
    }
  };
  allow(Number(response.headers.get('content-length')));
  if (!reader) {
    const bytes = new TextEncoder().encode(await response.text());
    allow(bytes.length);
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, size);
    chunks.push(value);
    size += value.length;
    allow(size);
  }
}

/** Join chunks of a body with this total size. Decoding one array is much faster than decoding several. */
export function joined(chunks: Uint8Array[], size: number): Uint8Array {
  if (chunks[0]?.length === size) return chunks[0];
  const bytes = new Uint8Array(size);
  for (const chunk of chunks.reverse()) {
    size -= chunk.length;
    bytes.set(chunk, size);
  }
  return bytes;
}

/** Parse the body of a response as JSON. Returns undefined if it is invalid. @throws {BodyTooLarge} */
export const readJson = async (response: Response, limitBytes: number): Promise<unknown> =>
  parsedJson(new TextDecoder().decode(await readBody(response, limitBytes)));

/** Cancel an unread body. Ignores errors, such as those of a lost connection. */
export function discard(response: Response): void {
  response.body?.cancel?.().catch(() => undefined);
}

/** Check that a `fetch` returned a response. @throws {ConfigurationError} It did not. */
export function checkedResponse(value: Response): Response {
  const { status, headers, body, text } = Object(value) as Partial<Response>;
  if (typeof status === 'number' && headers?.get && (body?.getReader || text)) return value;
  throw new ConfigurationError('invalid_option', {
    what: `fetch must return a Response with status, headers and text(), but returned ${value === null ? value : typeof value}`,
    next: 'Correct your custom fetch function',
  });
}
