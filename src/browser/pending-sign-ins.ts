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

/** The sign-ins that were started in this tab, in its `sessionStorage`. */
export class PendingSignIns {
  readonly #page: Page;
  readonly #key: string;

  constructor(page: Page, key: string) {
    this.#page = page;
    this.#key = key;
  }

  /** @throws {BrowserError} `storage_blocked`. */
  add(signIn: PendingSignIn): void {
    this.#write([...this.#read(), signIn].slice(-most));
  }

  /** The one with this state, if it is young enough. */
  find(state: string | null): PendingSignIn | undefined {
    return this.#read().find((signIn) => signIn.state === state);
  }

  remove(state: string): void {
    this.#write(this.#read().filter((signIn) => signIn.state !== state));
  }

  #read(): PendingSignIn[] {
    const stored = parsedJson(this.#storage().getItem(this.#key) ?? '');
    const now = this.#page.now();
    // Only this class writes here, so that a list holds nothing else.
    const signIns: PendingSignIn[] = Array.isArray(stored) ? stored : [];
    return signIns.filter(({ startedAt }) => Math.abs(now - startedAt) < lifetimeMs);
  }

  #write(signIns: readonly PendingSignIn[]): void {
    const storage = this.#storage();
    try {
      if (signIns.length) storage.setItem(this.#key, JSON.stringify(signIns));
      else storage.removeItem(this.#key);
    } catch (error) {
      storageBlocked(error);
    }
  }

  #storage(): TextStorage {
    return this.#page.storage('sessionStorage', storageBlocked);
  }
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
