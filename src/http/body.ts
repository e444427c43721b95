import { parsedJson } from './json.js';

/** Thrown when a body is larger than allowed; the rest of it is never read. */
export class BodyTooLarge extends Error {}

/**
 * The bytes of a body, at most `limitBytes` of them. They are counted as they come, after decompression: a declared length is
 * only believed when it is too much, because a few compressed kilobytes can unfold into gigabytes.
 *
 * @param signal Lets go of the body when it aborts.
 * @throws {BodyTooLarge} There are more.
 */
export async function readBody(
  response: Pick<Response, 'body' | 'headers' | 'text'>,
  limitBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  // A fetch that is not the platform's may have another kind of body.
  const reader = response.body?.getReader?.();
  const stop = () => {
    reader?.cancel().catch(() => undefined);
  };
  // A fetch that does not heed its signal would leave the body open.
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

/** The pieces of a body, which have this size together, as one. Text is made of one in a fraction of the time that several take. */
export function joined(chunks: Uint8Array[], size: number): Uint8Array {
  if (chunks[0]?.length === size) return chunks[0];
  const bytes = new Uint8Array(size);
  for (const chunk of chunks.reverse()) {
    size -= chunk.length;
    bytes.set(chunk, size);
  }
  return bytes;
}

/** What the body of an answer says as JSON, undefined where it is none. @throws {BodyTooLarge} */
export const readJson = async (response: Response, limitBytes: number): Promise<unknown> =>
  parsedJson(new TextDecoder().decode(await readBody(response, limitBytes)));

/** Lets go of a body that nobody will read; that this fails on a connection already lost is of no interest. */
export function discard(response: Response): void {
  response.body?.cancel?.().catch(() => undefined);
}
