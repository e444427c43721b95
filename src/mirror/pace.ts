import { sleep } from '../async/sleep.js';
import { countedOf } from '../service/rates/limited-requests.js';
import { rateLimits } from '../service/rates/rate-limits.js';

/** Spaces requests evenly, so that they use at most a share of each published limit. */
export class Pace {
  readonly #share: number;
  /** When the next request may be sent, by limit and owner. */
  readonly #next = new Map<string, number>();

  constructor(share: number) {
    this.#share = share;
  }

  /** Wait until a request for this path may be sent. `subject` is the directory that it reads, if any. */
  async turn(path: string, subject: string | undefined, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    let sendAt = now;
    for (const { name, subject: owner } of countedOf({
      path,
      method: 'GET',
      params: {},
      body: undefined,
      apiKey: '',
      subject,
    })) {
      // Each counted limit is one of these.
      const { requests, windowMs } = rateLimits.find((limit) => limit.name === name)!;
      const key = `${name} ${owner}`;
      const at = Math.max(now, this.#next.get(key) ?? 0);
      this.#next.set(key, at + windowMs / (requests * this.#share));
      sendAt = Math.max(sendAt, at);
    }
    if (this.#next.size > 10_000) for (const [key, at] of this.#next) if (at <= now) this.#next.delete(key);
    if (sendAt > now) await sleep(sendAt - now, signal);
  }
}
