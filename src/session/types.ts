import type { AuthenticationResponse } from '../service/authentication.js';
import type { AccessTokenResult } from './handle/access-token.js';
import type { HandleOptions } from './handle/handle.js';
import type { SessionReader } from './read/reader.js';
import type { HandleResult } from './refresh/results.js';
import type { RequestLike } from './request/request.js';
import type { FinishSignInResult } from './sign-in/finish-sign-in.js';
import type { CrossOriginOptions } from './sign-in/request-origin.js';
import type { RouteResult } from './sign-in/respond.js';
import type { SessionRoutes } from './sign-in/session-routes.js';
import type { StartSignInOptions, StartSignInResult } from './sign-in/sign-in.js';
import type { SignOutOptions, SignOutResult } from './sign-in/sign-out.js';
import type { SwitchOrganizationResult } from './sign-in/switch-organization.js';

/** The sessions of an application. */
export interface Sessions extends SessionReader {
  /**
   * Find out who is signed in: check the cookie, and refresh the session when it is due. For middleware. Always append `headers`
   * to the response. In an outage of the service, a session whose token has ended is `retry_later`, and its cookie is kept. A
   * service that ignores idempotency keys can end a session whose refresh got no answer.
   *
   * Requests share one refresh, and late requests with the old cookie get its result. Replicas send the same idempotency key, so that
   * a service that honors it returns the same tokens to all of them. For other services, pass `refresh.store`.
   */
  handle(request: RequestLike, options?: HandleOptions): Promise<HandleResult>;
  /**
   * Get the access token of the session, to call your own back end for the user. It is refreshed when it is due, like in `handle`,
   * and shares that refresh. Call `handle` with the same request object before, or append `headers` to the response.
   *
   * @example
   * const { status, accessToken, headers } = await sessions.accessToken(request);
   * if (accessToken) await fetch(ordersUrl, { headers: { authorization: `Bearer ${accessToken}` } });
   */
  accessToken(request: RequestLike): Promise<AccessTokenResult>;
  /**
   * Create the cookies of a new session, as `Set-Cookie` values, from tokens returned by the client. Also pass the request, so
   * that leftovers of an earlier session are cleared. Send the response with `Cache-Control: no-store`.
   *
   * @throws {SallyportError} `session_too_large`: its cookies would have more than 10,000 bytes; the message names its largest fields.
   */
  create(tokens: AuthenticationResponse, request?: RequestLike): Promise<readonly string[]>;
  /**
   * Switch the session to another of the user's organizations. The status is `refreshed` on success, or `refused` with the
   * requirement of the organization. If a single-page application holds the tokens, use `switchOrganization` of
   * `sallyport/browser`.
   */
  switchOrganization(request: RequestLike, organizationId: string): Promise<SwitchOrganizationResult>;
  /** Get new tokens now, for example after the user was given a role. `handle` refreshes by itself whenever tokens are due. */
  refresh(request: RequestLike): Promise<HandleResult>;
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
   * End every session in the cookies, also at the service. Returns the URL to send the user to, and the cookies to clear. If the
   * service does not answer within two seconds, `onProblem` is called and the cookies are cleared all the same. Use a form with POST
   * for your route: other sites could link to a GET route and sign users out.
   *
   * @throws {InvalidArgumentError} `returnTo` is not an absolute URL.
   */
  signOut(request: RequestLike, options?: SignOutOptions): Promise<SignOutResult>;
  /**
   * Handle a request to the sign-in, the callback, the sign-out or the access token, and return the result for `respond`. Returns
   * undefined for other paths. `withSession` calls this with `routes: true`. A page of another origin cannot sign the user out, unless
   * `origins` names it.
   *
   * @throws {InvalidArgumentError} `afterSignOut` is not an absolute URL.
   * @throws {ConfigurationError} `redirectUri` is missing.
   */
  route(request: RequestLike, routes?: SessionRoutes, options?: CrossOriginOptions): Promise<RouteResult | undefined>;
  /**
   * Whether a page of another origin sent a request that may change something with the session of the user: a method other than GET,
   * HEAD and OPTIONS, or a WebSocket, with the session cookie and without a bearer token. Answer 403. `csrf: true` of the middleware
   * does so for all requests.
   *
   * `Sec-Fetch-Site` decides if the browser sends it. Otherwise `Origin` must be that of the request or of the redirect URI. A request
   * without both headers comes from a program.
   */
  isCrossOrigin(request: RequestLike, options?: CrossOriginOptions): Promise<boolean>;
}
