import { isMissing } from '../http/environment.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { withAllNames } from './cookie/cookies.js';
import { newSessionCookies, sealedFrom } from './cookie/sealed-session.js';
import { handle } from './handle/handle.js';
import { loadLimits, type SessionContext, sessionContext } from './handle/session-context.js';
import { checkSessionsOptions, type SessionsOptions } from './handle/sessions-options.js';
import { headerOf, type RequestLike } from './request/request.js';
import { route } from './sign-in/routes.js';
import type { Sessions } from './types.js';

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
  // 6.3 KiB gzip, and few requests begin, end or change a session.
  const loadChanges = () => import('./sign-in/session-changes.js');
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
    accessToken: async (request) => (await loadChanges()).accessToken(context(), request),
    create: async (tokens, request) => createCookies(context(), tokens, request),
    switchOrganization: async (request, organizationId) =>
      (await loadChanges()).switchOrganization(context(), request, organizationId),
    refresh: async (request) => (await loadChanges()).switchOrganization(context(), request),
    startSignIn: async (request, signInOptions) => (await loadChanges()).startSignIn(context(), request, signInOptions),
    finishSignIn: async (request) => (await loadChanges()).finishSignIn(context(), request),
    signOut: async (request, signOutOptions) => (await loadChanges()).signOut(context(), request, signOutOptions),
    route: async (request, routes, allowed) => route(context(), request, routes, allowed),
    isCrossOrigin: async (request, allowed) => (await loadChanges()).isCrossOrigin(context(), request, allowed),
  };
}

/** Implement `Sessions.create`. */
async function createCookies(
  context: SessionContext,
  tokens: AuthenticationResponse,
  request: RequestLike | undefined,
): Promise<readonly string[]> {
  const cookies = request ? headerOf(request, 'cookie') : withAllNames(undefined, context.cookie);
  const sealed = sealedFrom(tokens, { startedAt: context.now() });
  return [
    ...(await newSessionCookies(context, sealed, cookies)),
    ...(context.sessionLimits && request ? (await loadLimits()).clearLimitCookies(context.cookie, cookies) : []),
  ];
}
