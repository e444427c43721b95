import type { OptionNames } from '../../errors/known-options.js';
import { checkBoolean, checkBooleanOrObject, checkedAge, checkObject } from '../../errors/option-values.js';
import type { TokenSession } from '../read/session.js';
import type { TokenSignedOutReason, TokenVerifier } from '../read/token-verifier.js';
import type { HandleResult, RetryReason, SessionEnd } from '../refresh/results.js';
import type { Answer, RespondOptions } from '../sign-in/respond.js';
import type { StartSignInOptions } from '../sign-in/sign-in.js';
import type { Sessions } from '../types.js';

/** The parts of `Sessions` that middleware uses, or a `TokenVerifier`, which ignores cookies. */
export type SessionHandler = TokenVerifier &
  Partial<Pick<Sessions, 'handle' | 'startSignIn' | 'route' | 'isCrossOrigin'>>;

/**
 * Sessions, or a function that chooses them for each request if one program serves several applications or domains. Create the
 * sessions of each application once. Compare `Host` with names you know, because the sender controls it.
 */
export type SessionChoice<Incoming = Request, Handler = SessionHandler> =
  | Handler
  | ((request: Incoming) => Handler | Promise<Handler>);

/** Options of `requireSession`. */
export interface RequireSessionOptions extends RespondOptions {
  /**
   * Redirect browsers that open a page to the sign-in, and back afterwards. All other requests, including forms and data, still
   * get 401. A user who submits a form sees a page with a link back to it.
   */
  readonly signIn?: boolean | Omit<StartSignInOptions, 'returnTo'>;
  /**
   * Also accept access tokens of users, sent as `Authorization: Bearer …` by single-page and mobile applications. If a request has
   * one, its cookie is ignored, no cookie is set, and it is never redirected to the sign-in. Machine tokens have no session and
   * are refused. Default: true with `createTokenVerifier`, otherwise false.
   */
  readonly bearer?: boolean;
  /**
   * Maximum time since the user authenticated, in milliseconds. Users who authenticated earlier get a challenge (RFC 9470), or must
   * sign in again if `signIn` is set. No user passes if the service does not report this time.
   */
  readonly maxAgeMs?: number;
}

const guardOptionNames: OptionNames<RequireSessionOptions> = { signIn: 1, bearer: 1, maxAgeMs: 1, page: 1 };

/** Check the options of `requireSession`, and copy them, so that later changes have no effect. @throws {ConfigurationError} */
export function checkedGuardOptions(given: RequireSessionOptions | undefined): RequireSessionOptions {
  checkObject('requireSession', given, guardOptionNames);
  const options = { ...given };
  const { signIn, bearer, maxAgeMs } = options;
  checkBooleanOrObject('signIn', signIn);
  checkBoolean('bearer', bearer);
  if (maxAgeMs !== undefined) checkedAge('maxAgeMs', maxAgeMs);
  return options;
}

/** Check the options of `requireRecent`, whose age is required. @throws {ConfigurationError} `invalid_option`. */
export function recentSessionOptions(given: RequireRecentOptions): RequireSessionOptions {
  const options = checkedGuardOptions(given);
  checkedAge('maxAgeMs', options.maxAgeMs);
  return options;
}

/** Options of `requireRecent`. */
export interface RequireRecentOptions extends RequireSessionOptions {
  readonly maxAgeMs: number;
}

/**
 * Message of the diagnostics channel `sallyport:session:refusal`: middleware or `requireSession` has refused a request.
 */
export interface SessionRefusalRecord {
  /**
   * Reason of the result for the cookie or token. `insufficient_user_authentication`: the user authenticated too long ago. `forbidden`:
   * a permission is missing. `bad_path`: routers could read the path in several ways. `cross_origin`: a page of another origin sent
   * the request.
   */
  readonly reason:
    | SessionEnd
    | TokenSignedOutReason
    | RetryReason
    | 'insufficient_user_authentication'
    | 'forbidden'
    | 'bad_path'
    | 'cross_origin';
  /** First path in the options of the middleware that applies, in lower case, such as `/account`. Never the path of the request. */
  readonly path: string | undefined;
}

/** The decision about a request. */
export interface Admission {
  /** Result for the cookie; `no_cookie` if a token was checked instead. */
  readonly auth: HandleResult;
  /** The session, if the request may pass. */
  readonly session?: TokenSession;
  /** The response, if the request may not pass. */
  readonly refusal?: Answer;
}
