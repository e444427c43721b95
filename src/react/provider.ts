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
import { serverSource } from '../browser/server-session.js';
import { ServerTokens } from '../browser/server-tokens.js';
import type { SessionData, SessionView, Source } from '../browser/session-state.js';
import { clientSource } from './of-client.js';

/** Props of `SessionProvider` if your server keeps the session in a cookie, with `sallyport/session` or an adapter. */
export interface OfServerProps {
  readonly children?: ReactNode;
  readonly client?: undefined;
  /**
   * The session on the server, or null. In Next pass `await next.getSessionData()`, because server components cannot pass methods
   * as props. If omitted, the page fetches `refreshFrom` first.
   */
  readonly session?: SessionData | null | undefined;
  /**
   * Path of the route `routes.session` of your server, or another route that returns the session, or null, as JSON. The page
   * fetches it when the user comes back to the page and when you call `refresh`. If omitted, the page never fetches the session.
   */
  readonly refreshFrom?: string | undefined;
  /** Path of the route `routes.accessToken` of your server. If omitted, `useAccessToken` throws. */
  readonly accessTokenFrom?: string | undefined;
}

/** Props of `SessionProvider` for a client of `sallyport/browser`, without a server. */
export interface OfClientProps {
  readonly children?: ReactNode;
  /** The client. The provider calls `finishSignIn` and `restore` for you. */
  readonly client: BrowserClient;
  /**
   * Show the page where the user started to sign in, for example `(path) => router.navigate(path, { replace: true })`. By
   * default its path replaces the URL in the address bar.
   */
  readonly onSignIn?: ((returnTo: string) => void) | undefined;
}

/** Props of `SessionProvider`: the session of your server, or a client. */
export type SessionProviderProps = OfServerProps | OfClientProps;

/** The context value of `SessionProvider`. */
export interface SessionContextValue {
  readonly view: SessionView;
  readonly source: Source;
  readonly client: BrowserClient | undefined;
  /** Source of access tokens; undefined if there is none. */
  readonly tokens: Pick<BrowserClient, 'getAccessToken'> | undefined;
}

export const SessionContext = createContext<SessionContextValue | null>(null);

/**
 * Provide the session to all components below: the session of your server, or of a client of `sallyport/browser`.
 *
 * @example
 * <SessionProvider session={session} refreshFrom="/session">{children}</SessionProvider>
 * @example
 * const client = createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' });
 * <SessionProvider client={client}>{children}</SessionProvider>
 */
export function SessionProvider(props: SessionProviderProps): ReactElement {
  // The props are either for a server or for a client.
  const { client, onSignIn, session, refreshFrom, accessTokenFrom } = props as Omit<OfServerProps, 'client'> &
    Partial<OfClientProps>;
  const navigate = useRef(onSignIn);
  useEffect(() => {
    navigate.current = onSignIn;
  });
  // Compare sessions as JSON: the server may pass an equal session as a new object.
  const json = JSON.stringify(session);
  // The function of `useAccessToken` stays the same when the server passes the session again.
  const tokens = useMemo(() => (accessTokenFrom ? new ServerTokens(accessTokenFrom) : undefined), [accessTokenFrom]);
  const source = useMemo(
    () =>
      client
        ? clientSource(client, (path) => (navigate.current ?? replaceAddress)(path))
        : serverSource(json, refreshFrom, tokens),
    [client, json, refreshFrom, tokens],
  );
  const state = useSyncExternalStore(source.subscribe, source.getSnapshot, () => source.initial);
  const value = useMemo(
    () => ({ view: { ...state, refresh: source.refresh }, source, client, tokens: client ?? tokens }),
    [state, source, client, tokens],
  );
  return createElement(SessionContext.Provider, { value }, props.children);
}

const replaceAddress = (path: string): void => history.replaceState(null, '', path);
