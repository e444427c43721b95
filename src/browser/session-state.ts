import type { Failure } from './results.js';
import type { BrowserSession } from './session.js';

/** The session that a page knows, from a client or from a server. */
export interface PageSession extends Omit<BrowserSession, 'claims'> {
  /** All claims of the access token. Absent if the session comes from `routes.session` of a server. */
  readonly claims?: BrowserSession['claims'] | undefined;
}

/**
 * A session as plain data, from `sallyport/session`, an adapter or `sallyport/browser`. It may have been serialized as JSON or
 * copied.
 */
export interface SessionData extends Omit<PageSession, 'has'> {}

/** The session as this page knows it. */
export type SessionState =
  /** Not known yet. With a client of `sallyport/browser`, this is the state during server rendering. */
  | { readonly status: 'loading'; readonly session: null; readonly problem: null }
  /** `problem` is set if the last refresh failed; the session stays valid. */
  | { readonly status: 'signed_in'; readonly session: PageSession; readonly problem: Failure<string> | null }
  /** `problem` is set if signing in failed. */
  | { readonly status: 'signed_out'; readonly session: null; readonly problem: Failure<string> | null }
  /** The session could not be determined. Call `refresh` again, or reload the page. */
  | { readonly status: 'retry_later'; readonly session: null; readonly problem: Failure<string> };

/** Result of `useSession`. */
export type SessionView = SessionState & {
  /**
   * Load the session again: with a client through a new access token, otherwise from the route `refreshFrom`. If that fails,
   * `problem` is set afterwards.
   */
  refresh(): Promise<void>;
};

/** Where a `SessionProvider` gets its session. */
export interface Source {
  /** The state for server rendering and for the first render in a browser. */
  readonly initial: SessionState;
  getSnapshot(): SessionState;
  /** Add a listener. The source watches for changes while it has listeners. */
  subscribe(listener: () => void): () => void;
  refresh(): Promise<void>;
  /** Set `problem` to an error. @throws The error itself, if it is not an expected outcome of signing in. */
  report(error: unknown): void;
}

/** A state with listeners. */
export interface ObservableState extends Omit<Source, 'refresh'> {
  /** Set the state; takes the arguments of `stateOf`. */
  set(...change: Parameters<typeof stateOf>): void;
}

/** @param watch Called for the first listener; returns a function that is called after the last one has left. */
export function createObservable(initial: SessionState, watch: () => () => void): ObservableState {
  const listeners = new Set<() => void>();
  let state = initial;
  let unwatch: (() => void) | undefined;

  const set: ObservableState['set'] = (...change) => {
    state = stateOf(...change);
    for (const listener of listeners) listener();
  };

  return {
    initial,
    set,
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      unwatch ??= watch();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unwatch?.();
        unwatch = undefined;
      };
    },
    report(error) {
      const { code, reason, message } = Object(error);
      const problem = { reason: String(reason ?? 'unexpected_error'), message: String(message) };
      set(state.session, problem, code === 'retry_later');
      // Unexpected errors must reach the console.
      if (reason === undefined) throw error;
    },
  };
}

/** @param mayBeSignedIn Whether the user may be signed in even though no session is known. */
export function stateOf(
  session: PageSession | null,
  problem: Failure<string> | null = null,
  mayBeSignedIn = false,
): SessionState {
  const status = session ? 'signed_in' : mayBeSignedIn && problem ? 'retry_later' : 'signed_out';
  // A union of states does not accept a status in a variable. This status is the one for this session and problem.
  return { status, session, problem } as SessionState;
}

/** The state before anything is known. */
export const loading: SessionState = { status: 'loading', session: null, problem: null };
