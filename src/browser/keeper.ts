import { withSignal } from '../async/time-limit.js';
import { withCheck } from '../oauth/access.js';
import type { Channel } from './environment.js';
import type { Page } from './page.js';
import { type BrowserSession, isNewer, type LiveSession, type StoredSession } from './session.js';
import type { SessionStorage } from './storage.js';

/** Messages between tabs. Only pages of the same origin receive them. */
type Message =
  | {
      readonly kind: 'session';
      readonly live: LiveSession;
      /** Whether the user has just signed in. */
      readonly isNew: boolean;
    }
  /** The session of this sign-in has ended. */
  | { readonly kind: 'ended'; readonly salt: string }
  | { readonly kind: 'ask' };

/** How long to wait for answers of other tabs. */
const askMs = 150;

/** Keeps the session of this site in memory and in the chosen storage, and in sync with other tabs. */
export class SessionKeeper {
  readonly #page: Page;
  readonly #storage: SessionStorage;
  #channel: Channel | undefined;
  /** Events for changes and for answers of other tabs. */
  #events = new EventTarget();
  #live: LiveSession | undefined;
  /** Salts of ended sign-ins. Late messages about them are ignored. */
  readonly #ended = new Set<string>();

  constructor(page: Page, name: string, storage: SessionStorage) {
    this.#page = page;
    this.#storage = storage;
    this.#channel = page.channel(name);
    // A storage error is reported to the next caller that needs the session.
    this.#channel?.addEventListener(
      'message',
      ({ data }) => void this.#receive(data as Message).catch(() => undefined),
    );
  }

  /** The session with its access token, if this tab has it. */
  get live(): LiveSession | undefined {
    return this.#live;
  }

  /** Return the newest session in memory or storage, or undefined if no user is signed in. */
  async newest(): Promise<StoredSession | undefined> {
    const current = this.#live;
    const stored = await this.#storage.read();
    // Storage is empty: the user signed out in another tab.
    if (current && !stored && this.#storage.isAvailable && current === this.#live) await this.#forget(current.stored);
    return stored && isNewer(stored, this.#live?.stored) ? stored : this.#live?.stored;
  }

  /** Return the newest session, including those of other tabs. */
  async find(): Promise<StoredSession | undefined> {
    // If shared storage has no session, no tab has one.
    if (!(await this.newest()) && !this.#storage.isShared) await this.ask();
    return this.newest();
  }

  /** Store a session from the service and send it to other tabs. Returns false if it has ended in the meantime. */
  async keep(live: LiveSession, isNew = false): Promise<boolean> {
    const isKept = await this.#store(live);
    if (isKept) this.#post({ kind: 'session', live, isNew });
    return isKept;
  }

  /** End the session in all tabs. */
  async end(session: StoredSession): Promise<void> {
    this.#post({ kind: 'ended', salt: session.salt });
    await this.#forget(session);
  }

  /** Ask other tabs for a newer session. Resolves with the first answer, or after 150 ms. */
  async ask(): Promise<void> {
    if (!this.#channel) return;
    await withSignal(askMs, (signal) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
        this.#events.addEventListener('answer', resolve, { once: true, signal });
        this.#post({ kind: 'ask' });
      });
    });
  }

  /** Call a listener on every change. Returns a function that unsubscribes. */
  onChange(listener: (session: BrowserSession | null) => void): () => void {
    const notify = () => listener(this.#live?.session ?? null);
    this.#events.addEventListener('change', notify);
    return () => this.#events.removeEventListener('change', notify);
  }

  /** Stop exchanging messages with other tabs, and remove all listeners. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#events = new EventTarget();
  }

  #post(message: Message): void {
    this.#channel?.postMessage(message);
  }

  async #receive(message: Message): Promise<void> {
    if (message.kind === 'ended') return this.#forget(message);
    const current = this.#live;
    if (message.kind === 'ask') return current && this.#post({ kind: 'session', live: current, isNew: false });
    let { live } = message;
    // Broadcasting drops methods.
    withCheck(live.session);
    // The clock was set back after this tab's sign-in, but the new sign-in is still the later one.
    if (message.isNew && current && current.stored.signedInAt > this.#page.now())
      live = { ...live, stored: { ...live.stored, signedInAt: current.stored.signedInAt + 1 } };
    if (isNewer(live.stored, current?.stored)) await this.#store(live);
    this.#notify('answer');
  }

  async #store(live: LiveSession): Promise<boolean> {
    const { salt } = live.stored;
    if (!this.#ended.has(salt)) await this.#storage.write(live.stored);
    // Checked after writing: in the meantime the user may have signed out, or another tab may have a newer session.
    if (this.#ended.has(salt)) {
      await this.#storage.remove(salt);
      return false;
    }
    if (isNewer(live.stored, this.#live?.stored)) {
      this.#live = live;
      this.#notify('change');
    }
    return true;
  }

  async #forget({ salt }: Pick<StoredSession, 'salt'>): Promise<void> {
    this.#ended.add(salt);
    if (this.#live?.stored.salt === salt) {
      this.#live = undefined;
      this.#notify('change');
    }
    await this.#storage.remove(salt);
  }

  #notify(event: 'change' | 'answer'): void {
    // The browser reports errors of a listener and still calls the others.
    this.#events.dispatchEvent(new Event(event));
  }
}
