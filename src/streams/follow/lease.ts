import type { Outage } from '../outage.js';
import { checkpointInUse } from '../stream-error.js';
import type { Settings } from './options.js';
import { parsePosition } from './position.js';

/** Duration of the lease, and the intervals for renewing and for trying to acquire it, in milliseconds. */
const lease = { ms: 10_000, renewMs: 3_000, acquireMs: 2_000 };

/** How long a stream with different types may use our checkpoint before this stream fails. */
const conflictMs = 20_000;

/**
 * Whether two streams are different: each requests a type that the other does not. If only one requests more types, they are two
 * releases of the same application.
 */
const areDifferent = (types: readonly string[], otherTypes: readonly string[]): boolean =>
  types.some((type) => !otherTypes.includes(type)) && otherTypes.some((type) => !types.includes(type));

/** The right to follow, which one process has at a time. Without `claim`, the checkpoint has no lease and this process always has it. */
export class Lease {
  readonly ownerId = crypto.randomUUID();
  readonly #settings: () => Settings;
  readonly #outage: Outage;
  readonly #signal: AbortSignal;
  /** Whether another process is following. */
  isStandby = false;
  /** The last known text of the checkpoint, in case the store loses it. */
  copy: string | undefined;
  /** When this process last saw the checkpoint move, or when the stream started. */
  movedAt = 0;

  constructor(settings: () => Settings, outage: Outage, signal: AbortSignal) {
    this.#settings = settings;
    this.#outage = outage;
    this.#signal = signal;
  }

  /** Wait until this process has the lease. @throws {StreamError} Another stream uses the checkpoint. */
  async claim(): Promise<void> {
    const { checkpoint, events: types, sleep, now } = this.#settings();
    let otherSince: number | undefined;
    while (checkpoint.claim && !this.#signal.aborted && !(await checkpoint.claim(this.ownerId, lease.ms))) {
      this.isStandby = true;
      const text = await checkpoint.load();
      if (text !== undefined && text !== this.copy) {
        this.note(text);
        const otherTypes = parsePosition(text).types;
        otherSince = types && otherTypes && areDifferent(types, otherTypes) ? (otherSince ?? now()) : undefined;
        // A process of a new release takes some seconds to save its own types in the checkpoint.
        if (otherSince !== undefined && now() - otherSince > conflictMs) throw checkpointInUse(types!, otherTypes!);
      }
      // The store has answered, although another process holds the lease.
      this.#outage.end();
      await sleep(lease.acquireMs, this.#signal);
    }
    this.isStandby = false;
  }

  /** Renew the lease during a term, and end the term if the lease is lost. */
  async renew(term: { readonly ending: AbortSignal; stop(): void }): Promise<void> {
    const { checkpoint, sleep, now } = this.#settings();
    if (!checkpoint.claim) return;
    let since = now();
    while (!term.ending.aborted) {
      await sleep(lease.renewMs, term.ending);
      if (term.ending.aborted) return;
      const requestedAt = now();
      try {
        if (!(await checkpoint.claim(this.ownerId, lease.ms))) return term.stop();
        since = requestedAt;
        this.#outage.end();
      } catch (error) {
        this.#outage.fail(error);
        // The lease may expire before the next attempt, so another process may follow then.
        if (now() - since > lease.ms - lease.renewMs) return term.stop();
      }
    }
  }

  /** Release the lease, so that another process follows at once. If that fails, the lease expires by itself. */
  async release(): Promise<void> {
    await this.#settings()
      .checkpoint.release?.(this.ownerId)
      .catch(() => {});
  }

  /** Remember the last known text of the checkpoint. */
  note(text: string | undefined): void {
    this.copy = text;
    this.movedAt = this.#settings().now();
  }
}
