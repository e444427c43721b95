import { handle } from './handle/handle.js';
import { lazyContext, signedOutWithout } from './handle/lazy-context.js';
import { checkSessionsOptions, type SessionsOptions } from './handle/sessions-options.js';
import { signedOut } from './read/session.js';
import { headerOf } from './request/request.js';
import { route } from './sign-in/routes.js';
import type { Sessions } from './types.js';

/**
 * Create the sessions of an application, stored in a sealed cookie. For Node, Deno, Bun and workers.
 *
 * A missing setting is thrown at first use, because frameworks load your modules during the build, without the environment of the
 * server. A build also renders open pages: a request to them without a session cookie needs no setting, and `onProblem` gets
 * `missing_setting` once.
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
  const context = lazyContext(options);
  // Loaded on demand: few requests begin, end or change a session.
  const loadChanges = () => import('./sign-in/session-changes.js');
  return {
    async read(cookieHeader) {
      const found = context.getFor(cookieHeader);
      return found instanceof Error ? signedOut('no_cookie') : found.opener.reader.read(cookieHeader);
    },
    verifyAccessToken: async (token) => context.get().opener.reader.verifyAccessToken(token),
    isRecent: (session, maxAgeMs) => context.get().opener.reader.isRecent(session, maxAgeMs),
    async handle(request, handleOptions) {
      const found = context.getFor(headerOf(request, 'cookie'), request);
      return found instanceof Error ? signedOutWithout(found) : handle(found, request, handleOptions);
    },
    accessToken: async (request) => (await loadChanges()).accessToken(context.get(), request),
    create: async (tokens, request) => (await loadChanges()).create(context.get(), tokens, request),
    switchOrganization: async (request, organizationId) =>
      (await loadChanges()).switchOrganization(context.get(), request, organizationId),
    refresh: async (request) => (await loadChanges()).refreshSession(context.get(), request),
    startSignIn: async (request, signInOptions) =>
      (await loadChanges()).startSignIn(context.get(), request, signInOptions),
    finishSignIn: async (request) => (await loadChanges()).finishSignIn(context.get(), request),
    signOut: async (request, signOutOptions) => (await loadChanges()).signOut(context.get(), request, signOutOptions),
    route: async (request, routes, allowed) => route(context, request, routes, allowed),
    async isCrossOrigin(request, allowed) {
      const found = context.getFor(headerOf(request, 'cookie'), request);
      return !(found instanceof Error) && (await loadChanges()).isCrossOrigin(found, request, allowed);
    },
  };
}
