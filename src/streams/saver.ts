import type { PatientCheckpoint } from './patience.js';
import type { Outage, Sleep } from './waits.js';

/**
 * How long saves are apart: the second one of a rush comes soon, so that a process that dies young has got somewhere, and the later ones
 * three times as long after each other, up to a quarter of a second. And so many times as long as the last one took: a twentieth of the time at most.
 */
const pace = { firstMs: 50, factor: 3, mostMs: 250, times: 20 };

/** Saves a checkpoint, when something has changed and not too often. */
export class Saver {
  readonly #checkpoint: PatientCheckpoint;
  readonly #text: () => string;
  readonly #onConflict: () => void;
  readonly #onLost: () => void;
  readonly #outage: Outage;
  readonly #sleep: Sleep;
  readonly #ending = new AbortController();
  /** What the checkpoint holds, as far as we know; undefined after the store has lost it. */
  #saved: string | undefined;
  /** What was to be saved last. */
  #last: string | undefined;
  #isDue = false;
  /** Whether somebody else has moved the checkpoint: it is not ours to save any more. */
  #isOver = false;
  #work: Promise<void> | undefined;

  constructor(options: {
    readonly checkpoint: PatientCheckpoint;
    /** What the checkpoint holds now. */
    readonly saved: string;
    /** Gives what it should hold. */
    readonly text: () => string;
    /** Called when somebody else has moved it. */
    readonly onConflict: () => void;
    /** Called when the store had lost the checkpoint and it was saved again. */
    readonly onLost: () => void;
    readonly outage: Outage;
    readonly sleep: Sleep;
  }) {
    this.#checkpoint = options.checkpoint;
    this.#saved = options.saved;
    this.#text = options.text;
    this.#onConflict = options.onConflict;
    this.#onLost = options.onLost;
    this.#outage = options.outage;
    this.#sleep = options.sleep;
  }

  /** The text that was saved last, as far as we know. */
  get saved(): string | undefined {
    return this.#saved;
  }

  /** Has it saved soon: at once if the last time is long enough ago. */
  due(): void {
    if (this.#isOver) return;
    this.#isDue = true;
    this.#work ??= this.#saveOften().finally(() => {
      this.#work = undefined;
    });
  }

  /** Saves what is left to save, without waiting, once. Later calls of `due` save at once. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#work;
    if (this.#isDue) await this.#save();
  }

  async #saveOften(): Promise<void> {
    for (let restMs = pace.firstMs; this.#isDue; restMs = Math.min(restMs * pace.factor, pace.mostMs)) {
      const began = performance.now();
      const waitMs = await this.#save();
      if (this.#ending.signal.aborted) return;
      const tookMs = performance.now() - began;
      await this.#sleep(waitMs ?? Math.max(restMs, tookMs * pace.times), this.#ending.signal);
    }
  }

  /** @returns How long to wait before the next attempt, if it failed. */
  async #save(): Promise<number | undefined> {
    try {
      if (this.#outage.isOn) {
        // The last attempt may have saved it before it failed.
        const held = await this.#checkpoint.load();
        if (held !== undefined && held !== this.#saved && held !== this.#last) return this.#conflict();
        this.#saved = held;
      }
      this.#isDue = false;
      const next = this.#text();
      this.#last = next;
      if (next !== this.#saved && !(await this.#put(next))) return this.#conflict();
      this.#saved = next;
      this.#outage.end();
      return undefined;
    } catch (error) {
      this.#isDue = true;
      return this.#outage.fail(error);
    }
  }

  /** Replace the saved text, or save the new one if the store has lost it. Returns whether the new text is saved. */
  async #put(next: string): Promise<boolean> {
    for (const previous of [this.#saved, undefined]) {
      if (await this.#checkpoint.save(next, previous)) {
        if (previous === undefined) this.#onLost();
        return true;
      }
      const held = await this.#checkpoint.load();
      if (held !== undefined) return held === next;
    }
    return false;
  }

  #conflict(): undefined {
    this.#isDue = false;
    this.#isOver = true;
    this.#ending.abort();
    this.#onConflict();
  }
}
