// Answers that are not the handler's: to who may not pass, and where it throws a redirect. One piece, which the first of them loads.
import { askerOf } from './asker.js';
import type { RequestLike } from './request.js';

export { badPath, forbidden, refusalOf } from './refusals.js';
export { forRouter } from './router-requests.js';

/**
 * The answer to what frameworks throw to lead elsewhere: an error of Next, whose `digest` says where to; or an object of
 * SvelteKit, whose scripts want another answer than pages.
 */
export function redirectOf(error: unknown, request: RequestLike): Response | undefined {
  const thrown = askerOf(request) === 'script' ? { digest: Object(error).digest } : Object(error);
  const [, location = thrown.location, status = thrown.status] =
    /^NEXT_REDIRECT;\w+;(.+);(30\d);$/.exec(thrown.digest) ?? [];
  const isRedirect = typeof location === 'string' && status >= 300 && status < 400;
  return isRedirect ? new Response(null, { status: Number(status), headers: { location } }) : undefined;
}
