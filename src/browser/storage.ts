import { parsedJson } from '../http/json.js';
import type { BrowserConfig, RefreshTokenStorage } from './options.js';
import type { Page } from './page.js';
import { isNewer, type StoredSession } from './session.js';

/** Stores the part of the session that survives the page. */
export class SessionStorage {
  #storage: RefreshTokenStorage | undefined;
  /** Whether all tabs share this storage. */
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

  /** Whether there is a storage. False after the browser has blocked it. */
  get isAvailable(): boolean {
    return this.#storage !== undefined;
  }

  /**
   * Read the stored session. @throws The errors of a caller's storage, because a failure does not mean that no user is signed
   * in.
   */
  async read(): Promise<StoredSession | undefined> {
    const stored = Object(parsedJson((await this.#storage?.get()) ?? ''));
    // Values with other fields are not ours.
    return typeof stored.refreshToken === 'string' && typeof stored.signedInAt === 'number' ? stored : undefined;
  }

  /** Store a session unless a newer one is stored. If that fails, the session is only kept in memory. */
  async write(session: StoredSession): Promise<void> {
    if (!this.#storage || !isNewer(session, await this.read())) return;
    try {
      await this.#storage?.set(JSON.stringify(session));
    } catch {
      this.#storage = undefined;
    }
  }

  /** Remove the session of a sign-in, unless another session has replaced it. */
  async remove(salt: string): Promise<void> {
    const stored = await this.read();
    if (stored?.salt === salt) await this.#storage?.remove();
  }
}
