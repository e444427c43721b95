import { isMissing } from '../http/environment.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { everySpelling } from './cookies.js';
import type { FinishSignInResult } from './finish-sign-in.js';
import { type HandleOptions, handle } from './handle.js';
import { type SessionKit, sessionCookies, sessionKit } from './kit.js';
import type { SessionReader } from './reader.js';
import { headerOf, type RequestLike } from './request.js';
import type { SignInResult } from './respond.js';
import type { HandleResult } from './results.js';
import { route, type SessionRoutes } from './routes.js';
import { sealedFrom } from './sealed-session.js';
import { checkSessionsOptions, type SessionsOptions } from './sessions-options.js';
import type { StartSignInOptions, StartSignInResult } from './sign-in.js';
import type { SignOutOptions, SignOutResult } from './sign-out.js';
import type { SwitchOrganizationResult } from './switch-organization.js';

export type { HandleResult } from './results.js';

/** Everything that a server does with sessions. */
export interface Sessions extends SessionReader {
  /**
   * Find out who is signed in: check the cookie and refresh the session when it is due. For middleware. Append
   * `headers` to the response whatever the status. An outage of the service never signs anyone out: the status is
   * then `retry_later`, and the cookie stays.
   *
   * Requests may refresh at the same time: parallel requests share one refresh, requests that come late with the old
   * cookie get its result, and replicas send the same idempotency key, so that the service gives all of them the same
   * tokens.
   */
  handle(request: RequestLike, options?: HandleOptions): Promise<HandleResult>;
  /**
   * Create the cookies of a new session, as `Set-Cookie` values, from tokens that a method of the client returned.
   * Pass the request too, so that what an earlier session has left in the browser is cleared. Send the response with
   * `Cache-Control: no-store`.
   *
   * @throws {SallyportError} `session_too_large`: the session does not fit into cookies; the message names its heaviest
   * fields.
   */
  create(tokens: AuthenticationResponse, request?: RequestLike): Promise<readonly string[]>;
  /**
   * Move the session to another organization of the user. The status is `refreshed` once that is done, or `refused`
   * with what the organization requires first.
   */
  switchOrganization(request: RequestLike, organizationId: string): Promise<SwitchOrganizationResult>;
  /**
   * Get new tokens now, however long the old ones still work: after the user was given a role, say. What else there is to
   * refresh, `handle` refreshes.
   */
  refresh(request: RequestLike): Promise<SwitchOrganizationResult>;
  /**
   * Start a sign-in: returns where to send the user, and the cookie that remembers the sign-in for ten minutes.
   *
   * @throws {InvalidArgumentError} Several of `provider`, `connectionId` and `organizationId` are given.
   * @throws {ConfigurationError} `redirectUri` is missing.
   */
  startSignIn(request: RequestLike, options?: StartSignInOptions): Promise<StartSignInResult>;
  /** Finish a sign-in at the redirect URI: redeem the code and seal the session. Any request is safe to pass. */
  finishSignIn(request: RequestLike): Promise<FinishSignInResult>;
  /**
   * End the session: returns where to send the user, and the cookies to clear. Have a form post to your route: a link
   * could be followed from other sites, which would sign your users out.
   *
   * @throws {InvalidArgumentError} `returnTo` is not an absolute address.
   */
  signOut(request: RequestLike, options?: SignOutOptions): Promise<SignOutResult>;
  /**
   * Answer what is asked of the sign-in, the callback and the sign-out: what `startSignIn`, `finishSignIn` or `signOut` gives, for
   * `respond`; undefined for every other path. `withSession` does so with `routes: true`.
   *
   * @throws {InvalidArgumentError} `afterSignOut` is not an absolute address.
   * @throws {ConfigurationError} `redirectUri` is missing.
   */
  route(request: RequestLike, routes?: SessionRoutes): Promise<SignInResult | undefined>;
}

/**
 * Create the sessions of an application, kept in a sealed cookie, for servers on Node, Deno, Bun and workers.
 *
 * An option that is neither given nor in the environment is asked for at the first use, for frameworks load your modules while they
 * build, where the environment is another one.
 *
 * @throws {ConfigurationError} An option is wrong, such as a password shorter than 32 characters.
 * @example
 * const sessions = createSessions({ password, clientId, apiKey, baseUrl });
 *
 * const { status, session, headers } = await sessions.handle(request);
 * if (status === 'retry_later') return new Response(null, { status: 503, headers });
 * if (!session) return new Response(null, { status: 401, headers });
 * return Response.json({ hello: session.user.firstName }, { headers });
 */
export function createSessions(options: SessionsOptions = {}): Sessions {
  checkSessionsOptions(options);
  let made: SessionKit | undefined;
  const kit = (): SessionKit => {
    made ??= sessionKit(options);
    return made;
  };
  // A bundler that splits code keeps it apart.
  const changes = () => import('./changes.js');
  try {
    kit();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return {
    read: async (cookieHeader) => kit().opener.reader.read(cookieHeader),
    verifyAccessToken: async (token) => kit().opener.reader.verifyAccessToken(token),
    isRecent: (session, maxAgeSec) => kit().opener.reader.isRecent(session, maxAgeSec),
    handle: async (request, handleOptions) => handle(kit(), request, handleOptions),
    create: async (tokens, request) =>
      sessionCookies(
        kit(),
        sealedFrom(tokens),
        request ? headerOf(request, 'cookie') : everySpelling(undefined, kit().cookie),
      ),
    switchOrganization: async (request, organizationId) =>
      (await changes()).switchOrganization(kit(), request, organizationId),
    refresh: async (request) => (await changes()).switchOrganization(kit(), request),
    startSignIn: async (request, signInOptions) => (await changes()).startSignIn(kit(), request, signInOptions),
    finishSignIn: async (request) => (await changes()).finishSignIn(kit(), request),
    signOut: async (request, signOutOptions) => (await changes()).signOut(kit(), request, signOutOptions),
    route: async (request, routes) => route(kit(), request, routes),
  };
}
