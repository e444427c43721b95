import { BodyTooLarge, discard, readJson } from './body.js';

/** Largest answer that is read, in bytes: a key set of fifty keys with their certificates. */
const longest = 256 * 1024;

/** Thrown when no answer came, or only a part of one. */
export class NoAnswer extends Error {}

/**
 * The JSON at an address; undefined when what is there is no JSON. Redirects are not followed: they would let whoever can
 * redirect choose whom we trust.
 *
 * @throws {NoAnswer} The request failed or was aborted.
 * @throws What came back is not status 200 or has more than 256 KiB.
 */
export async function fetchJson(url: string, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
    if (response.status === 200) return await readJson(response, longest);
  } catch (cause) {
    throw cause instanceof BodyTooLarge ? cause : new NoAnswer(`${url} gave no answer`, { cause });
  }
  discard(response);
  throw new Error(`${url} answered with status ${response.status}`);
}
