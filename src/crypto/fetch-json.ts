import { discard, limitedText, TooLong } from './limited-text.js';

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
  const unusable = (problem: string) => new Error(`${url} answered with ${problem}`);
  if (response.status !== 200) {
    discard(response);
    throw unusable(`status ${response.status} and not 200`);
  }
  try {
    return JSON.parse(await limitedText(response, longest));
  } catch (error) {
    if (error instanceof TooLong) throw unusable(error.message);
    // What the parser throws would quote a stranger's text.
    throw error instanceof SyntaxError ? unusable('something that is not JSON') : error;
  }
}
