import type { AuthenticationResponse } from '../service/authentication.js';
import { type FinishSignInResult, finishSignIn } from './finish-sign-in.js';
import { handle } from './handle.js';
import { sessionCookies, sessionKit } from './kit.js';
import type { ReadResult } from './reader.js';
import { headerOf, type RequestLike } from './request.js';
import type { HandleResult } from './results.js';
import { sealedFrom } from './sealed-session.js';
import type { SessionsOptions } from './sessions-options.js';
import { type StartSignInOptions, type StartSignInResult, startSignIn } from './sign-in.js';
import { type SignOutOptions, type SignOutResult, signOut } from './sign-out.js';
import { type SwitchOrganizationResult, switchOrganization } from './switch-organization.js';

export type { HandleResult } from './results.js';

/** Everything a server does with sessions. */
export interface Sessions {
  /**
   * Who is signed in, for middleware: checks the cookie, refreshes the session when it is time, and says what to do. Append
   * `headers` to the response whatever the status. An outage, of the service or of its keys, never signs anyone out: it
   * gives `retry_later` and leaves the cookie alone.
   *
   * Refreshes are safe to race: parallel requests share one, requests that come late with the old cookie get its outcome,
   * and replicas send the same idempotency key, so that the service answers all of them with the same tokens.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows, grant `refresh_token`.
   */
  handle(request: RequestLike): Promise<HandleResult>;
  /**
   * Who is signed in, by the `Cookie` header of a request, without refreshing. Nothing is fetched while the service's keys are
   * at hand, and no header makes it throw.
   */
  read(cookieHeader: string | null | undefined): Promise<ReadResult>;
  /**
   * The `Set-Cookie` values of a new session, for tokens that a method of the client gave. Pass the request too, so that
   * what is left in the browser of an earlier session is cleared. Answer with `Cache-Control: no-store`.
   *
   * @throws {SallyportError} `session_too_large`, naming the heaviest fields.
   */
  create(tokens: AuthenticationResponse, request?: RequestLike): Promise<readonly string[]>;
  /**
   * Moves the session to another organization of the user: `refreshed` when that is done, `refused` with what the
   * organization asks for when it is not.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows, grant `refresh_token`.
   */
  switchOrganization(request: RequestLike, organizationId: string): Promise<SwitchOrganizationResult>;
  /**
   * Begins a sign-in: where to send the user, and the cookie that remembers it for ten minutes.
   *
   * @throws {InvalidArgumentError} Several of provider, connection and organization were given.
   * @throws {ConfigurationError} It is not known where the user comes back to.
   */
  startSignIn(request: RequestLike, options?: StartSignInOptions): Promise<StartSignInResult>;
  /** Ends a sign-in at the redirect URI: redeems the code and seals the session. No request makes it throw. */
  finishSignIn(request: RequestLike): Promise<FinishSignInResult>;
  /**
   * Ends the session: where to send the user, and the cookies to clear. Have a form post to it; a mere link could be followed
   * from other sites, which would sign your users out.
   *
   * @throws {InvalidArgumentError} `returnTo` is no absolute address.
   */
  signOut(request: RequestLike, options?: SignOutOptions): Promise<SignOutResult>;
}

/**
 * Sessions in a sealed cookie, for servers on Node, Deno, Bun and workers.
 *
 * @throws {ConfigurationError} An option is missing or wrong; a password is shorter than 32 characters, say.
 * @example
 * const sessions = createSessions({ password, clientId, apiKey, baseUrl });
 *
 * const { status, session, headers } = await sessions.handle(request);
 * if (status === 'retry_later') return new Response(null, { status: 503, headers });
 * if (!session) return new Response(null, { status: 401, headers });
 * return Response.json({ hello: session.user.firstName }, { headers });
 */
export function createSessions(options: SessionsOptions): Sessions {
  const kit = sessionKit(options);
  return {
    handle: (request) => handle(kit, request),
    read: kit.opener.read,
    create: (tokens, request) =>
      sessionCookies(kit, sealedFrom(tokens), request && (headerOf(request, 'cookie') ?? null)),
    switchOrganization: (request, organizationId) => switchOrganization(kit, request, organizationId),
    startSignIn: (request, chosen) => startSignIn(kit, request, chosen),
    finishSignIn: (request) => finishSignIn(kit, request),
    signOut: (request, chosen) => signOut(kit, request, chosen),
  };
}
