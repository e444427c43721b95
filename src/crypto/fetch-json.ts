/** Largest answer that is read, in bytes: a key set of fifty keys with their certificates. */
const longest = 256 * 1024;

/**
 * The JSON at an address. Redirects are not followed: they would let whoever can redirect choose whom we trust.
 *
 * @throws The request failed or took too long, or what came back is not status 200 with JSON of at most 256 KiB.
 */
export async function fetchJson(url: string, fetch: typeof globalThis.fetch, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const reader = response.body?.getReader();
  const refuse = (problem: string) => {
    // Frees the connection; that it fails on a connection already lost is of no interest.
    reader?.cancel().catch(() => undefined);
    return new Error(`${url} answered with ${problem}`);
  };
  if (response.status !== 200 || !reader) throw refuse(`status ${response.status} and not 200`);

  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > longest) throw refuse(`more than ${longest} bytes`);
    text += decoder.decode(value, { stream: true });
  }
  try {
    return JSON.parse(text + decoder.decode());
  } catch {
    // What the parser throws would quote a stranger's text.
    throw refuse('something that is not JSON');
  }
}
