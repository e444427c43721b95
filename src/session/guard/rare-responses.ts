// Responses that replace those of the handler: for refused requests and thrown redirects. Loaded on first use.

import type { RequestLike } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';

export { badPath, denySession, forbidden } from './deny.js';
export { answerRouter } from './router-requests.js';

/**
 * Create the response for a redirect that a framework threw: an error of Next with a `digest`, or an object of SvelteKit. Scripts
 * of SvelteKit expect another format, so SvelteKit handles those itself.
 */
export function redirectOf(error: unknown, request: RequestLike): Response | undefined {
  const thrown = requestKind(request) === 'script' ? { digest: Object(error).digest } : Object(error);
  const [, location = thrown.location, status = thrown.status] =
    /^NEXT_REDIRECT;\w+;(.+);(30\d);$/.exec(thrown.digest) ?? [];
  const isRedirect = typeof location === 'string' && status >= 300 && status < 400;
  return isRedirect ? new Response(null, { status: Number(status), headers: { location } }) : undefined;
}
