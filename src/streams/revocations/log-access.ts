import { oneAtATime } from '../../async/one-at-a-time.js';
import { withTimeout } from '../timeouts.js';
import type { DenyList } from './deny-list.js';
import type { Feeder } from './feeder.js';
import type { Freshness } from './freshness.js';
import { maxPerEntry, type RevocationLog } from './log.js';
import { oldestOf, type RevocationsSettings } from './options.js';
import type { Revocation } from './revocation-of.js';

/** Delay before a failed write is repeated. */
const retryDelayMs = 1_000;
/** Maximum interval between heartbeats in the store. A process that only reads waits this long for the first one. */
const heartbeatMs = 2_000;

/** What reading and writing the log needs of the list. */
export interface LogAccessOptions {
  readonly log: RevocationLog;
  readonly settings: RevocationsSettings;
  readonly list: DenyList;
  readonly feeder: Feeder;
  readonly freshness: Freshness;
  /** Adds revocations to the list. */
  readonly add: (revocations: readonly Revocation[]) => void;
  readonly signal: AbortSignal;
}

/** Reads and writes the log of a process. */
export class LogAccess {
  readonly #options: LogAccessOptions;
  /** Revocations to write. */
  readonly #queue: Revocation[] = [];
  #writing: Promise<void> | undefined;
  #heartbeatAt = Number.NEGATIVE_INFINITY;

  constructor(options: LogAccessOptions) {
    this.#options = options;
  }

  /** Write a revocation, and retry until it succeeds. @throws If the list is closed before. */
  async write(revocation: Revocation): Promise<void> {
    this.#queue.push(revocation);
    this.#writing ??= this.#writeQueue();
    await this.#writing;
  }

  async #writeQueue(): Promise<void> {
    const { log, settings, freshness, signal } = this.#options;
    try {
      while (this.#queue.length > 0) {
        signal.throwIfAborted();
        const next = this.#queue.slice(0, maxPerEntry);
        try {
          await this.#withTimeout(log.append(next));
          this.#queue.splice(0, next.length);
        } catch (error) {
          freshness.noteFailure(error);
          await settings.sleep(retryDelayMs, signal);
        }
      }
    } finally {
      this.#writing = undefined;
    }
  }

  /** Read the log, and record if that fails. */
  async poll(): Promise<void> {
    await this.#withTimeout(this.read()).catch((error: unknown) => this.#options.freshness.noteFailure(error));
  }

  /**
   * Add the new entries of the log to the list. Reads must not overlap: the second would skip the entries that the first is
   * reading.
   *
   * @throws The error of the store.
   */
  readonly read = oneAtATime(async () => {
    await this.#beat();
    const { log, settings, freshness, add } = this.#options;
    const { revocations, isAlive, isCaughtUp } = await log.news();
    const oldest = oldestOf(settings);
    add(revocations.filter(({ at }) => at >= oldest));
    if (isAlive) freshness.hear(settings.now());
    if (isCaughtUp) freshness.setReady();
  });

  /** Write a heartbeat if this process is up to date with the service. */
  async #beat(): Promise<void> {
    const { log, settings, list, feeder } = this.#options;
    const { staleMs, now } = settings;
    const { followedAt } = feeder;
    const isFresh = followedAt !== undefined && now() - followedAt < staleMs / 2;
    if (!isFresh || Math.abs(now() - this.#heartbeatAt) < Math.min(staleMs / 5, heartbeatMs)) return;
    await log.beat(list.entries());
    this.#heartbeatAt = now();
  }

  #withTimeout<T>(answer: Promise<T>): Promise<T> {
    const { settings, signal } = this.#options;
    return withTimeout(answer, settings.staleMs, settings.sleep, signal);
  }
}
