import { parsedUrl } from '../../http/parsed-url.js';
import type { RequestLike } from '../request/request.js';
import { wantsPage } from '../request/request-kind.js';
import { contentSecurityPolicy, onwardPage, problemPage, problemSentence, type SignInProblem } from './error-page.js';
import type { FinishSignInResult, SignInFailure } from './finish-sign-in.js';
import type { StartSignInResult } from './sign-in.js';
import type { SignOutResult } from './sign-out.js';

/** A response, for any framework. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** An HTML page, JSON, or null. */
  readonly body: string | null;
}

/** Create the result for a request that a page of another origin sent. */
export const crossOriginResult = (request: RequestLike): CrossOriginResult => ({
  status: 'cross_origin',
  returnTo: request.basePath || '/',
  forPerson: wantsPage(request),
  headers: new Headers(),
});

/** The response of the route that gives pages their access token. */
export interface AccessTokenResponse {
  readonly status: 'access_token';
  /**
   * 200 with the token; 401 if the user is not signed in; 403 if the request may not have it; 503 if the session cannot be checked.
   */
  readonly statusCode: number;
  readonly headers: Headers;
  /** JSON. Not enumerable, because it may contain the token. */
  readonly body: string;
}

/** The response of the route that gives pages their session. */
export interface SessionResponse {
  readonly status: 'session';
  /**
   * 200 with the session; 401 if the user is not signed in; 403 if the request may not have it; 503 if the session cannot be checked.
   */
  readonly statusCode: number;
  readonly headers: Headers;
  /** JSON, or null for a HEAD request. Not enumerable, because it contains the user. */
  readonly body: string | null;
}

/** The result for a request that a page of another origin sent: a sign-out, for `route`. The session is kept. */
export interface CrossOriginResult {
  readonly status: 'cross_origin';
  /** The home page, for the link of an error page. */
  readonly returnTo: string;
  /** Whether the browser is opening a page, so that a user will see the response. */
  readonly forPerson: boolean;
  readonly headers: Headers;
}

/** Result of `route`: of `startSignIn`, `finishSignIn` or `signOut`, a refused sign-out, or the response with the session or an access token. */
export type RouteResult =
  | StartSignInResult
  | FinishSignInResult
  | SignOutResult
  | CrossOriginResult
  | SessionResponse
  | AccessTokenResponse;

/** Options of `respond`. */
export interface RespondOptions {
  /**
   * Create the error page for users, as HTML; default: a small one in English. Escape the values you insert. Scripts and programs
   * always get JSON.
   */
  readonly page?: ((problem: SignInProblem) => string) | undefined;
}

/** The details of an error response, besides its reason. */
interface ErrorDetails {
  readonly retryAfterMs?: number | undefined;
  /** Whether a user will see the response. */
  readonly forPerson?: boolean;
  /** Target of the link to try again; default: the same page. */
  readonly returnTo?: string;
  /** Code of `onSignedIn` if it denied the user. */
  readonly code?: string;
}

/** Reasons that neither the user nor the browser causes. */
const serverFaults: readonly string[] = [
  'service_refused',
  'invalid_tokens',
  'session_too_large',
  'hook_failed',
] satisfies readonly SignInFailure['reason'][];

/** Create a JSON response that no cache stores. */
export function jsonAnswer(status: number, content: object, headers: Headers): Answer {
  headers.set('cache-control', 'no-store');
  headers.set('content-type', 'application/json');
  return { status, headers, body: JSON.stringify(content) };
}

/** Create an error response: a page for users, JSON for other clients. */
export function errorAnswer(
  status: number,
  reason: string,
  headers: Headers,
  { retryAfterMs, forPerson, returnTo = '', code }: ErrorDetails = {},
  { page }: RespondOptions = {},
): Answer {
  const answer = jsonAnswer(status, { error: reason, code }, headers);
  if (retryAfterMs !== undefined) headers.set('retry-after', `${Math.max(1, Math.ceil(retryAfterMs / 1000))}`);
  if (!forPerson) return answer;
  const view = { status, reason, sentence: problemSentence(reason, status), tryAgain: returnTo, code };
  const pageOfApplication = page?.(view);
  if (pageOfApplication === undefined) return pageAnswer(status, headers, problemPage(view));
  // The content security policy of this page is up to the application.
  headers.set('content-type', html);
  return { status, headers, body: pageOfApplication };
}

const html = 'text/html; charset=utf-8';

function pageAnswer(status: number, headers: Headers, body: string): Answer {
  headers.set('content-type', html);
  headers.set('content-security-policy', contentSecurityPolicy);
  return { status, headers, body };
}

/**
 * Create the response parts for a result: a redirect, or a page that leads on; 204 for a prefetch; 401 for a script; 503 with
 * `Retry-After` if the user should reload the page; otherwise 400, 403 or 500.
 */
export function answerOf(result: RouteResult, options?: RespondOptions): Answer {
  const { headers } = result;
  if ('statusCode' in result) return { status: result.statusCode, headers, body: result.body };
  if (result.status === 'script') return errorAnswer(401, 'unauthorized', headers);
  if (result.status === 'cross_origin') return errorAnswer(403, 'cross_origin', headers, result, options);
  if (headers.has('refresh') && 'returnTo' in result) return pageAnswer(200, headers, onwardPage(result.returnTo));
  if (result.status !== 'retry_later' && result.status !== 'failed')
    return { status: result.status === 'prefetch' ? 204 : 302, headers, body: null };
  const { reason } = result;
  const isRefused = reason === 'denied' || reason === 'not_allowed';
  const failureStatus = serverFaults.includes(reason) ? 500 : isRefused ? 403 : 400;
  return errorAnswer(result.status === 'failed' ? failureStatus : 503, reason, headers, result, options);
}

/**
 * Replace the redirect after a form by a page that leads on, if a content security policy of the application has a `form-action` that does
 * not name its target. Browsers would block the redirect, and the user would see nothing.
 *
 * @param policies The policies of the response, as text or as a list.
 */
export function afterForm(answer: Answer, request: RequestLike | undefined, policies: unknown): Answer {
  const { status, headers } = answer;
  const target = parsedUrl(headers.get('location') ?? '');
  const isForm = request?.method === 'POST' && wantsPage(request);
  if (!isForm || status !== 302 || !target) return answer;
  const directives = [policies].flat().join(',').split(/[;,]/);
  const lists = directives
    .map((one) => one.trim().split(/\s+/))
    .filter(([name]) => name?.toLowerCase() === 'form-action');
  if (lists.every((list) => list.includes(target.origin))) return answer;
  headers.delete('location');
  headers.set('referrer-policy', 'no-referrer');
  return pageAnswer(200, headers, onwardPage(target.href));
}

/**
 * Create the response for a result of `startSignIn`, `finishSignIn` or `signOut`: a redirect, if there is one; 204 for a
 * prefetch; 401 for a script; 503 with `Retry-After` if the user should reload the page; otherwise 400, 403 or 500. A user who
 * opens a page sees a short message with a link to try again, or your own `page`. Other clients get the reason as JSON. To
 * respond differently, check `status` first.
 *
 * @example
 * const finished = await sessions.finishSignIn(request);
 * return respond(finished, { page: ({ reason, tryAgain }) => signInPage(reason, tryAgain) });
 */
export const respond = (result: RouteResult, options?: RespondOptions): Response => {
  const { body, ...init } = answerOf(result, options);
  return new Response(body, init);
};
