import { BodyTooLarge, discard, readJson } from './body.js';
import type { Fetch, FetchResponse } from './fetch.js';

/** Maximum response size in bytes: enough for a key set of fifty keys with certificates. */
const maxBytes = 256 * 1024;

/** Thrown when no response, or only a part of one, arrived. */
export class NoAnswer extends Error {}

/** Thrown when a response has another status than 200. */
export class WrongStatus extends Error {
  constructor(
    url: string,
    readonly status: number,
  ) {
    super(`${url} answered with status ${status}`);
  }
}

/**
 * Fetch JSON. Returns undefined if the response is not JSON. Does not follow redirects, which could replace the keys we trust.
 *
 * @throws {NoAnswer} The request failed or was aborted.
 * @throws {WrongStatus} The response has another status than 200.
 * @throws {BodyTooLarge} It is larger than 256 KiB.
 */
export async function fetchJson(url: string, fetch: Fetch, signal: AbortSignal): Promise<unknown> {
  let response: FetchResponse;
  try {
    response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
    if (response.status === 200) return await readJson(response, maxBytes);
  } catch (cause) {
    throw cause instanceof BodyTooLarge ? cause : new NoAnswer(`${url} did not answer`, { cause });
  }
  discard(response);
  throw new WrongStatus(url, response.status);
}
