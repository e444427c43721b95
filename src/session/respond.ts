import type { FinishSignInResult, SignInFailure } from './finish-sign-in.js';
import { contentSecurityPolicy, problemPage, type SignInProblem, sentenceOf } from './problem-page.js';
import type { StartSignInResult } from './sign-in.js';
import type { SignOutResult } from './sign-out.js';

/** An answer, in whatever form a framework wants it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** A page, JSON, or nothing. */
  readonly body: string | null;
}

/** What `startSignIn`, `finishSignIn` and `signOut` give. */
export type SignInResult = StartSignInResult | FinishSignInResult | SignOutResult;

/** What `respond` takes besides a result. */
export interface RespondOptions {
  /**
   * Makes the page that people see when they could not be signed in, as HTML; default: a small one in English. Escape what you put
   * into it. Scripts and programs are answered with JSON in either case.
   */
  readonly page?: ((problem: SignInProblem) => string) | undefined;
}

/** What an answer to somebody who could not be signed in depends on besides the reason. */
interface Circumstances {
  readonly retryAfterMs?: number | undefined;
  /** Whether a person reads it. */
  readonly forPerson?: boolean;
  /** Where trying again begins; default: the same address. */
  readonly returnTo?: string;
}

/** Neither the user's doing nor the browser's. */
const ourFault: readonly string[] = [
  'service_refused',
  'invalid_tokens',
  'session_too_large',
] satisfies readonly SignInFailure['reason'][];

/** An answer that says what is wrong: to a person by a page, to anybody else in a word. */
export function problem(
  status: number,
  reason: string,
  headers: Headers,
  { retryAfterMs, forPerson, returnTo = '' }: Circumstances = {},
  { page }: RespondOptions = {},
): Answer {
  headers.set('cache-control', 'no-store');
  if (retryAfterMs !== undefined) headers.set('retry-after', `${Math.max(1, Math.ceil(retryAfterMs / 1000))}`);
  headers.set('content-type', forPerson ? 'text/html; charset=utf-8' : 'application/json');
  if (!forPerson) return { status, headers, body: JSON.stringify({ error: reason }) };
  // A page of the application has a policy of the application.
  if (!page) headers.set('content-security-policy', contentSecurityPolicy);
  const view = { status, reason, sentence: sentenceOf(reason, status), tryAgain: returnTo };
  return { status, headers, body: (page ?? problemPage)(view) };
}

/**
 * The usual answer: the redirect, if there is one; 204 to a prefetch, 401 to a script; 503 with `Retry-After` where the user
 * should load the page again; otherwise 400, 403 or 500 with the reason.
 */
export function answerOf(result: SignInResult, options?: RespondOptions): Answer {
  const { headers } = result;
  if (result.status === 'script') return problem(401, 'unauthorized', headers);
  if (result.status !== 'retry_later' && result.status !== 'failed')
    return { status: result.status === 'prefetch' ? 204 : 302, headers, body: null };
  const { reason } = result;
  const refused = ourFault.includes(reason) ? 500 : reason === 'denied' ? 403 : 400;
  return problem(result.status === 'failed' ? refused : 503, reason, headers, result, options);
}

/**
 * The usual response to what `startSignIn`, `finishSignIn` and `signOut` give: the redirect, if there is one; 204 to a
 * prefetch, 401 to a script; 503 with `Retry-After` where the user should load the page again; otherwise 400, 403 or 500 with the
 * reason. Who opens a page sees a sentence and a link to try again, or what `page` makes; everybody else gets the reason as
 * JSON. Look at `status` first to do something else.
 *
 * @example
 * const finished = await sessions.finishSignIn(request);
 * return respond(finished, { page: ({ reason, tryAgain }) => signInPage(reason, tryAgain) });
 */
export const respond = (result: SignInResult, options?: RespondOptions): Response => {
  const { body, ...init } = answerOf(result, options);
  return new Response(body, init);
};
