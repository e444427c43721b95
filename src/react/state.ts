import type { Failure } from '../browser/results.js';
import type { BrowserSession } from '../browser/session.js';

/** A session as plain data: of `sallyport/session`, of an adapter or of `sallyport/browser`, also after JSON or spreading. */
export interface SessionData extends Omit<BrowserSession, 'has'> {}

/** Who is signed in, as far as this page knows. */
export type SessionState =
  /** Not known yet; so it is while a server renders for a client of `sallyport/browser`. */
  | { readonly status: 'loading'; readonly session: null; readonly problem: null }
  /** With a problem when the newest could not be found out; the session goes on. */
  | { readonly status: 'signed_in'; readonly session: BrowserSession; readonly problem: Failure<string> | null }
  /** With a problem when signing in has failed. */
  | { readonly status: 'signed_out'; readonly session: null; readonly problem: Failure<string> | null }
  /** Nobody could be asked. Call `refresh` again, or load the page again. */
  | { readonly status: 'retry_later'; readonly session: null; readonly problem: Failure<string> };

/** What `useSession` gives. */
export type SessionView = SessionState & {
  /**
   * Find out anew: with a client by a new access token, otherwise from the route `refreshFrom`. What goes wrong is in `problem`
   * afterwards.
   */
  refresh(): Promise<void>;
};

/** Where a provider has its session from. */
export interface Source {
  /** The state that a server renders, and a browser at first. */
  readonly initial: SessionState;
  state(): SessionState;
  /** Begins to look for changes with the first listener, and ends with the last. */
  subscribe(listener: () => void): () => void;
  refresh(): Promise<void>;
  /** Remembers what went wrong. @throws What is a mistake in the program. */
  report(error: unknown): void;
}

/** A state, and those who listen to it. */
export interface Watched extends Omit<Source, 'refresh'> {
  /** Takes what `stateOf` does. */
  set(...news: Parameters<typeof stateOf>): void;
}

/** @param watch Called for the first listener; what it returns, after the last. */
export function watchedFrom(initial: SessionState, watch: () => () => void): Watched {
  const listeners = new Set<() => void>();
  let state = initial;
  let unwatch: (() => void) | undefined;

  const set: Watched['set'] = (...news) => {
    state = stateOf(...news);
    for (const listener of listeners) listener();
  };

  return {
    initial,
    set,
    state: () => state,
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
      // What is no outcome of signing in shows on the console.
      if (reason === undefined) throw error;
    },
  };
}

/** @param isOpen Whether somebody may be signed in, where no session is known. */
export function stateOf(
  session: BrowserSession | null,
  problem: Failure<string> | null = null,
  isOpen = false,
): SessionState {
  const status = session ? 'signed_in' : isOpen && problem ? 'retry_later' : 'signed_out';
  // Each status was chosen by what goes with it.
  return { status, session, problem } as SessionState;
}

/** Before anything is known. */
export const loading: SessionState = { status: 'loading', session: null, problem: null };
