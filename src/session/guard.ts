import { parsedUrl } from '../http/parsed-url.js';
import { returnPath } from '../redirect-uris/return-path.js';
import { askerOf, isForPerson } from './asker.js';
import type { HandleOptions } from './handle.js';
import { again } from './new-proof.js';
import { headerOf, type RequestLike } from './request.js';
import { type Answer, answerOf, problem, type RespondOptions } from './respond.js';
import type { HandleResult } from './results.js';
import type { TokenSession } from './session.js';
import type { Sessions } from './sessions.js';
import type { StartSignInOptions } from './sign-in.js';
import { signedOut } from './signed-out.js';
import type { TokenVerifier } from './token-verifier.js';

/** Of `createSessions`, what it takes to let requests pass; or of `createTokenVerifier`, which knows no cookies. */
export type SessionHandler = TokenVerifier & Partial<Pick<Sessions, 'handle' | 'startSignIn' | 'route'>>;

/**
 * Sessions; or, where one program serves several applications or domains, a function that says whose a request is. Make the
 * sessions of each once, and choose by names that you know: what stands in `Host` is the sender's.
 */
export type SessionChoice<Asked = Request, Handler = SessionHandler> =
  | Handler
  | ((request: Asked) => Handler | Promise<Handler>);

/** What `requireSession` takes. */
export interface RequireSessionOptions extends RespondOptions {
  /**
   * Send browsers that open a page to the sign-in, and back to the page afterwards. Whatever else they ask for, forms and
   * data among it, is answered with 401, as everything is without this option. Who sends a form sees a page with a link back to it.
   */
  readonly signIn?: boolean | Omit<StartSignInOptions, 'returnTo'>;
  /**
   * Let access tokens pass as well, sent as `Authorization: Bearer …` by single-page and mobile applications and by machines. A
   * request that brings one is judged by it alone: its cookie is not looked at, no cookie is set, and it is never sent to
   * the sign-in. Default: only with `createTokenVerifier`.
   */
  readonly bearer?: boolean;
  /**
   * Let only those pass who have proven who they are within so many seconds. Others are challenged as RFC 9470 describes, or, with
   * `signIn`, asked to sign in again. Nobody passes where the service does not say when they did.
   */
  readonly maxAgeSec?: number;
}

/** What `requireRecent` takes. */
export interface RequireRecentOptions extends RequireSessionOptions {
  readonly maxAgeSec: number;
}

/** What `requireRecent` asks of `requireSession`. Without an age nobody passes, rather than everybody. */
export const recently = (options: RequireRecentOptions): RequireSessionOptions => ({
  ...options,
  maxAgeSec: Number(options.maxAgeSec),
});

/** Whether a request may pass. */
export interface Admission {
  /** What its cookie says; nobody where a token was looked at instead. */
  readonly auth: HandleResult;
  /** Whoever may pass. */
  readonly session?: TokenSession;
  /** The answer for who may not. */
  readonly refusal?: Answer;
}

/** Chooses the sessions of a request. */
export const chosenFor = async <Asked, Handler extends object>(
  sessions: SessionChoice<Asked, Handler>,
  request: Asked,
): Promise<Handler> => (typeof sessions === 'function' ? sessions(request) : sessions);

/**
 * Says whether a request may pass.
 *
 * @param path What was asked for, from the root of the site.
 * @param look Checks the cookie.
 */
export async function admission(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  look: () => Promise<HandleResult>,
  { signIn = false, bearer = !sessions.handle, maxAgeSec, page }: RequireSessionOptions = {},
): Promise<Admission> {
  const token = bearer ? bearerIn(request) : undefined;
  const result = token === undefined ? await look() : await sessions.verifyAccessToken(token);
  const auth = 'headers' in result ? result : nobody();
  if (result.status === 'retry_later') {
    const circumstances = { ...result, forPerson: token === undefined && isForPerson(request) };
    return { auth, refusal: problem(503, 'temporarily_unavailable', new Headers(), circumstances, { page }) };
  }
  const { session } = result;
  if (session && (maxAgeSec === undefined || sessions.isRecent(session, maxAgeSec))) return { auth, session };

  if (
    token === undefined &&
    signIn &&
    sessions.startSignIn &&
    (request.method ?? 'GET') === 'GET' &&
    askerOf(request) === 'person'
  ) {
    const more = auth.session ? again(auth.session, maxAgeSec) : {};
    const options = { ...(signIn === true ? {} : signIn), ...more, returnTo: path };
    const started = await sessions.startSignIn(request, options);
    if (started.status === 'redirect') return { auth, refusal: answerOf(started) };
  }
  const reason = session ? 'insufficient_user_authentication' : token ? 'invalid_token' : 'unauthorized';
  const headers = new Headers();
  if (session || bearer) {
    const details = session ? `The user has to sign in again", max_age="${maxAgeSec}` : result.reason;
    // RFC 6750: who brings no token is told no error.
    const error = reason === 'unauthorized' ? '' : ` error="${reason}", error_description="${details}"`;
    headers.set('www-authenticate', `Bearer${error}`);
  }
  // A form of somebody whose session has ended meanwhile. The page that it stands on leads to the sign-in.
  const form = parsedUrl(headerOf(request, 'referer') ?? '');
  const circumstances = {
    forPerson: !!signIn && token === undefined && request.method !== 'GET' && isForPerson(request),
    returnTo: returnPath(form && form.pathname + form.search),
  };
  return { auth, refusal: problem(401, reason, headers, circumstances, { page }) };
}

/** The token in the `Authorization` header; undefined where it holds none of this kind. */
function bearerIn(request: RequestLike): string | undefined {
  const [scheme, token = ''] = /^bearer(?: +(.*))?$/i.exec(headerOf(request, 'authorization') ?? '') ?? [];
  return scheme && token;
}

/** What the cookie of a request says; nobody where cookies are not looked at. */
export const handled = (
  sessions: SessionHandler,
  request: RequestLike,
  options?: HandleOptions,
): Promise<HandleResult> => (sessions.handle ? sessions.handle(request, options) : Promise.resolve(nobody()));

/** What a cookie says that was not looked at. */
export const nobody = (): HandleResult => ({ ...signedOut('no_cookie'), headers: new Headers() });
