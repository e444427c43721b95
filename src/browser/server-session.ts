import { oneAtATime } from '../async/one-at-a-time.js';
import { checkNames } from '../errors/known-options.js';
import { SallyportError } from '../errors/sallyport-error.js';
import { parsedJson } from '../http/json.js';
import { withCheck } from '../oauth/access.js';
import type { BrowserClient } from './client.js';
import { ServerTokens } from './server-tokens.js';
import {
  createObservable,
  loading,
  type PageSession,
  type SessionData,
  type SessionState,
  type Source,
  stateOf,
} from './session-state.js';

/** Options of `createServerSession`. */
export interface ServerSessionOptions {
  /** The session that the server has put into the page, or null. If omitted, the page fetches `refreshFrom` first. */
  readonly session?: SessionData | null | undefined;
  /**
   * Path of the route `routes.session` of your server, or another route that returns the session, or null, as JSON. If
   * omitted, the session is never fetched.
   */
  readonly refreshFrom?: string | undefined;
  /** Path of the route `routes.accessToken` of your server. If omitted, the page cannot get the access token. */
  readonly accessTokenFrom?: string | undefined;
}

/** The session of a page whose server keeps it in a cookie. */
export interface ServerSession {
  /** Return the state: the same object until something changes. It contains no token. */
  getSnapshot(): SessionState;
  /**
   * Call a listener on every change. While there are listeners, the session is fetched again when the user comes back to the page.
   *
   * @returns A function that removes the listener.
   */
  subscribe(listener: () => void): () => void;
  /** Fetch the session from `refreshFrom`. If that fails, `problem` is set afterwards. */
  refresh(): Promise<void>;
  /**
   * Get an access token to call another server. It is kept in memory and renewed before it expires, so call this for every request
   * instead of storing the token. If that server answers 401, call this once more with `forceRefresh`.
   *
   * @throws {BrowserError} `signed_out` if the user has to sign in; `retry_later` if your server could not be reached or cannot
   * check the session right now; `refused` if it does not give this page a token.
   * @throws {SallyportError} `no_access_token_route`: `accessTokenFrom` is not set.
   */
  getAccessToken: BrowserClient['getAccessToken'];
}

/**
 * Create a store with the session that your server keeps in a cookie, for pages without React. It fits stores of Vue, Svelte and
 * Solid.
 *
 * @example
 * const auth = createServerSession({ refreshFrom: '/session', accessTokenFrom: '/session/token' });
 * auth.subscribe(() => render(auth.getSnapshot().session?.user));
 */
export function createServerSession(options: ServerSessionOptions = {}): ServerSession {
  checkNames('createServerSession', options, { session: 1, refreshFrom: 1, accessTokenFrom: 1 });
  const { session, refreshFrom, accessTokenFrom } = options;
  const tokens = accessTokenFrom === undefined ? undefined : new ServerTokens(accessTokenFrom);
  const { getSnapshot, subscribe, refresh } = serverSource(JSON.stringify(session), refreshFrom, tokens);
  return { getSnapshot, subscribe, refresh, getAccessToken: async (asked) => tokensOf(tokens).getAccessToken(asked) };
}

/** Return the tokens of a session, if there is a route for them. @throws {SallyportError} `no_access_token_route`. */
export function tokensOf<Tokens extends object>(tokens: Tokens | undefined): Tokens {
  if (tokens) return tokens;
  throw new SallyportError('no_access_token_route', {
    what: 'This page cannot get the access token',
    why: 'accessTokenFrom is not set',
    next: 'Set routes.accessToken on your server, and pass its path as accessTokenFrom',
  });
}

/**
 * Create a session source for a session that your server keeps.
 *
 * @param json The session or null as JSON, or undefined if the server did not pass one.
 * @param route Path of the route that returns the session, if there is one.
 * @param tokens The access token of the session before, which may be that of another user.
 */
export function serverSource(json: string | undefined, route: string | undefined, tokens?: ServerTokens): Source {
  let text = json;
  const observable = createObservable(text === undefined && route ? loading : stateOf(parseSession(text)), () => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void refresh();
    };
    if (text === undefined) void refresh();
    // While the page was hidden, the user may have signed out in another tab or lost permissions.
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  });
  const fail = (reason: string, what: string): void => {
    const message = `${route} ${what}. The session stays as it was; call refresh() later`;
    observable.set(observable.getSnapshot().session, { reason, message }, text !== 'null');
  };

  const ask = async (address: string): Promise<void> => {
    const response = await fetch(address, { headers: { accept: 'application/json' }, cache: 'no-store' });
    const answer = response.status === 401 ? 'null' : response.ok ? await response.text() : '';
    const session = parseSession(answer);
    if (!session && answer !== 'null')
      return fail(
        response.status === 503 ? 'service_unavailable' : 'unexpected_answer',
        `answered with status ${response.status}, not with the session as JSON, or null`,
      );
    // Keep the same object for the same JSON, so that nothing renders again.
    const current = observable.getSnapshot().session;
    if (answer !== text) tokens?.forget();
    observable.set(answer === text ? current : session);
    text = answer;
  };
  const refresh = oneAtATime(async () => {
    if (route) await ask(route).catch(() => fail('network_error', 'could not be reached'));
  });

  if (tokens) {
    tokens.forget();
    tokens.onSignedOut = () => {
      text = 'null';
      observable.set(null);
    };
  }
  return { ...observable, refresh };
}

/** Parse a session and add its `has` method, or return null for anything else. */
function parseSession(json = 'null'): PageSession | null {
  const data = Object(parsedJson(json));
  // If it has a user and permissions, it is one of our sessions.
  return data.user && Array.isArray(data.permissions) ? withCheck<SessionData>(data) : null;
}
