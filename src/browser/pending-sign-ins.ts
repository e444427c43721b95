import { parsedJson } from '../http/json.js';
import { BrowserError } from './browser-error.js';
import type { TextStorage } from './environment.js';
import type { Page } from './page.js';

/** A sign-in that was started in this tab and is not finished. */
export interface PendingSignIn {
  /** Random value that the service returns unchanged. */
  readonly state: string;
  /** PKCE code verifier (RFC 7636). */
  readonly codeVerifier: string;
  /** Path of this site to continue at. */
  readonly returnTo: string;
  /** Time of the start, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Code of the invitation that started it. */
  readonly invitation?: string | undefined;
}

/** Maximum number of pending sign-ins. The oldest is dropped. */
const maxPending = 5;
/** How long a pending sign-in is valid. */
const lifetimeMs = 10 * 60_000;

/** The pending sign-ins of this tab, in its `sessionStorage`. Each function can throw `storage_blocked`. */
export interface PendingSignIns {
  add(signIn: PendingSignIn): void;
  /** Return the sign-in with this state, unless it is too old. */
  find(state: string | null): PendingSignIn | undefined;
  /** Return the code of the invitation that has started a sign-in. */
  invitation(): string | undefined;
  /** Remove a sign-in, and those of invitations. */
  remove(state: string | null): void;
}

/** Create the list of pending sign-ins under a key of `sessionStorage`. */
export function pendingSignIns(page: Page, key: string): PendingSignIns {
  const storage = (): TextStorage => page.storage('sessionStorage', storageBlocked);

  const read = (): PendingSignIn[] => {
    const stored = parsedJson(storage().getItem(key) ?? '');
    // Only this function writes to this key, so the list contains only sign-ins.
    const signIns: PendingSignIn[] = Array.isArray(stored) ? stored : [];
    return signIns.filter(({ startedAt }) => Math.abs(page.now() - startedAt) < lifetimeMs);
  };

  const write = (signIns: readonly PendingSignIn[]): void => {
    const place = storage();
    try {
      if (signIns.length) place.setItem(key, JSON.stringify(signIns));
      else place.removeItem(key);
    } catch (error) {
      storageBlocked(error);
    }
  };

  return {
    add: (signIn) => write([...read(), signIn].slice(-maxPending)),
    find: (state) => read().find((signIn) => signIn.state === state),
    invitation: () =>
      read()
        .reverse()
        .find(({ invitation }) => invitation)?.invitation,
    remove: (state) => write(read().filter((signIn) => signIn.state !== state && !signIn.invitation)),
  };
}

/** Throw the error for a page that cannot store anything. */
const storageBlocked = (cause: unknown): never => {
  throw new BrowserError(
    'storage_blocked',
    {
      what: 'The browser does not let this page store anything, so users cannot sign in',
      why: 'Cookies and site data are blocked, perhaps because the page is in a frame',
      next: 'Open the page in its own tab, or allow its site data',
      reason: 'storage_blocked',
    },
    { cause },
  );
};
