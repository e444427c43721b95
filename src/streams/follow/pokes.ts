import type { Notifier } from '../../async/notifier.js';
import type { Outage } from '../outage.js';
import { notSettled, StreamError } from '../stream-error.js';
import type { Settings } from './options.js';
import { parsePosition } from './position.js';
import type { Term } from './term.js';

/** Interval between writes of the number of pokes, and between reads of it by the process that follows. */
const pokeMs = 1_000;
/** Interval between reads of the checkpoint while another process catches up. */
const settleMs = 250;

/** What pokes need of their stream. */
export interface PokesContext {
  readonly settings: () => Settings;
  readonly notifier: Notifier;
  /** Outages of the checkpoint. */
  readonly outage: Outage;
  /** The current term; undefined if another process follows. */
  readonly term: () => Term | undefined;
  /** State of the stream, and its last error. */
  readonly describe: () => string;
  /** Aborts when the stream ends. */
  readonly signal: AbortSignal;
}

/**
 * Requests for a poll. Each has a number, which is higher than those before it. The process that follows saves in the checkpoint the number of
 * the last request that its events were handled for.
 */
export class Pokes {
  readonly #context: PokesContext;
  #isDue = false;
  #writing: Promise<void> | undefined;
  /** Number of requests, if the checkpoint counts none. */
  #count = 0;

  constructor(context: PokesContext) {
    this.#context = context;
  }

  /** Request a poll: of this process if it follows, or else of the process that does. */
  poke(): void {
    const { settings, term } = this.#context;
    const current = term();
    current?.poke();
    if (current || !settings().checkpoint.poke) return;
    this.#isDue = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Write a request now, and once more a second later if there were more meanwhile. */
  async #write(): Promise<void> {
    const { settings, outage, signal } = this.#context;
    const { checkpoint, sleep, now } = settings();
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false;
      // If this fails, the other process polls after `pollMs`.
      await checkpoint.poke!(now()).catch((error: unknown) => outage.fail(error));
      await sleep(pokeMs, signal);
    }
  }

  /** Poll during a term when another process requests it. */
  async watch(term: Term): Promise<void> {
    const { settings, outage } = this.#context;
    const { checkpoint, sleep } = settings();
    while (checkpoint.poked && !term.ending.aborted) {
      await sleep(pokeMs, term.ending);
      if (term.ending.aborted) return;
      try {
        term.poke(await checkpoint.poked());
      } catch (error) {
        await sleep(outage.fail(error), term.ending);
      }
    }
  }

  /** Wait until the events of a poll that begins after this call are handled. @throws {StreamError} `not_settled`. */
  async settled(timeoutMs: number): Promise<void> {
    const { settings, notifier, describe } = this.#context;
    const timer = new AbortController();
    let error: unknown;
    const late = settings()
      .sleep(timeoutMs, timer.signal)
      .then(() => {
        throw notSettled(describe(), timeoutMs, error);
      });
    try {
      await Promise.race([
        this.#waitFor(timer.signal, (thrown) => {
          error = thrown;
        }),
        late,
      ]);
    } finally {
      timer.abort();
      notifier.notify();
    }
  }

  /** Wait until a new request is applied. The checkpoint may fail meanwhile: `onError` gets its error, or undefined once it works. */
  async #waitFor(ending: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    const { settings, notifier, signal, term, describe } = this.#context;
    let number: number | undefined;
    while (!ending.aborted) {
      // Changes while the checkpoint answers must not be missed.
      const change = notifier.wait();
      let canWait = term() !== undefined;
      try {
        number ??= await this.#request();
        if (await this.#isApplied(number)) return;
        onError(undefined);
      } catch (error) {
        if (error instanceof StreamError) throw error;
        onError(error);
        canWait = false;
      }
      if (signal.aborted) throw notSettled(describe());
      await (canWait ? change : settings().sleep(settleMs, ending));
    }
  }

  /** Request a poll, and return the number of the request. @throws The error of the checkpoint. */
  async #request(): Promise<number> {
    const { settings, term, signal, describe } = this.#context;
    const { checkpoint, now } = settings();
    const isCounted = checkpoint.poke && checkpoint.poked;
    if (signal.aborted || (checkpoint.claim && !isCounted && !term())) throw notSettled(describe());
    return isCounted ? checkpoint.poke!(now()) : ++this.#count;
  }

  async #isApplied(number: number): Promise<boolean> {
    const { settings, term } = this.#context;
    const { checkpoint } = settings();
    const current = term();
    // The term may have begun after the request.
    current?.poke(number);
    if (current || !checkpoint.poked) return current?.hasApplied(number) ?? false;
    const text = await checkpoint.load();
    return text !== undefined && (parsePosition(text).poked ?? 0) >= number;
  }
}
