import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { BrowserClient } from '../browser/client.js';
import { ofClient } from './of-client.js';
import { ofServer } from './of-server.js';
import type { SessionData, SessionView, Source } from './state.js';

/** What `SessionProvider` takes where a server keeps the session in a cookie, by `sallyport/session` or an adapter. */
export interface OfServerProps {
  readonly children?: ReactNode;
  readonly client?: undefined;
  /**
   * The session as the server knows it, or null. In Next pass `await next.getSessionData()`: props of a server
   * component have no methods. Without it the page asks `refreshFrom` first.
   */
  readonly session?: SessionData | null | undefined;
  /**
   * Path of a route of your application that answers with the session as JSON, or with null. The page asks it whenever
   * somebody comes back to it, and by `refresh`. Without it the page never asks.
   */
  readonly refreshFrom?: string | undefined;
}

/** What `SessionProvider` takes where there is no server: a client of `sallyport/browser`. */
export interface OfClientProps {
  readonly children?: ReactNode;
  /** The client. The provider calls `finishSignIn` and `restore` for you. */
  readonly client: BrowserClient;
  /**
   * Show the page on which the user began to sign in, `(path) => router.navigate(path, { replace: true })` for instance.
   * Default: its path is put into the address bar.
   */
  readonly onSignIn?: ((returnTo: string) => void) | undefined;
}

/** What `SessionProvider` takes: the session of a server, or a client. */
export type SessionProviderProps = OfServerProps | OfClientProps;

/** What a provider hands down. */
export interface Provided {
  readonly view: SessionView;
  readonly source: Source;
  readonly client: BrowserClient | undefined;
}

export const SessionContext = createContext<Provided | null>(null);

/**
 * Provide everything below with the session: that of your server, or that of a client of `sallyport/browser`.
 *
 * @example
 * <SessionProvider session={session} refreshFrom="/session">{children}</SessionProvider>
 * @example
 * const client = createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' });
 * <SessionProvider client={client}>{children}</SessionProvider>
 */
export function SessionProvider(props: SessionProviderProps): ReactElement {
  // Of two kinds of props, either may be given.
  const { client, onSignIn, session, refreshFrom } = props as Omit<OfServerProps, 'client'> & Partial<OfClientProps>;
  const goOn = useRef(onSignIn);
  useEffect(() => {
    goOn.current = onSignIn;
  });
  // By what it says: an equal session that was made anew is no news.
  const json = JSON.stringify(session);
  const source = useMemo(
    () => (client ? ofClient(client, (path) => (goOn.current ?? showAddress)(path)) : ofServer(json, refreshFrom)),
    [client, json, refreshFrom],
  );
  const state = useSyncExternalStore(source.subscribe, source.state, () => source.initial);
  const value = useMemo(
    () => ({ view: { ...state, refresh: source.refresh }, source, client }),
    [state, source, client],
  );
  return createElement(SessionContext.Provider, { value }, props.children);
}

const showAddress = (path: string): void => history.replaceState(null, '', path);
