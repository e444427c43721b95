import type { PrivateRsaJwk } from '../../crypto/rsa-jwk.js';

/** Number of keys kept ready. */
const poolSize = 4;

/**
 * Signing keys generated in advance, because generating one dominates the start of a world. The first is generated on
 * demand; after that the pool is refilled one key at a time. No key is handed out twice.
 */
export class KeyPool {
  readonly #newKey: () => Promise<PrivateRsaJwk>;
  readonly #ready: PrivateRsaJwk[] = [];
  #isFilling = false;

  constructor(newKey: () => Promise<PrivateRsaJwk>) {
    this.#newKey = newKey;
  }

  /** Take a key out of the pool. */
  async take(): Promise<PrivateRsaJwk> {
    const key = this.#ready.shift() ?? (await this.#newKey());
    void this.#fill();
    return key;
  }

  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      while (this.#ready.length < poolSize) this.#ready.push(await this.#newKey());
    } catch {
      // The next `take` generates a key itself and reports the error.
    } finally {
      this.#isFilling = false;
    }
  }
}
