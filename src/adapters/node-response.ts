import type { Answer } from '../session/respond.js';
import { keepPrivate } from '../session/shared-caches.js';

/** Of Node's response, which is Express's too, what is used here. */
export interface NodeResponse {
  statusCode: number;
  getHeader(name: string): number | string | string[] | undefined;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  end(body?: string): unknown;
  writeHead?: (...parts: never[]) => unknown;
}

/**
 * Sets headers of a response; cookies are added to those it already sets, and its own `Cache-Control` stays unless shared
 * caches could keep the cookies by it.
 */
export function appendHeaders(response: NodeResponse, headers: Headers): void {
  for (const [name, value] of headers) {
    const before = response.getHeader(name);
    if (name === 'set-cookie' && before !== undefined) response.setHeader(name, [before, value].flat().map(String));
    else if (name !== 'cache-control' || before === undefined) response.setHeader(name, value);
  }
  const caching = headers.get('cache-control');
  if (caching !== null && headers.has('set-cookie')) keepPrivate(response, caching);
}

/** Sends an answer as the response. */
export function sendAnswer(response: NodeResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  // Ours: what was said about the handler's answer does not count.
  response.setHeader('cache-control', 'no-store');
  appendHeaders(response, headers);
  response.end(body ?? undefined);
}
