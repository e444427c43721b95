import { parsedJson } from '../http/json.js';
import { BrowserError } from './browser-error.js';
import type { TextStorage } from './environment.js';
import type { Page } from './page.js';

/** A sign-in that was started in this tab and has not come back yet. */
export interface PendingSignIn {
  /** What the service gives back unchanged; nobody else knows it. */
  readonly state: string;
  /** Proof that the code is redeemed by who asked for it (RFC 7636). */
  readonly codeVerifier: string;
  /** Where the user goes afterwards, on this site. */
  readonly returnTo: string;
  /** When it was started, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** How many are remembered; starting another forgets the oldest. */
const most = 5;
/** How long one is remembered. */
const lifetimeMs = 10 * 60_000;

/** The sign-ins that were started in this tab, in its `sessionStorage`. Each function throws `storage_blocked`. */
export interface PendingSignIns {
  add(signIn: PendingSignIn): void;
  /** The one with this state, if it is young enough. */
  find(state: string | null): PendingSignIn | undefined;
  remove(state: string): void;
}

/** The sign-ins under a key of `sessionStorage`. */
export function pendingSignIns(page: Page, key: string): PendingSignIns {
  const storage = (): TextStorage => page.storage('sessionStorage', storageBlocked);

  const read = (): PendingSignIn[] => {
    const stored = parsedJson(storage().getItem(key) ?? '');
    // Nobody else writes here, so that a list holds nothing else.
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
    add: (signIn) => write([...read(), signIn].slice(-most)),
    find: (state) => read().find((signIn) => signIn.state === state),
    remove: (state) => write(read().filter((signIn) => signIn.state !== state)),
  };
}

/** The browser keeps nothing for this page. */
const storageBlocked = (cause: unknown): never => {
  throw new BrowserError(
    'storage_blocked',
    {
      what: 'The browser does not let this page store anything, so nobody can sign in',
      why: 'Cookies and site data are blocked, perhaps because the page is framed by another site',
      next: 'Open the page in a tab of its own, or allow site data for it',
      reason: 'storage_blocked',
    },
    { cause },
  );
};
