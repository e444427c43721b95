import { messageOf } from '../errors/message-of.js';
import type { DeadLetter, EventDelivery } from './delivery.js';
import { isInfrastructureFailure } from './infrastructure.js';
import { Lanes } from './lanes.js';
import type { EventsClient } from './latest.js';
import { aheadMs, mayPass, pagesFrom } from './look.js';
import type { Settings } from './options.js';
import { type Place, type Position, textOf } from './position.js';
import { Saver } from './saver.js';
import { checkpointLost, StreamError } from './stream-error.js';
import { type Bell, growingMs, Outage } from './waits.js';
import { type Entry, Window } from './window.js';

/** The next page is fetched when at most this many events are waiting. */
const mostWaiting = 200;
/**
 * A window with fewer events is listed completely at each poll, which takes one request. A longer one, `sweepsPerWindow` times
 * per `overlapMs`.
 */
const shortWindow = 100;
const sweepsPerWindow = 4;
/** Minimum interval between polls, also after `poke`. */
const leastMs = 200;
/** Interval between saves while the feed is quiet. A lost checkpoint is detected within this time. */
const idleSaveMs = 5_000;

/** The part of a stream that its terms use. */
export interface Shared {
  readonly client: EventsClient;
  readonly settings: Settings;
  /** Notifies waiters of changes. */
  readonly bell: Bell;
  /** Outages of the service. */
  readonly outage: Outage;
  /** Called when an event is handled. */
  readonly onHandled: (entry: Entry) => void;
  /** Ends the stream with an error. */
  readonly fail: (error: unknown) => void;
}

/** An event that is handed out or waits for a retry. */
interface Out {
  readonly entry: Entry;
  attempt: number;
  /** Number of consecutive infrastructure failures. */
  outages: number;
  /** Whether the consumer is handling it. */
  isAway: boolean;
}

/** A period of following: from loading the checkpoint until the stream ends or another process takes over. */
export class Term {
  readonly #shared: Shared;
  readonly #window: Window;
  readonly #lanes = new Lanes();
  readonly #out = new Map<Entry, Out>();
  /** Events that are ready for a retry. */
  readonly #again: Out[] = [];
  readonly #saver: Saver;
  readonly #ending = new AbortController();
  /** Aborts when the stream stops waiting for events in progress. */
  readonly #leaving = new AbortController();
  /** Ends the wait for the next poll. */
  #poke = new AbortController();
  #sweptAt = Number.NEGATIVE_INFINITY;
  #isWhole = true;
  #savedLookAt: number;
  #isConflicting = false;
  lookedAt: number;
  /** Offset of the service's clock in milliseconds; positive if it is ahead. */
  aheadMs = 0;

