import { useCallback, useContext } from 'react';
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

/**
 * Know who is signed in; the component renders again when that changes, in this tab or, with a client, in another.
 *
 * @throws {SallyportError} `no_provider`: there is no `SessionProvider` above.
 * @example
 * const { status, session, problem, refresh } = useSession();
 */
export const useSession = (): SessionView => useProvided('useSession').view;

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
  const { client } = useProvided('useAccessToken');
  if (!client)
    throw new SallyportError('no_browser_client', {
      what: 'useAccessToken needs a provider with a client of sallyport/browser',
      why: 'A session of your server is in a cookie, whose access token no script sees',
      next: 'Send requests to your server without a token, or pass client to <SessionProvider>',
    });
  return useCallback((options) => client.getAccessToken(options), [client]);
}
