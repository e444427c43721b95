/** Thrown when a body is larger than allowed; the rest of it is never read. */
export class BodyTooLarge extends Error {
  constructor(readonly limitBytes: number) {
    super('body too large');
  }
}

/** Thrown when a body is not valid UTF-8. */
export class BodyNotText extends Error {}

/**
 * The body as text, at most `limitBytes` of it. Bytes are counted as they come, after decompression: a declared length is
 * only believed when it is too much, because a few compressed kilobytes can unfold into gigabytes.
 */
export async function readBody(response: Response, limitBytes: number, signal: AbortSignal): Promise<string> {
  if (!response.body) return '';
  if (Number(response.headers.get('content-length')) > limitBytes) {
    discard(response);
    throw new BodyTooLarge(limitBytes);
  }
  const reader = response.body.getReader();
  const stop = () => {
    reader.cancel().catch(() => {});
  };
  // A fetch that does not heed its signal would leave the body open.
  signal.addEventListener('abort', stop, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decoded(chunks);
    chunks.push(value);
    size += value.byteLength;
    if (size <= limitBytes) continue;
    stop();
    throw new BodyTooLarge(limitBytes);
  }
}

/** Only a body that is allowed becomes text, which may take four times its bytes. */
function decoded(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch {
    throw new BodyNotText();
  }
}

/** Lets go of a body that nobody will read. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
