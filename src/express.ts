import { type Admitting, accessIn, admit, admitting, handleOnce, sessionIn } from './adapters/handled.js';
import { appendHeaders, type NodeResponse, sendAnswer } from './adapters/node-response.js';
import { chosenFor, recently } from './session/guard.js';
import type {
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './session/guard-options.js';
import { type PassageOptions, passageOf } from './session/passage.js';
import { answerOf, type RespondOptions, type SignInResult } from './session/respond.js';
import type { HandleResult, WithSession } from './session/results.js';
import type { CurrentSession, TokenSession } from './session/session.js';

export type { FieldValue } from './adapters/node-fields.js';
export { appendHeaders, type CookieCarrier, type NodeResponse } from './adapters/node-response.js';
export type {
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './session/guard-options.js';
export type { PassageOptions } from './session/passage.js';
export type { SignInProblem } from './session/problem-page.js';
export type { RespondOptions, SignInResult } from './session/respond.js';
export type { WithSession };

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
 * everybody through but where you `protect`, and answers the sign-in, the callback and the sign-out with `routes`.
 *
 * @example
 * app.use(expressSession(sessions, { protect: ['/account'], routes: true }));
 * app.get('/', (req, res) => res.send(req.auth.session ? `Hello ${req.auth.session.user.email}` : 'Hello'));
 */
export const expressSession = (
  sessions: SessionChoice<ExpressRequest>,
  options: PassageOptions = {},
): ExpressMiddleware => passing(sessions, passageOf('expressSession', options));

/**
 * Create middleware that lets only users through who are signed in. Others get 401, or are sent to the sign-in if `signIn` is
 * set. While nobody can tell, the answer is 503 with `Retry-After`, and the session stays.
 *
 * @example
 * app.get('/me', requireSession(sessions), (req, res) => res.json(sessionOf(req).user));
 */
export const requireSession = (
  sessions: SessionChoice<ExpressRequest>,
  options?: RequireSessionOptions,
): ExpressMiddleware => passing(sessions, admitting(options));

/**
 * Create middleware that lets only users through who have proven who they are within so many seconds: `requireSession` with
 * `maxAgeSec`, for what must not happen in a session that somebody left open.
 *
 * @example
 * app.post('/password', requireRecent(sessions, { maxAgeSec: 300 }), changePassword);
 */
export const requireRecent = (
  sessions: SessionChoice<ExpressRequest>,
  options: RequireRecentOptions,
): ExpressMiddleware => requireSession(sessions, recently(options));

/** Get the session behind `requireSession`. @throws {SallyportError} `no_session`: nobody is signed in. */
export const sessionOf = (request: { readonly auth?: HandleResult }): CurrentSession => sessionIn(request.auth);

/**
 * Get the session behind `requireSession` with `bearer`, whether a cookie or an access token let the request pass. A token says
 * who the user is by `userId` alone.
 *
 * @throws {SallyportError} `no_session`: nobody is signed in.
 */
export const accessOf = (request: { readonly auth?: HandleResult }): TokenSession => accessIn(request, request.auth);

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

/** Middleware that lets those requests through that are admitted. */
const passing =
  (sessions: SessionChoice<ExpressRequest>, admits: Admitting): ExpressMiddleware =>
  (request, response, next) => {
    const passes = async (): Promise<boolean> => {
      const chosen = await chosenFor(sessions, request);
      const { method, headers, originalUrl, url = '/' } = request;
      const asked = { method, headers, url: originalUrl ?? url };
      const admitted = await admits(chosen, asked, () => look(chosen, request, response));
      if (admitted.refusal) sendAnswer(response, admitted.refusal);
      else request.auth = admit(request, admitted);
      return !admitted.refusal;
    };
    passes().then((passed) => passed && next(), next);
  };

async function look(sessions: SessionHandler, request: ExpressRequest, response: NodeResponse): Promise<HandleResult> {
  const { auth, first } = await handleOnce(sessions, request, request);
  request.auth = auth;
  // Now, before any handler: one that streams has sent its headers by the time it is done.
  if (first) appendHeaders(response, auth.headers);
  return auth;
}
