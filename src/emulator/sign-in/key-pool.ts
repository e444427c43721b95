import type { PrivateRsaJwk } from '../../crypto/rsa-jwk.js';

/** How many keys lie ready. */
const stock = 4;

/**
 * Keys that lie ready for worlds, because making one takes longer than everything else together. The first is made when it is asked for;
 * from then on there is a stock, made one after the other. No key is handed out twice.
 */
export class KeyPool {
  readonly #newKey: () => Promise<PrivateRsaJwk>;
  readonly #ready: PrivateRsaJwk[] = [];
  #isFilling = false;

  constructor(newKey: () => Promise<PrivateRsaJwk>) {
    this.#newKey = newKey;
  }

  /** A key that nobody else has. */
  async take(): Promise<PrivateRsaJwk> {
    const key = this.#ready.shift() ?? (await this.#newKey());
    void this.#fill();
    return key;
  }

  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      while (this.#ready.length < stock) this.#ready.push(await this.#newKey());
    } catch {
      // Whoever asks next makes one, and hears what is wrong.
    } finally {
      this.#isFilling = false;
    }
  }
}
