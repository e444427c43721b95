/** Lets go of a body that nobody will read; that this fails on a connection already lost is of no interest. */
export const discard = (response: Response): void => {
  response.body?.cancel().catch(() => undefined);
};

/**
 * The body of an answer as text. Bytes are counted as they come, after decompression.
 *
 * @throws It has more than `longest` bytes; the rest is not read.
 */
export async function limitedText(response: Response, longest: number): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > longest) {
      reader.cancel().catch(() => undefined);
      throw new Error(`answered with more than ${longest} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}
