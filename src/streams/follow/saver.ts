import type { Sleep } from '../../async/sleep.js';
import type { Outage } from '../outage.js';
import type { TimedCheckpoint } from '../timeouts.js';

/**
 * Delay between saves in milliseconds: first 50, then three times longer each time, up to 250. Also at least 20 times the
 * duration of the last save, so that saving takes at most 5 % of the time.
 */
const pace = { firstMs: 50, factor: 3, maxMs: 250, multiple: 20 };

/** What a saver needs of its term. */
interface SaverOptions {
  readonly checkpoint: TimedCheckpoint;
  /** The current text of the checkpoint. */
  readonly saved: string;
  /** Returns the text to save. */
  readonly text: () => string;
  /** Called when another stream has moved the checkpoint. */
  readonly onConflict: () => void;
  /** Called after a checkpoint that the store had lost was saved again. */
  readonly onLost: () => void;
  readonly outage: Outage;
}

/** Saves a checkpoint after changes, at a limited rate. */
export class Saver {
  readonly #options: SaverOptions;
  readonly #sleep: Sleep;
  readonly #ending = new AbortController();
  /** The last text known to be saved; undefined after the store lost it. */
  saved: string | undefined;
  /** The text of the last save attempt, which may have failed. */
  #lastAttempt: string | undefined;
  #isDue = false;
  /** Whether another stream moved the checkpoint. This stream must not save it any more. */
  #isStopped = false;
  #work: Promise<void> | undefined;

  constructor(options: SaverOptions, sleep: Sleep) {
    this.#options = options;
    this.#sleep = sleep;
    this.saved = options.saved;
  }

  /** Schedule a save: now, or when enough time has passed since the last one. */
  schedule(): void {
    if (this.#isStopped) return;
    this.#isDue = true;
    this.#work ??= this.#saveOften().finally(() => {
      this.#work = undefined;
    });
  }

  /** Save pending changes without delay. Later calls of `schedule` save immediately. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#work;
    if (this.#isDue) await this.#save();
  }

  async #saveOften(): Promise<void> {
    for (let restMs = pace.firstMs; this.#isDue; restMs = Math.min(restMs * pace.factor, pace.maxMs)) {
      const began = performance.now();
      const waitMs = await this.#save();
      if (this.#ending.signal.aborted) return;
      const tookMs = performance.now() - began;
      await this.#sleep(waitMs ?? Math.max(restMs, tookMs * pace.multiple), this.#ending.signal);
    }
  }

  /** Save the checkpoint. Returns the delay before the next attempt if it failed. */
  async #save(): Promise<number | undefined> {
    try {
      if (this.#options.outage.isActive) {
        // The failed attempt may have saved the text after all.
        const current = await this.#options.checkpoint.load();
        if (current !== undefined && current !== this.saved && current !== this.#lastAttempt) return this.#conflict();
        this.saved = current;
      }
      this.#isDue = false;
      const next = this.#options.text();
      this.#lastAttempt = next;
      if (next !== this.saved && !(await this.#write(next))) return this.#conflict();
      this.saved = next;
      this.#options.outage.end();
      return undefined;
    } catch (error) {
      this.#isDue = true;
      return this.#options.outage.fail(error);
    }
  }

  /** Replace the saved text, or save the new one if the store has lost it. Returns whether the new text is saved. */
  async #write(next: string): Promise<boolean> {
    for (const previous of [this.saved, undefined]) {
      if (await this.#options.checkpoint.save(next, previous)) {
        if (previous === undefined) this.#options.onLost();
        return true;
      }
      const current = await this.#options.checkpoint.load();
      if (current !== undefined) return current === next;
    }
    return false;
  }

  #conflict(): undefined {
    this.#isDue = false;
    this.#isStopped = true;
    this.#ending.abort();
    this.#options.onConflict();
  }
}
