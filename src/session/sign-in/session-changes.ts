// Everything that starts, ends or changes a session. Few requests need it, so it is loaded on first use.
import { subscribed } from '../../async/diagnostics.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { isStrict } from '../cookie/cookies.js';
import type { SessionContext } from '../handle/session-context.js';
import { queryOf, type RequestLike } from '../request/request.js';
import { type FinishSignInResult, finishSignIn as finish, type SessionCallbackRecord } from './finish-sign-in.js';
import { accessTokenRoute, sessionRoute } from './page-routes.js';
import { optionsFromQuery } from './reauthentication.js';
import { homePath, redirectUriFor } from './redirect-address.js';
import { type CrossOriginOptions, isCrossOrigin } from './request-origin.js';
import { crossOriginResult, type RouteResult } from './respond.js';
import { type SessionRoutes, signInPath } from './session-routes.js';
import { startSignIn } from './sign-in.js';
import { signOut } from './sign-out.js';

export { accessToken } from '../handle/access-token.js';
export { create } from './new-session.js';
export { refreshSession, switchOrganization } from './switch-organization.js';
export { isCrossOrigin, signOut, startSignIn };

/** Implement `Sessions.finishSignIn`, and publish what came of it. */
export async function finishSignIn(context: SessionContext, request: RequestLike): Promise<FinishSignInResult> {
  const result = await finish(context, request);
  const reason = 'reason' in result ? result.reason : undefined;
  const code = 'code' in result ? result.code : undefined;
  subscribed<SessionCallbackRecord>('session:callback')?.publish({ status: result.status, reason, code });
  return result;
}

/** The path where the users of this host return. */
export const callbackPathFor = (context: SessionContext, request: RequestLike): string | undefined =>
  parsedUrl(redirectUriFor(context, request) ?? '')?.pathname;

/** The handler of each route. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export const routeHandlers: Readonly<
  Record<
    'signIn' | 'signUp' | 'signOut' | 'callback' | 'session' | 'accessToken',
    (
      context: SessionContext,
      request: RequestLike,
      routes: SessionRoutes,
      allowed?: CrossOriginOptions,
    ) => Promise<RouteResult>
  >
> = {
  signIn: async (context, request) =>
    startSignIn(context, request, await optionsFromQuery(context.opener.reader, request)),
  signUp: async (context, request) =>
    startSignIn(context, request, {
      ...(await optionsFromQuery(context.opener.reader, request)),
      screenHint: 'sign-up',
    }),
  async signOut(context, request, routes, allowed) {
    if (isCrossOrigin(context, request, allowed)) return crossOriginResult(request);
    const home = parsedUrl(homePath(context, request), redirectUriFor(context, request))?.href;
    return signOut(context, request, { returnTo: routes.afterSignOut ?? home });
  },
  session: sessionRoute,
  accessToken: (context, request, { accessToken }, allowed) =>
    accessTokenRoute(context, request, { impersonators: Object(accessToken).impersonators === true, ...allowed }),
  async callback(context, request, routes) {
    const query = queryOf(request);
    // A code without a state comes from an invitation. The user is already signed in at the service, so a new sign-in returns
    // immediately.
    if (query.has('code') && !query.has('state')) return startSignIn(context, request);
    const finished = await finishSignIn(context, request);
    if (finished.status !== 'failed') return finished;
    const { reason, returnTo } = finished;
    // The page of the service was open for too long, or another tab has signed in and its strict cookie does not come with this request.
    // The user has just signed in at the service, so this returns immediately, too.
    const startsAgain = reason === 'expired' || (reason === 'state_mismatch' && isStrict(context.cookie));
    if (startsAgain && query.has('code')) return startSignIn(context, request, { returnTo });
    return reason === 'not_allowed' ? { ...finished, returnTo: anotherSignIn(request, routes, returnTo) } : finished;
  },
};

/** The path where a denied user can choose another account. Without a prompt, the service would sign the same user in again at once. */
function anotherSignIn(
  { basePath = '' }: RequestLike,
  { signIn = signInPath }: SessionRoutes,
  returnTo: string,
): string {
  const base = basePath.replace(/\/$/, '');
  const path = `${signIn}/`.startsWith(`${base}/`) ? signIn : base + signIn;
  return `${path}?${new URLSearchParams({ prompt: 'login', return_to: returnTo })}`;
}
