import { discard, readJson } from './body.js';

/** Largest answer that is read, in bytes: a key set of fifty keys with their certificates. */
const longest = 256 * 1024;

/**
 * The JSON at an address; undefined when what is there is no JSON. Redirects are not followed: they would let whoever can
 * redirect choose whom we trust.
 *
 * @throws The request failed or took too long, or what came back is not status 200 or has more than 256 KiB.
 */
export async function fetchJson(url: string, fetch: typeof globalThis.fetch, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 200) return readJson(response, longest);
  discard(response);
  throw new Error(`${url} answered with status ${response.status}`);
}
