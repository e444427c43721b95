import { ConfigurationError } from '../errors/sallyport-error.js';
import type { FetchResponse } from './fetch.js';
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
  response: Pick<FetchResponse, 'body' | 'headers' | 'text'>,
  limitBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const reader = readerOf(response.body);
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
    const bytes = bytesOf(await response.text());
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

/** A body of a custom fetch may be a web stream, a stream of Node.js, or neither. */
interface Body {
  getReader?(): Reader;
  cancel?(): Promise<void>;
  [Symbol.asyncIterator]?(): AsyncIterator<Uint8Array | string>;
  destroy?(): void;
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** Return a reader of a stream; undefined if the body is not a stream. */
function readerOf(given: unknown): Reader | undefined {
  const body: Body = Object(given);
  if (body.getReader) return body.getReader();
  const chunks = body[Symbol.asyncIterator]?.();
  return (
    chunks && {
      read: async () => {
        const { done, value } = await chunks.next();
        return done ? { done, value: undefined } : { done: false, value: bytesOf(value) };
      },
      cancel: async () => body.destroy?.(),
    }
  );
}

const bytesOf = (chunk: Uint8Array | string): Uint8Array =>
  typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;

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
export const readJson = async (response: FetchResponse, limitBytes: number): Promise<unknown> =>
  parsedJson(new TextDecoder().decode(await readBody(response, limitBytes)));

/** Cancel an unread body. Ignores errors, such as those of a lost connection. */
export function discard({ body }: FetchResponse): void {
  const stream: Body = Object(body);
  if (stream.cancel) stream.cancel().catch(() => undefined);
  else stream.destroy?.();
}

/** Check that a `fetch` returned a response. @throws {ConfigurationError} It did not. */
export function checkedResponse(value: FetchResponse): FetchResponse {
  const { status, headers, body, text } = Object(value) as Partial<FetchResponse>;
  if (typeof status === 'number' && headers?.get && (Object(body).getReader || text)) return value;
  throw new ConfigurationError('invalid_option', {
    what: `fetch must return a Response with status, headers and text(), but returned ${value === null ? value : typeof value}`,
    next: 'Correct your fetch',
  });
}
