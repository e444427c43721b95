import { handleOnce, type SessionHandler, sessionIn, type WithSession } from './adapters/handled.js';
import { appendHeaders, type NodeResponse, sendAnswer } from './adapters/node-response.js';
import { type RequireSessionOptions, refusalOf } from './adapters/refusal.js';
import { answerOf, type RespondOptions, type SignInResult } from './session/respond.js';
import type { HandleResult } from './session/results.js';
import type { CurrentSession } from './session/session.js';

export type { FieldValue } from './adapters/node-fields.js';
export { appendHeaders, type CookieCarrier, type NodeResponse } from './adapters/node-response.js';
export type { RequireSessionOptions } from './adapters/refusal.js';
export type { SignInProblem } from './session/problem-page.js';
export type { RespondOptions, SignInResult } from './session/respond.js';
export type { SessionHandler, WithSession };

declare global {
  namespace Express {
    interface Request extends WithSession {}
  }
}

/** Of Express's request, which is Node's with a little more, what is used here. */
export interface ExpressRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Where Express keeps the address while a router shortens `url`. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  auth?: HandleResult;
}

/** A middleware of Express 4 and 5. */
export type ExpressMiddleware = (
  request: ExpressRequest,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Create middleware that says who is signed in: it sets `req.auth` and adds the cookies that keep the session going. It lets
 * everybody through, unlike `requireSession`.
 *
 * @example
 * app.use(expressSession(sessions));
 * app.get('/', (req, res) => res.send(req.auth.session ? `Hello ${req.auth.session.user.email}` : 'Hello'));
 */
export const expressSession =
  (sessions: SessionHandler): ExpressMiddleware =>
  (request, response, next) => {
    look(sessions, request, response).then(() => next(), next);
  };

/**
 * Create middleware that lets only users through who are signed in. Others get 401, or are sent to the sign-in if `signIn` is
 * set. While nobody can tell, the answer is 503 with `Retry-After`, and the session stays.
 *
 * @example
 * app.get('/me', requireSession(sessions), (req, res) => res.json(sessionOf(req).user));
 */
export const requireSession =
  (sessions: SessionHandler, options?: RequireSessionOptions): ExpressMiddleware =>
  (request, response, next) => {
    const refused = async (): Promise<boolean> => {
      const auth = await look(sessions, request, response);
      const refusal = await refusalOf(sessions, auth, request, request.originalUrl ?? request.url ?? '/', options);
      if (!refusal) return false;
      sendAnswer(response, refusal);
      return true;
    };
    refused().then((done) => done || next(), next);
  };

/** Get the session behind `requireSession`. @throws {SallyportError} `no_session`: nobody is signed in. */
export const sessionOf = (request: { readonly auth?: HandleResult }): CurrentSession => sessionIn(request.auth);

/**
 * Answers with what `startSignIn`, `finishSignIn` or `signOut` gave: the redirect, if there is one; 204 to a prefetch, 401 to a
 * script; 503 with `Retry-After` where the user should load the page again; otherwise 400, 403 or 500 with the reason. Who
 * opens a page sees a sentence and a link to try again, or what `page` makes; everybody else gets the reason as JSON. Look at
 * `status` first to do something else.
 *
 * @example
 * app.get('/callback', async (req, res) => respond(res, await sessions.finishSignIn(req)));
 */
export const respond = (response: NodeResponse, result: SignInResult, options?: RespondOptions): void =>
  sendAnswer(response, answerOf(result, options));

async function look(sessions: SessionHandler, request: ExpressRequest, response: NodeResponse): Promise<HandleResult> {
  const { auth, first } = await handleOnce(sessions, request, request);
  request.auth = auth;
  // Now, before any handler: one that streams has sent its headers by the time it is done.
  if (first) appendHeaders(response, auth.headers);
  return auth;
}
