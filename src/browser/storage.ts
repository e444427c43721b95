import { parsedJson } from '../http/json.js';
import type { BrowserConfig, RefreshTokenStorage } from './options.js';
import type { Page } from './page.js';
import { isNewer, type StoredSession } from './session.js';

/** What of the session outlives the page. */
export class SessionStorage {
  #storage: RefreshTokenStorage | undefined;
  /** Whether all tabs keep the session here. */
  readonly isShared: boolean;

  constructor(page: Page, choice: BrowserConfig['refreshTokenStorage'], key: string) {
    this.isShared = choice === 'local';
    if (typeof choice === 'object') this.#storage = choice;
    else if (choice !== 'memory') {
      const storage = () =>
        page.storage(`${choice}Storage`, () => {
          this.#storage = undefined;
        });
      this.#storage = {
        get: () => storage()?.getItem(key),
        set: (text) => storage()?.setItem(key, text),
        remove: () => storage()?.removeItem(key),
      };
    }
  }

  /** Whether anything is kept; no longer so once the browser has refused to. */
  get isThere(): boolean {
    return this.#storage !== undefined;
  }

  /** What is kept. @throws What a caller's storage does: that it fails does not say that nobody is signed in. */
  async read(): Promise<StoredSession | undefined> {
    const stored = Object(parsedJson((await this.#storage?.get()) ?? ''));
    // Whatever has other fields is not ours.
    return typeof stored.refreshToken === 'string' && typeof stored.signedInAt === 'number' ? stored : undefined;
  }

  /** Keeps a session unless a newer one is kept. Where that fails, the session lives on in memory. */
  async write(session: StoredSession): Promise<void> {
    if (!this.#storage || !isNewer(session, await this.read())) return;
    try {
      await this.#storage?.set(JSON.stringify(session));
    } catch {
      this.#storage = undefined;
    }
  }

  /** Forgets the session of this sign-in; one that took its place stays. */
  async remove(salt: string): Promise<void> {
    const stored = await this.read();
    if (stored?.salt === salt) await this.#storage?.remove();
  }
}
