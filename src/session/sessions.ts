import { isMissing } from '../http/environment.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { withAllNames } from './cookies.js';
import type { FinishSignInResult } from './finish-sign-in.js';
import { type HandleOptions, handle } from './handle.js';
import type { SessionReader } from './reader.js';
import { headerOf, type RequestLike } from './request.js';
import type { SignInResult } from './respond.js';
import type { HandleResult } from './results.js';
import { route, type SessionRoutes } from './routes.js';
import { sealedFrom } from './sealed-session.js';
import { type SessionContext, sessionContext, sessionCookies } from './session-context.js';
import { checkSessionsOptions, type SessionsOptions } from './sessions-options.js';
import type { StartSignInOptions, StartSignInResult } from './sign-in.js';
import type { SignOutOptions, SignOutResult } from './sign-out.js';
import type { SwitchOrganizationResult } from './switch-organization.js';

export type { HandleResult } from './results.js';

/** The sessions of an application. */
export interface Sessions extends SessionReader {
  /**
   * Find out who is signed in: check the cookie, and refresh the session when it is due. For middleware. Always append `headers`
   * to the response. An outage of the service never signs users out: the status is `retry_later`, and the cookie is kept.
   *
   * Parallel refreshes are safe. Requests share one refresh, late requests with the old cookie get its result, and replicas send
   * the same idempotency key, so that the service returns the same tokens to all of them.
   */
  handle(request: RequestLike, options?: HandleOptions): Promise<HandleResult>;
  /**
   * Create the cookies of a new session, as `Set-Cookie` values, from tokens returned by the client. Also pass the request, so
   * that leftovers of an earlier session are cleared. Send the response with `Cache-Control: no-store`.
   *
   * @throws {SallyportError} `session_too_large`: the session does not fit into cookies; the message names its largest fields.
   */
  create(tokens: AuthenticationResponse, request?: RequestLike): Promise<readonly string[]>;
  /**
   * Switch the session to another of the user's organizations. The status is `refreshed` on success, or `refused` with the
   * requirement of the organization. If a single-page application holds the tokens, use `switchOrganization` of
   * `sallyport/browser`.
   */
  switchOrganization(request: RequestLike, organizationId: string): Promise<SwitchOrganizationResult>;
  /** Get new tokens now, for example after the user was given a role. `handle` refreshes by itself whenever tokens are due. */
  refresh(request: RequestLike): Promise<SwitchOrganizationResult>;
  /**
   * Start a sign-in. Returns the URL to send the user to, and a cookie that remembers the sign-in for ten minutes.
   *
   * @throws {InvalidArgumentError} Several of `provider`, `connectionId` and `organizationId` are given.
   * @throws {ConfigurationError} `redirectUri` is missing.
   */
  startSignIn(request: RequestLike, options?: StartSignInOptions): Promise<StartSignInResult>;
  /** Finish a sign-in at the redirect URI: redeem the code and seal the session. Never throws for an invalid request. */
  finishSignIn(request: RequestLike): Promise<FinishSignInResult>;
  /**
   * End the session. Returns the URL to send the user to, and the cookies to clear. Use a form with POST for your route: other
   * sites could link to a GET route and sign users out.
   *
   * @throws {InvalidArgumentError} `returnTo` is not an absolute URL.
   */
  signOut(request: RequestLike, options?: SignOutOptions): Promise<SignOutResult>;
  /**
   * Handle a request to the sign-in, the callback or the sign-out, and return the result of `startSignIn`, `finishSignIn` or
   * `signOut` for `respond`. Returns undefined for other paths. `withSession` calls this with `routes: true`.
   *
   * @throws {InvalidArgumentError} `afterSignOut` is not an absolute URL.
   * @throws {ConfigurationError} `redirectUri` is missing.
   */
  route(request: RequestLike, routes?: SessionRoutes): Promise<SignInResult | undefined>;
}

/**
 * Create the sessions of an application, stored in a sealed cookie. For Node, Deno, Bun and workers.
 *
 * A missing option is reported at first use, because frameworks load your modules during the build, without the environment of the
 * server.
 *
 * @throws {ConfigurationError} An option is wrong, such as a password shorter than 32 characters.
 * @example
 * const sessions = createSessions({ cookiePassword, clientId, apiKey, baseUrl });
 *
 * const { status, session, headers } = await sessions.handle(request);
 * if (status === 'retry_later') return new Response(null, { status: 503, headers });
 * if (!session) return new Response(null, { status: 401, headers });
 * return Response.json({ hello: session.user.firstName }, { headers });
 */
export function createSessions(options: SessionsOptions = {}): Sessions {
  checkSessionsOptions(options);
  let cached: SessionContext | undefined;
  const context = (): SessionContext => {
    cached ??= sessionContext(options);
    return cached;
  };
  // A bundler with code splitting puts this in its own chunk.
  const loadChanges = () => import('./session-changes.js');
  try {
    context();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return {
    read: async (cookieHeader) => context().opener.reader.read(cookieHeader),
    verifyAccessToken: async (token) => context().opener.reader.verifyAccessToken(token),
    isRecent: (session, maxAgeMs) => context().opener.reader.isRecent(session, maxAgeMs),
    handle: async (request, handleOptions) => handle(context(), request, handleOptions),
    create: async (tokens, request) =>
      sessionCookies(
        context(),
        sealedFrom(tokens),
        request ? headerOf(request, 'cookie') : withAllNames(undefined, context().cookie),
      ),
    switchOrganization: async (request, organizationId) =>
      (await loadChanges()).switchOrganization(context(), request, organizationId),
    refresh: async (request) => (await loadChanges()).switchOrganization(context(), request),
    startSignIn: async (request, signInOptions) => (await loadChanges()).startSignIn(context(), request, signInOptions),
    finishSignIn: async (request) => (await loadChanges()).finishSignIn(context(), request),
    signOut: async (request, signOutOptions) => (await loadChanges()).signOut(context(), request, signOutOptions),
    route: async (request, routes) => route(context(), request, routes),
  };
}
