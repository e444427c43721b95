import { withSignal } from '../http/time-limit.js';
import type { Channel } from './environment.js';
import type { Page } from './page.js';
import { type BrowserSession, isNewer, type LiveSession, type StoredSession } from './session.js';
import type { SessionStorage } from './storage.js';

/** What tabs tell each other; only pages of the same origin hear it. */
type Message =
  | { readonly kind: 'session'; readonly live: LiveSession }
  /** The session of this sign-in, and of any earlier one, has ended. */
  | { readonly kind: 'ended'; readonly signedInAt: number }
  | { readonly kind: 'ask' };

/** How long the other tabs have for an answer. */
const askMs = 150;

/** Holds the one session of this site: in memory, in the storage that was chosen, and in step with the other tabs. */
export class SessionKeeper {
  readonly #page: Page;
  readonly #storage: SessionStorage;
  #channel: Channel | undefined;
  readonly #listeners = new Set<(session: BrowserSession | null) => void>();
  /** Those who wait for what another tab answers. */
  readonly #waiting = new Set<() => void>();
  #live: LiveSession | undefined;
  /** Sign-ins up to this one have ended: what still arrives of them is late. */
  #endedAt = 0;

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
    if (own && !stored && this.#storage.isThere && own === this.#live) await this.#forget(own.stored.signedInAt);
    return stored && isNewer(stored, this.#live?.stored) ? stored : this.#live?.stored;
  }

  /** Number of a sign-in that has just happened: later than any known. */
  async newSignIn(): Promise<number> {
    const { signedInAt = 0 } = (await this.newest()) ?? {};
    return Math.max(this.#page.now(), signedInAt + 1, this.#endedAt + 1);
  }

  /** Keeps a session that the service has just given, and tells the other tabs; false when it has ended meanwhile. */
  async keep(live: LiveSession): Promise<boolean> {
    const isKept = await this.#take(live);
    if (isKept) this.#post({ kind: 'session', live });
    return isKept;
  }

  /** Ends the session in this tab and in all others. */
  async end({ signedInAt }: StoredSession): Promise<void> {
    this.#post({ kind: 'ended', signedInAt });
    await this.#forget(signedInAt);
  }

  /** Takes over what another tab has that is newer. Done as soon as one answers, at the latest in an instant. */
  async ask(): Promise<void> {
    if (!this.#channel) return;
    await withSignal(askMs, (signal) => {
      return new Promise<void>((resolve) => {
        const done = (): void => {
          this.#waiting.delete(done);
          resolve();
        };
        this.#waiting.add(done);
        signal.addEventListener('abort', done);
        this.#post({ kind: 'ask' });
      });
    });
  }

  /** Tells a listener of every change; the function returned ends it. */
  onChange(listener: (session: BrowserSession | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Hears and tells nothing from here on. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#listeners.clear();
  }

  #post(message: Message): void {
    this.#channel?.postMessage(message);
  }

  async #hear(message: Message): Promise<void> {
    if (message.kind === 'ended') return this.#forget(message.signedInAt);
    if (message.kind === 'ask') return this.#live && this.#post({ kind: 'session', live: this.#live });
    if (isNewer(message.live.stored, this.#live?.stored)) await this.#take(message.live);
    for (const done of this.#waiting) done();
  }

  async #take(live: LiveSession): Promise<boolean> {
    const { signedInAt } = live.stored;
    if (signedInAt > this.#endedAt) await this.#storage.write(live.stored);
    // Looked at after writing: meanwhile the user may have signed out, or another tab may have been further.
    if (signedInAt <= this.#endedAt) {
      await this.#storage.remove(signedInAt);
      return false;
    }
    if (isNewer(live.stored, this.#live?.stored)) {
      this.#live = live;
      this.#tell();
    }
    return true;
  }

  async #forget(signedInAt: number): Promise<void> {
    this.#endedAt = Math.max(this.#endedAt, signedInAt);
    if (this.#live && this.#live.stored.signedInAt <= signedInAt) {
      this.#live = undefined;
      this.#tell();
    }
    await this.#storage.remove(signedInAt);
  }

  #tell(): void {
    for (const listener of this.#listeners)
      try {
        listener(this.#live?.session ?? null);
      } catch (error) {
        // A listener's own fault is reported by the page and keeps nobody else from hearing.
        queueMicrotask(() => {
          throw error;
        });
      }
  }
}
