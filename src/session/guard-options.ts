import type { OptionNames } from '../errors/known-options.js';
import type { Answer, RespondOptions } from './respond.js';
import type { HandleResult } from './results.js';
import type { TokenSession } from './session.js';
import type { Sessions } from './sessions.js';
import type { StartSignInOptions } from './sign-in.js';
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
   * Accept access tokens of users as well, sent as `Authorization: Bearer …` by single-page and mobile applications. If a request has
   * one, its cookie is ignored, no cookie is set, and the browser is never sent to the sign-in. Tokens of machines have no session
   * and are refused. Default: true with `createTokenVerifier`, otherwise false.
   */
  readonly bearer?: boolean;
  /**
   * Let only those pass who have proven who they are within so many seconds. Others are challenged as RFC 9470 describes, or, with
   * `signIn`, asked to sign in again. Nobody passes where the service does not say when they did.
   */
  readonly maxAgeSec?: number;
}

/** The names of these options. */
export const guardOptionNames: OptionNames<RequireSessionOptions> = { signIn: 1, bearer: 1, maxAgeSec: 1, page: 1 };

/** What `requireRecent` takes. */
export interface RequireRecentOptions extends RequireSessionOptions {
  readonly maxAgeSec: number;
}

/** Whether a request may pass. */
export interface Admission {
  /** What its cookie says; nobody where a token was looked at instead. */
  readonly auth: HandleResult;
  /** Whoever may pass. */
  readonly session?: TokenSession;
  /** The answer for who may not. */
  readonly refusal?: Answer;
}
