import { useCallback, useContext, useEffect, useRef } from 'react';
import type { BrowserClient } from '../browser/client.js';
import { SallyportError } from '../errors/sallyport-error.js';
import type { PermissionName } from '../oauth/sallyport-types.js';
import { type Provided, SessionContext } from './provider.js';
import type { SessionView } from './state.js';

/** Gets an access token, as `getAccessToken` of `sallyport/browser` does. */
export type AccessTokenGetter = BrowserClient['getAccessToken'];

export function useProvided(hook: string): Provided {
  const provided = useContext(SessionContext);
  if (provided) return provided;
  throw new SallyportError('no_provider', {
    what: `${hook} needs a SessionProvider above it`,
    next: 'Put <SessionProvider> around your application',
  });
}

/** The client of the provider, which this hook cannot do without. */
function clientOf({ client }: Provided, hook: string): BrowserClient {
  if (client) return client;
  throw new SallyportError('no_browser_client', {
    what: `${hook} needs a SessionProvider with a client`,
    why: 'The session of a server is in a cookie that no script sees',
    next: 'Leave it to your server, or pass <SessionProvider> a client of sallyport/browser',
  });
}

/** What `useSession` takes. */
export interface SessionHookOptions {
  /**
   * With a client: send whoever opens this page without being signed in to the sign-in, from which they come back here; default
   * false. Nobody is sent there who signs out on this page or in another tab, or whose sign-in has failed.
   */
  readonly signIn?: boolean | undefined;
}

/**
 * Know who is signed in; the component renders again when that changes, in this tab or, with a client, in another.
 *
 * @throws {SallyportError} `no_provider`: there is no `SessionProvider` above. `no_browser_client`: `signIn` is set, and the
 * provider has the session of a server.
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
    // Signing out must not begin the next sign-in.
    isFirst.current = false;
    if (client && !view.session && !view.problem) client.signIn().catch(source.report);
  }, [view, source, client]);
  return view;
}

/**
 * Know whether whoever is signed in has a permission, for showing and hiding things; what is allowed, your server decides.
 * False while nobody is known.
 *
 * @throws {SallyportError} `no_provider`: there is no `SessionProvider` above.
 */
export const usePermission = (permission: PermissionName): boolean =>
  useProvided('usePermission').view.session?.has({ permission }) ?? false;

/**
 * Get the function that gets an access token for your server, renewed first if it is about to expire. Call it for every
 * request instead of keeping the token; it stays the same function. It throws what `getAccessToken` of
 * `sallyport/browser` throws.
 *
 * @throws {SallyportError} `no_provider`, or `no_browser_client`: the provider has the session of a server, whose cookie goes
 * with every request by itself and which no script sees.
 */
export function useAccessToken(): AccessTokenGetter {
  const client = clientOf(useProvided('useAccessToken'), 'useAccessToken');
  return useCallback((options) => client.getAccessToken(options), [client]);
}
