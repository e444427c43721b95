import type { FinishSignInResult, SignInFailure } from './finish-sign-in.js';
import type { StartSignInResult } from './sign-in.js';
import type { SignOutResult } from './sign-out.js';

/** An answer, in whatever form a framework wants it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, or nothing. */
  readonly body: string | null;
}

/** What `startSignIn`, `finishSignIn` and `signOut` give. */
export type SignInResult = StartSignInResult | FinishSignInResult | SignOutResult;

/** Neither the user's doing nor the browser's. */
const ourFault: readonly SignInFailure['reason'][] = ['service_refused', 'invalid_tokens', 'session_too_large'];

/** An answer that says what is wrong, in a word. */
export const problem = (status: number, error: string, headers: Headers, retryAfterMs?: number): Answer => {
  headers.set('content-type', 'application/json');
  headers.set('cache-control', 'no-store');
  if (retryAfterMs !== undefined) headers.set('retry-after', `${Math.max(1, Math.ceil(retryAfterMs / 1000))}`);
  return { status, headers, body: JSON.stringify({ error }) };
};

/**
 * The usual answer: the redirect, if there is one; 204 to a prefetch; 503 with `Retry-After` where the user should load the
 * page again; otherwise 400, 403 or 500 with the reason as JSON.
 */
export function answerOf(result: SignInResult): Answer {
  const { headers } = result;
  switch (result.status) {
    case 'prefetch':
      return { status: 204, headers, body: null };
    case 'retry_later':
      return problem(503, result.reason, headers, result.retryAfterMs);
    case 'failed': {
      const status = ourFault.includes(result.reason) ? 500 : result.reason === 'denied' ? 403 : 400;
      return problem(status, result.reason, headers);
    }
    default:
      return { status: 302, headers, body: null };
  }
}

/**
 * The usual response to what `startSignIn`, `finishSignIn` and `signOut` give: the redirect, if there is one; 204 to a
 * prefetch; 503 with `Retry-After` where the user should load the page again; otherwise 400, 403 or 500 with the reason as
 * JSON. Look at `status` first to show a page of yours instead.
 *
 * @example
 * const finished = await sessions.finishSignIn(request);
 * return finished.status === 'failed' ? signInPage(finished.reason) : respond(finished);
 */
export const respond = (result: SignInResult): Response => {
  const { body, ...init } = answerOf(result);
  return new Response(body, init);
};
