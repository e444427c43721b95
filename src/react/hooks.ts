import { useCallback, useContext, useEffect, useRef } from 'react';
import type { BrowserClient } from '../browser/client.js';
import { tokensOf } from '../browser/server-session.js';
import type { SessionView } from '../browser/session-state.js';
import { SallyportError } from '../errors/sallyport-error.js';
import type { PermissionName } from '../service/sallyport-types.js';
import { SessionContext, type SessionContextValue } from './provider.js';

/** Gets an access token; the same function as `getAccessToken` of `sallyport/browser`. */
export type AccessTokenGetter = BrowserClient['getAccessToken'];

export function useProvided(hook: string): SessionContextValue {
  const provided = useContext(SessionContext);
  if (provided) return provided;
  throw new SallyportError('no_provider', {
    what: `${hook} needs a SessionProvider above it`,
    next: 'Put <SessionProvider> around your application',
  });
}

/** The provider's client. Throws if the provider has none. */
function clientOf({ client }: SessionContextValue, hook: string): BrowserClient {
  if (client) return client;
  throw new SallyportError('no_browser_client', {
    what: `${hook} needs a SessionProvider with a client`,
    why: 'Your server keeps this session in a cookie that scripts cannot read',
    next: 'Do this on your server, or pass a client of sallyport/browser to <SessionProvider>',
  });
}

/** Options of `useSession`. */
export interface SessionHookOptions {
  /**
   * With a client: redirect users who are not signed in to the sign-in page, and back to this page afterwards; default false.
   * Users who sign out on this page or in another tab, or whose sign-in failed, are not redirected.
   */
  readonly signIn?: boolean | undefined;
}

/**
 * Get the current session. The component renders again when the session changes in this tab or, with a client, in another tab.
 *
 * @throws {SallyportError} `no_provider`: there is no `SessionProvider` above. `no_browser_client`: `signIn` is set, but the
 * provider has no client.
 * @example
 * const { status, session, problem, refresh } = useSession();
 * @example
 * const { session } = useSession({ signIn: true });
 */
export function useSession({ signIn = false }: SessionHookOptions = {}): SessionView {
  const provided = useProvided('useSession');
  const { view, source } = provided;
  const client = signIn && clientOf(provided, 'useSession({ signIn })');
  const isFirst = useRef(true);
  useEffect(() => {
    if (view.status === 'loading' || !isFirst.current) return;
    // Only the first known state may start a sign-in, so that signing out does not.
    isFirst.current = false;
    if (client && !view.session && !view.problem) client.signIn().catch(source.report);
  }, [view, source, client]);
  return view;
}

/**
 * Whether the user has a permission; false while no user is known. Use it to show or hide elements: your server must still check
 * the permission.
 *
 * @throws {SallyportError} `no_provider`: there is no `SessionProvider` above.
 */
export const usePermission = (permission: PermissionName): boolean =>
  useProvided('usePermission').view.session?.has({ permission }) ?? false;

/**
 * Get a function that returns an access token for your servers, and refreshes a token that is about to expire. Call it for every
 * request instead of storing the token. The function keeps its identity between renders, and throws the errors of
 * `getAccessToken` of `sallyport/browser`.
 *
 * @throws {SallyportError} `no_provider`: there is no `SessionProvider` above. `no_access_token_route`: your server keeps the
 * session in a cookie, and the provider has no `accessTokenFrom`.
 */
export function useAccessToken(): AccessTokenGetter {
  const tokens = tokensOf(useProvided('useAccessToken').tokens);
  return useCallback((options) => tokens.getAccessToken(options), [tokens]);
}
