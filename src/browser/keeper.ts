import { withSignal } from '../http/time-limit.js';
import { withCheck } from '../oauth/access.js';
import type { Channel } from './environment.js';
import type { Page } from './page.js';
import { type BrowserSession, isNewer, type LiveSession, type StoredSession } from './session.js';
import type { SessionStorage } from './storage.js';

/** What tabs tell each other; only pages of the same origin hear it. */
type Message =
  | {
      readonly kind: 'session';
      readonly live: LiveSession;
      /** Whether the user has signed in at this moment. */
      readonly isNew: boolean;
    }
  /** The session of this sign-in has ended. */
  | { readonly kind: 'ended'; readonly salt: string }
  | { readonly kind: 'ask' };

/** How long the other tabs have for an answer. */
const askMs = 150;

/** Holds the one session of this site: in memory, in the storage that was chosen, and in step with the other tabs. */
export class SessionKeeper {
  readonly #page: Page;
  readonly #storage: SessionStorage;
  #channel: Channel | undefined;
  /** Tells of changes, and of what other tabs answer. */
  #events = new EventTarget();
  #live: LiveSession | undefined;
  /** Sign-ins that have ended, by their salts: what still arrives of them is late. */
  readonly #ended = new Set<string>();

  constructor(page: Page, name: string, storage: SessionStorage) {
    this.#page = page;
    this.#storage = storage;
    this.#channel = page.channel(name);
    // Storage that fails in here fails again for whoever asks for the session, and is reported there.
    this.#channel?.addEventListener('message', ({ data }) => void this.#hear(data as Message).catch(() => undefined));
  }

  /** The session with its access token, if this tab has it. */
  get live(): LiveSession | undefined {
    return this.#live;
  }

  /** The newest session there is, here or in storage; nothing when nobody is signed in. */
  async newest(): Promise<StoredSession | undefined> {
    const own = this.#live;
    const stored = await this.#storage.read();
    // Emptied storage: the user signed out in a tab that this one did not hear.
    if (own && !stored && this.#storage.isThere && own === this.#live) await this.#forget(own.stored);
    return stored && isNewer(stored, this.#live?.stored) ? stored : this.#live?.stored;
  }

  /** The newest session there is, in other tabs too. */
  async find(): Promise<StoredSession | undefined> {
    // What storage for all tabs does not hold, no tab has.
    if (!(await this.newest()) && !this.#storage.isShared) await this.ask();
    return this.newest();
  }

  /** Keeps a session that the service has just given, and tells the other tabs; false when it has ended meanwhile. */
  async keep(live: LiveSession, isNew = false): Promise<boolean> {
    const isKept = await this.#take(live);
    if (isKept) this.#post({ kind: 'session', live, isNew });
    return isKept;
  }

  /** Ends the session in this tab and in all others. */
  async end(session: StoredSession): Promise<void> {
    this.#post({ kind: 'ended', salt: session.salt });
    await this.#forget(session);
  }

  /** Takes over what another tab has that is newer. Done as soon as one answers, at the latest in an instant. */
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

  /** Tells a listener of every change; the function returned ends it. */
  onChange(listener: (session: BrowserSession | null) => void): () => void {
    const tell = () => listener(this.#live?.session ?? null);
    this.#events.addEventListener('change', tell);
    return () => this.#events.removeEventListener('change', tell);
  }

  /** Hears and tells nothing from here on. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#events = new EventTarget();
  }

  #post(message: Message): void {
    this.#channel?.postMessage(message);
  }

  async #hear(message: Message): Promise<void> {
    if (message.kind === 'ended') return this.#forget(message);
    const own = this.#live;
    if (message.kind === 'ask') return own && this.#post({ kind: 'session', live: own, isNew: false });
    let { live } = message;
    // Broadcasting leaves methods out.
    withCheck(live.session);
    // The clock was set back since this tab's sign-in: what happens now is later all the same.
    if (message.isNew && own && own.stored.signedInAt > this.#page.now())
      live = { ...live, stored: { ...live.stored, signedInAt: own.stored.signedInAt + 1 } };
    if (isNewer(live.stored, own?.stored)) await this.#take(live);
    this.#tell('answer');
  }

  async #take(live: LiveSession): Promise<boolean> {
    const { salt } = live.stored;
    if (!this.#ended.has(salt)) await this.#storage.write(live.stored);
    // Looked at after writing: meanwhile the user may have signed out, or another tab may have been further.
    if (this.#ended.has(salt)) {
      await this.#storage.remove(salt);
      return false;
    }
    if (isNewer(live.stored, this.#live?.stored)) {
      this.#live = live;
      this.#tell('change');
    }
    return true;
  }

  async #forget({ salt }: Pick<StoredSession, 'salt'>): Promise<void> {
    this.#ended.add(salt);
    if (this.#live?.stored.salt === salt) {
      this.#live = undefined;
      this.#tell('change');
    }
    await this.#storage.remove(salt);
  }

  #tell(event: 'change' | 'answer'): void {
    // A listener's own fault is reported by the page and keeps nobody else from hearing.
    this.#events.dispatchEvent(new Event(event));
  }
}
