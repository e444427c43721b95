import type { LimitNumbers, LimitsStore } from './options.js';

/** The longest that a call waits for the store. */
const patienceMs = 50;
/** How long nobody asks a store that is down, and after how long one that does not answer is. */
const restMs = 1_000;

/** The store has not answered yet; whether it is down is not known. */
export class SlowStore extends Error {}

/** The store that clients share, and whether it is there. One for all limits of a client: its failure is one problem. */
export class SharedStore {
  readonly #store: LimitsStore;
  readonly #onProblem: ((error: Error) => void) | undefined;
  readonly #now: () => number;
  #isDown = false;
  /** Since when it answers too late, by the steady clock. */
  #slowSince: number | undefined;
  #asksAgainAt = 0;

  constructor(store: LimitsStore, onProblem: ((error: Error) => void) | undefined, now: () => number) {
    this.#store = store;
    this.#onProblem = onProblem;
    this.#now = now;
  }

  /** Whether calls go on without it. While it is down it is asked again now and then, and no call waits for that. */
  get isDown(): boolean {
    if (this.#isDown && this.#now() >= this.#asksAgainAt) {
      this.#asksAgainAt = this.#now() + restMs;
      this.read('limits:probe').catch(() => {});
    }
    return this.#isDown;
  }

  read(key: string): Promise<string | undefined> {
    return this.#within(async () => (await this.#store.get(key)) ?? undefined);
  }

  replace(key: string, expected: string | undefined, value: string, ttlMs: number): Promise<boolean> {
    return this.#within(() => this.#store.compareAndSet(key, expected, value, ttlMs));
  }

  async #within<T>(ask: () => Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const refuse = () => reject(new SlowStore('It did not answer within a second'));
      // An answer may have come while this process was busy with something else: it is heard before the second timer.
      timer = setTimeout(() => {
        timer = setTimeout(refuse, 1);
      }, patienceMs);
    });
    const asked = ask().then((answer) => {
      this.#isDown = false;
      this.#slowSince = undefined;
      return answer;
    });
    // It may come when nobody waits for it any more.
    asked.catch(() => {});
    try {
      return await Promise.race([asked, late]);
    } catch (cause) {
      this.#slowSince ??= this.#now();
      // A busy machine answers late too. Who took it for an outage would use what others have taken.
      if (cause instanceof SlowStore && !this.#isDown && this.#now() - this.#slowSince < restMs) throw cause;
      this.#asksAgainAt = this.#now() + restMs;
      if (!this.#isDown) this.#tell(cause);
      this.#isDown = true;
      throw cause;
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(cause: unknown): void {
    const text =
      'The store of limits cannot be reached. Until it is back, this client keeps to the limits by itself and the replicas together may exceed them. Look after the store';
    try {
      this.#onProblem?.(new Error(text, { cause }));
    } catch {}
  }
}

/** How much of a window is left unused at its end, so that what was sent in it has arrived before the service's window ends. */
const marginOf = (windowMs: number): number => Math.max(50, windowMs / 20);

/**
 * This client's part of an allowance that replicas share. The store counts what is taken in a window that begins with whoever takes first;
 * the next begins when the service's own, begun by the first of these requests, is over for certain. A part that is not used in its
 * window is lost.
 */
export class Lease {
  readonly #shared: SharedStore;
  readonly #key: string;
  readonly #allowed: number;
  readonly #size: number;
  readonly #windowMs: number;
  /** By the wall clock, which replicas share. */
  readonly #now: () => number;
  #left = 0;
  #endsAt = 0;
  /** When it last took a part without the store, by the wall clock. */
  #helpedItselfAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;

  constructor(shared: SharedStore, key: string, { requests, seconds }: LimitNumbers, now: () => number) {
    this.#shared = shared;
    this.#key = key;
    this.#allowed = requests;
    this.#size = Math.min(50, Math.ceil(requests / 20));
    this.#windowMs = seconds * 1_000;
    this.#now = now;
  }

  /** Whether a request may be sent by what was taken, or must not wait for the store because it is down. */
  hasPlace(): boolean {
    return (this.#left > 0 && this.#now() < this.#endsAt) || this.#shared.isDown;
  }

  take(): void {
    this.#left = Math.max(0, this.#left - 1);
  }

  /** Takes the next part of the allowance, and says when there is news. */
  renew(onNews: () => void): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const news = (problem?: unknown) => {
      this.#isAsking = false;
      if (problem instanceof SlowStore) this.#helpItself();
      onNews();
    };
    this.#ask().then((waitMs) => {
      if (waitMs <= 0) return news();
      const timer: { unref?: () => void } | number = setTimeout(() => news(), waitMs);
      // The deadlines of calls that wait keep the process alive; where none waits any more, nothing does.
      if (typeof timer === 'object') timer.unref?.();
    }, news);
  }

  /** Takes one part without the store, which answers too late, so that no call waits for it for long. */
  #helpItself(): void {
    const now = this.#now();
    if (Math.abs(now - this.#helpedItselfAt) < Math.max(restMs, this.#windowMs)) return;
    this.#helpedItselfAt = now;
    this.#left = this.#size;
    this.#endsAt = now + this.#windowMs;
  }

  /** Milliseconds after which to ask again; 0 where a part was had. @throws where the store is down */
  async #ask(): Promise<number> {
    const margin = marginOf(this.#windowMs);
    for (;;) {
      const text = await this.#shared.read(this.#key);
      const now = this.#now();
      const [taken = 0, began = now] = text?.split(' ').map(Number) ?? [];
      // A clock that was set back must not keep anybody waiting for longer than a window.
      const isOver = began > now + margin || began + this.#windowMs + margin <= now;
      const window = isOver ? { taken: 0, began: now } : { taken, began };
      const endsAt = window.began + this.#windowMs - margin;
      const size = Math.min(this.#size, this.#allowed - window.taken);
      if (size <= 0 || now >= endsAt) return Math.ceil(window.began + this.#windowMs + margin - now);
      const next = `${window.taken + size} ${window.began}`;
      if (!(await this.#shared.replace(this.#key, text, next, this.#windowMs * 2 + margin))) continue;
      this.#left = size;
      this.#endsAt = endsAt;
      return 0;
    }
  }
}
