import type { PrivateRsaJwk } from '../../../crypto/rsa-jwk.js';

/** Number of keys to generate in advance. */
const poolSize = 4;

/**
 * Signing keys generated in advance, because generating a key takes most of the time to start a world. The first key is generated
 * on demand. After that, the pool is refilled one key at a time. No key is returned twice.
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
      // If generating fails again, the next `take` throws the error.
    } finally {
      this.#isFilling = false;
    }
  }
}