  constructor(shared: Shared, position: Position, saved: string) {
    const { checkpoint, types, overlapMs, sleep, onProblem } = shared.settings;
    this.#shared = shared;
    this.#window = new Window(position, overlapMs);
    this.lookedAt = position.lookedAt;
    this.#savedLookAt = position.lookedAt;
    const author = { by: crypto.randomUUID().slice(0, 8), types };
    this.#saver = new Saver({
      checkpoint,
      saved,
      text: () => textOf(this.#window.position(this.lookedAt), author),
      onConflict: () => this.#conflict(),
      onLost: () => onProblem({ kind: 'checkpoint', error: checkpointLost() }),
      outage: new Outage((error) => onProblem({ kind: 'checkpoint', error })),
      sleep,
    });
  }

  /** Whether another stream has moved the checkpoint. */
  get isConflicting(): boolean {
    return this.#isConflicting;
  }

  /** The last saved text of the checkpoint. */
  get saved(): string | undefined {
    return this.#saver.saved;
  }

  /** Aborts when the term ends. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Number of events that are handed out or wait for a retry. */
  get inFlight(): number {
    return this.#out.size;
  }

  /** Number of events that are not handed out yet. */
  get waiting(): number {
    return this.#lanes.length;
  }

  /** Whether an event waits for the infrastructure to recover. */
  get isHeldUp(): boolean {
    return [...this.#out.values()].some(({ outages }) => outages > 0);
  }

  /** Time of the oldest unhandled event, or undefined if all are handled. */
  get oldest(): number | undefined {
    const times = [...this.#out.keys(), ...(this.#lanes.first ? [this.#lanes.first] : [])].map(({ createdAt }) =>
      Date.parse(createdAt),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  get settled(): Place | undefined {
    const { id, createdAt } = this.#window.settled ?? {};
    return id === undefined || createdAt === undefined ? undefined : { id, createdAt };
  }

  /** Polls for events until the term ends. @throws Errors of the service that a retry cannot fix. */
  async follow(): Promise<void> {
    const { settings, outage } = this.#shared;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      this.#poke = new AbortController();
      try {
        await this.#look();
        outage.end();
        await settings.sleep(leastMs, signal);
        await settings.sleep(Math.max(0, settings.pollMs - leastMs), this.#poke.signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!mayPass(error)) throw error;
        await settings.sleep(outage.fail(error), signal);
      }
    }
  }

  /** Polls now, or once more if a poll is in progress. */
  poke(): void {
    this.#poke.abort();
  }

  async #look(): Promise<void> {
    const { client, settings, bell } = this.#shared;
    const { now, overlapMs } = settings;
    const { signal } = this.#ending;
    const window = this.#window;
    if (window.newest === Number.NEGATIVE_INFINITY) {
      // The newest event tells the minimum time at the service, so that old events need not be listed twice.
      const { data } = await client.events.listEvents({ order: 'desc', limit: 1 }, { signal });
      window.newest = data[0] ? Date.parse(data[0].createdAt) : 0;
    }
    const isSweep = window.size < shortWindow || now() - this.#sweptAt >= overlapMs / sweepsPerWindow;
    if (this.#isWhole && isSweep) {
      window.sweep();
      this.#sweptAt = now();
    }
    this.#isWhole = false;
    const began = now();
    let asked = { now: began, service: window.newest };
    const onHeaders = (headers: Headers): void => {
      this.aheadMs = aheadMs(headers, now());
    };
    const pages = pagesFrom(
      client,
      settings,
      { place: window.end, since: window.since, now: began, onHeaders },
      signal,
    );
    for (;;) {
      const calledAt = now();
      const { value: page, done } = await pages.next();
      if (signal.aborted) return;
      if (done) break;
      const before = window.settled;
      for (const entry of window.list(page, asked)) this.#lanes.add(entry, entry.event!);
      if (window.settled !== before) this.#saver.due();
      // The next page is requested when this one arrives, even if it is processed later.
      asked = { now: calledAt, service: window.newest };
      bell.ring();
      while (this.#lanes.length > mostWaiting && !signal.aborted) await bell.wait();
    }
    window.complete();
    this.#isWhole = true;
    this.lookedAt = began;
    if (began - this.#savedLookAt < idleSaveMs) return;
    this.#savedLookAt = began;
    this.#saver.due();
  }

  /** Hands out the next event. Returns undefined if none is ready or `concurrency` is reached. */
  take(): EventDelivery | undefined {
    for (;;) {
      const out = this.#next();
      if (!out) return undefined;
      const { entry, attempt } = out;
      const event = entry.event!;
      if (event.problem === undefined) return this.#delivery(out, attempt);
      // Handlers cannot process an event that could not be read.
      void this.#bury({ event, error: new Error(event.problem.message), attempts: 0, failedAt: this.#time() }, entry);
    }
  }

  #next(): Out | undefined {
    if (this.#ending.signal.aborted) return undefined;
    const again = this.#again.shift();
    if (again) return again;
    const entry = this.#out.size < this.#shared.settings.concurrency ? this.#lanes.take() : undefined;
    if (!entry) return undefined;
    const out = { entry, attempt: 1, outages: 0, isAway: true };
    this.#out.set(entry, out);
    return out;
  }

  #delivery(out: Out, attempt: number): EventDelivery {
    out.isAway = true;
    let isAnswered = false;
    const answer = (act: () => void) => (): void => {
      if (isAnswered) return;
      isAnswered = true;
      act();
    };
    let error: unknown;
    const fail = answer(() => void this.#failed(out, error));
    return {
      event: out.entry.event!,
      attempt,
      signal: this.#leaving.signal,
      ack: answer(() => this.#handled(out.entry)),
      fail: (reason) => {
        error = reason;
        fail();
      },
    };
  }

  #handled(entry: Entry): void {
    this.#shared.onHandled(entry);
    this.#out.delete(entry);
    this.#lanes.free(entry);
    this.#window.finish(entry);
    this.#saver.due();
    this.#shared.bell.ring();
  }

  async #failed(out: Out, error: unknown): Promise<void> {
    const { settings, bell } = this.#shared;
    const { entry, attempt } = out;
    // The failure may be due to the end of the term. The event is delivered again later.
    if (this.isOver) return this.#withdraw(entry);
    const isOutage = isInfrastructureFailure(error);
    if (!isOutage && attempt > settings.retries)
      return this.#bury({ event: entry.event!, error, attempts: attempt, failedAt: this.#time() }, entry);
    if (isOutage && !this.isHeldUp) settings.onProblem({ kind: 'infrastructure', error, event: entry.event! });
    out.outages = isOutage ? out.outages + 1 : 0;
    this.#withdraw(entry);
    await settings.sleep(growingMs(out.outages || attempt), this.#ending.signal);
    if (this.#ending.signal.aborted) return;
    if (!isOutage) out.attempt += 1;
    this.#again.push(out);
    bell.ring();
  }

  /** Applies `onPoison` to an event. */
  async #bury(letter: DeadLetter, entry: Entry): Promise<void> {
    const { settings, fail } = this.#shared;
    const { onPoison, onProblem } = settings;
    const { signal } = this.#ending;
    const { event, error } = letter;
    if (onPoison === 'halt') {
      this.#withdraw(entry);
      return fail(poison(letter));
    }
    if (onPoison === 'skip') {
      onProblem({ kind: 'poison', error, event });
      return this.#handled(entry);
    }
    const outage = new Outage((reason) => onProblem({ kind: 'poison', error: reason, event }));
    while (!signal.aborted) {
      try {
        await (typeof onPoison === 'function' ? onPoison(letter) : onPoison.add(letter));
        return this.#handled(entry);
      } catch (reason) {
        await settings.sleep(outage.fail(reason), signal);
      }
    }
    this.#withdraw(entry);
  }

  /** Marks an unhandled event as no longer in progress. It is delivered again later. */
  #withdraw(entry: Entry): void {
    const out = this.#out.get(entry);
    if (out) out.isAway = false;
    this.#shared.bell.ring();
  }

  #conflict(): void {
    this.#isConflicting = true;
    this.stop();
  }

  /** Stops polling and handing out events. */
  stop(): void {
    this.#ending.abort();
    this.#poke.abort();
    this.#shared.bell.ring();
  }

  /** Ends the term: waits for events in progress until `timeout` resolves, and saves the checkpoint. */
  async end(patience: Promise<void>): Promise<void> {
    this.stop();
    let isOver = false;
    void patience.then(() => {
      isOver = true;
      this.#shared.bell.ring();
    });
    while (!isOver && [...this.#out.values()].some(({ isAway }) => isAway)) await this.#shared.bell.wait();
    this.#leaving.abort();
    await this.#saver.end();
  }

  #time(): string {
    return new Date(this.#shared.settings.now()).toISOString();
  }
}

function poison(letter: DeadLetter): StreamError {
  const { event, error, attempts } = letter;
  return new StreamError(
    'poison_event',
    {
      what:
        attempts === 0
          ? `The event ${event.id} could not be read`
          : `The handler failed ${attempts} times for the event ${event.id} of type ${event.event}`,
      why: messageOf(error),
      next: "The stream stopped before it. Fix the cause and start again, or pass onPoison: 'skip' or a store for dead letters",
    },
    { cause: error, letter },
  );
}
