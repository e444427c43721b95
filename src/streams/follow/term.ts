import { subscribed } from '../../async/diagnostics.js';
import type { Notifier } from '../../async/notifier.js';
import { problemOf } from '../../errors/problem.js';
import type { DeadLetter, EventDelivery, StreamEventRecord } from '../delivery.js';
import { backoffMs, Outage } from '../outage.js';
import { checkpointLost, checkpointProblem, poisonEvent } from '../stream-error.js';
import { Lanes } from './lanes.js';
import type { EventsClient } from './latest.js';
import type { Settings } from './options.js';
import { aheadMs, isRetryable, listPages } from './polls.js';
import { type EventRef, type SavedPosition, serializePosition } from './position.js';
import { Requests } from './requests.js';
import { Saver } from './saver.js';
import { Window, type WindowEntry } from './window.js';

/** The next page is fetched when at most this many events are waiting. */
const maxWaiting = 200;
/**
 * A window with fewer events is listed completely at each poll, which takes one request. A larger one is listed `sweepsPerWindow`
 * times per `overlapMs`.
 */
const shortWindow = 100;
const sweepsPerWindow = 4;
/** Minimum interval between polls, also after `poke`. */
const minPollMs = 200;
/** Interval between saves while the feed is quiet. A lost checkpoint is detected within this time. */
const idleSaveMs = 5_000;

/** The part of a stream that its terms use. */
export interface TermContext {
  readonly client: EventsClient;
  readonly settings: Settings;
  /** Notifies waiters of changes. */
  readonly notifier: Notifier;
  /** Outages of the service. */
  readonly outage: Outage;
  /** Outages of the checkpoint, apart from those of saving it. */
  readonly checkpointOutage: Outage;
  /** Called when an event is handled. */
  readonly onHandled: (entry: WindowEntry) => void;
  /** Ends the stream with an error. */
  readonly fail: (error: unknown) => void;
}

/** An event that is handed out or waits for a retry. */
interface Task {
  readonly entry: WindowEntry;
  attempt: number;
  /** Number of consecutive failures of the infrastructure, or of storing the dead letter. */
  outages: number;
  /** Whether the consumer is handling it. */
  isInProgress: boolean;
}

/** A period of following: from loading the checkpoint until the stream ends or another process takes over. */
export class Term {
  readonly #context: TermContext;
  readonly #window: Window;
  readonly #lanes = new Lanes();
  readonly #inFlight = new Map<WindowEntry, Task>();
  /** Events that are ready for a retry. */
  readonly #retries: Task[] = [];
  readonly #saver: Saver;
  readonly #savingOutage: Outage;
  readonly #ending = new AbortController();
  /** Aborts when the stream stops waiting for events in progress. */
  readonly #abandoning = new AbortController();
  /** Ends the wait for the next poll. */
  #pollNow = new AbortController();
  #sweptAt = Number.NEGATIVE_INFINITY;
  #isComplete = true;
  #savedPollAt: number;
  /** Whether another stream has moved the checkpoint. */
  isConflicting = false;
  readonly #requests: Requests;
  polledAt: number;
  /** Offset of the service's clock in milliseconds; positive if it is ahead. */
  aheadMs = 0;

  constructor(context: TermContext, position: SavedPosition, saved: string) {
    const { checkpoint, events: types, overlapMs, sleep, onProblem } = context.settings;
    this.#context = context;
    this.#window = new Window(position, overlapMs);
    this.polledAt = position.polledAt;
    this.#requests = new Requests((checkpoint.poked && position.poked) ?? 0);
    this.#savedPollAt = position.polledAt;
    const author = { by: crypto.randomUUID().slice(0, 8), types };
    this.#savingOutage = new Outage((error) => {
      if (!context.checkpointOutage.isActive) onProblem(checkpointProblem(error));
    });
    const text = (): string =>
      serializePosition(this.#window.position(this.polledAt), {
        ...author,
        poked: (checkpoint.poked && this.#requests.applied) || undefined,
      });
    const onConflict = (): void => {
      this.isConflicting = true;
      this.stop();
    };
    const onLost = (): void => onProblem(checkpointProblem(checkpointLost()));
    const outage = this.#savingOutage;
    this.#saver = new Saver({ checkpoint, saved, text, onConflict, onLost, outage }, sleep);
  }

  /** The last saved text of the checkpoint. */
  get saved(): string | undefined {
    return this.#saver.saved;
  }

  /** Aborts when the term ends. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Number of events that are handed out or wait for a retry. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Number of events that are not handed out yet. */
  get waiting(): number {
    return this.#lanes.length;
  }

  /** Whether the checkpoint cannot be saved. */
  get isUnsaved(): boolean {
    return this.#savingOutage.isActive;
  }

  /** Whether an event waits for the infrastructure, or for the store of dead letters, to recover. */
  get isBlocked(): boolean {
    return [...this.#inFlight.values()].some(({ outages }) => outages > 0);
  }

  /** Time of the oldest unhandled event, or undefined if all are handled. */
  get oldest(): number | undefined {
    const times = [...this.#inFlight.keys(), ...(this.#lanes.first ? [this.#lanes.first] : [])].map(({ createdAt }) =>
      Date.parse(createdAt),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  get settled(): EventRef | undefined {
    const { id, createdAt } = this.#window.settled ?? {};
    return id === undefined || createdAt === undefined ? undefined : { id, createdAt };
  }

  /** Poll for events until the term ends. @throws Errors of the service that a retry cannot fix. */
  async follow(): Promise<void> {
    const { settings, outage } = this.#context;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      this.#pollNow = new AbortController();
      try {
        await this.#pollFeed();
        outage.end();
        await settings.sleep(minPollMs, signal);
        await settings.sleep(Math.max(0, settings.pollMs - minPollMs), this.#pollNow.signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!isRetryable(error)) throw error;
        await settings.sleep(outage.fail(error), signal);
      }
    }
  }

  /** Poll now, or once more if a poll is in progress. With a number, only if it is higher than those before. */
  poke(number?: number): void {
    if (number === undefined || this.#requests.add(number)) this.#pollNow.abort();
  }

  /** Whether the events of the poll for a request are handled. */
  hasApplied(number: number): boolean {
    return this.#requests.applied >= number;
  }

  #settleRequests(): void {
    if (!this.#requests.settle()) return;
    this.#saver.schedule();
    this.#context.notifier.notify();
  }

  async #pollFeed(): Promise<void> {
    const { now } = this.#context.settings;
    const number = this.#requests.highest;
    await this.#findNewest();
    this.#sweepIfDue();
    this.#isComplete = false;
    const began = now();
    await this.#listNew(began);
    if (this.ending.aborted) return;
    this.#window.complete();
    this.#isComplete = true;
    this.polledAt = began;
    this.#requests.complete(number, () => [...this.#inFlight.keys(), ...this.#lanes.entries()]);
    this.#settleRequests();
    if (began - this.#savedPollAt < idleSaveMs) return;
    this.#savedPollAt = began;
    this.#saver.schedule();
  }

  /** The time of the newest event is a lower bound for the clock of the service, so that old events need not be listed twice. */
  async #findNewest(): Promise<void> {
    const window = this.#window;
    if (window.newest !== Number.NEGATIVE_INFINITY) return;
    const { data } = await this.#context.client.events.listEvents(
      { order: 'desc', limit: 1 },
      { signal: this.#ending.signal },
    );
    window.newest = data[0] ? Date.parse(data[0].createdAt) : 0;
  }

  #sweepIfDue(): void {
    const { now, overlapMs } = this.#context.settings;
    const isDue = this.#window.size < shortWindow || now() - this.#sweptAt >= overlapMs / sweepsPerWindow;
    if (!this.#isComplete || !isDue) return;
    this.#window.sweep();
    this.#sweptAt = now();
  }

  /** List the feed to its end, unless the term ends. */
  async #listNew(began: number): Promise<void> {
    const { client, settings, notifier } = this.#context;
    const { now } = settings;
    const { signal } = this.#ending;
    const window = this.#window;
    const onHeaders = (headers: Headers): void => {
      this.aheadMs = aheadMs(headers, now());
    };
    const start = { cursor: window.end, since: window.since, now: began, onHeaders };
    const pages = listPages(client, settings, start, signal);
    for (let requested = { now: began, service: window.newest }; ; ) {
      const calledAt = now();
      const { value: page, done } = await pages.next();
      if (signal.aborted || done) return;
      const before = window.settled;
      for (const entry of window.list(page, requested)) this.#lanes.add(entry, entry.event!);
      if (window.settled !== before) this.#saver.schedule();
      // The next page is requested when this one arrives, even if it is processed later.
      requested = { now: calledAt, service: window.newest };
      notifier.notify();
      while (this.#lanes.length > maxWaiting && !signal.aborted) await notifier.wait();
    }
  }

  /** Hand out the next event. Returns undefined if none is ready or `concurrency` is reached. */
  take(): EventDelivery | undefined {
    for (;;) {
      const task = this.#next();
      if (!task) return undefined;
      const { entry, attempt } = task;
      const event = entry.event!;
      if (event.problem === undefined) return this.#delivery(task, attempt);
      // Handlers cannot process an event that could not be read.
      this.#publish(entry, 'failed', 0);
      void this.#handlePoison(
        { event, error: new Error(event.problem.message), attempts: 0, failedAt: this.#time() },
        entry,
      );
    }
  }

  #next(): Task | undefined {
    if (this.#ending.signal.aborted) return undefined;
    const retry = this.#retries.shift();
    if (retry) return retry;
    const entry = this.#inFlight.size < this.#context.settings.concurrency ? this.#lanes.take() : undefined;
    if (!entry) return undefined;
    const task = { entry, attempt: 1, outages: 0, isInProgress: true };
    this.#inFlight.set(entry, task);
    return task;
  }

  #delivery(task: Task, attempt: number): EventDelivery {
    task.isInProgress = true;
    let isAnswered = false;
    const answer = (outcome: StreamEventRecord['outcome'], act: () => void): void => {
      if (isAnswered) return;
      isAnswered = true;
      this.#publish(task.entry, outcome, attempt);
      act();
    };
    return {
      event: task.entry.event!,
      attempt,
      signal: this.#abandoning.signal,
      ack: () => answer('handled', () => this.#acknowledge(task.entry)),
      fail: (error) => answer('failed', () => void this.#handleFailure(task, error)),
    };
  }

  #publish({ createdAt }: EventRef, outcome: StreamEventRecord['outcome'], attempt: number): void {
    subscribed<StreamEventRecord>('stream:event')?.publish({
      outcome,
      attempt,
      lagMs: Math.max(0, this.#context.settings.now() + this.aheadMs - Date.parse(createdAt)),
    });
  }

  #acknowledge(entry: WindowEntry): void {
    this.#context.onHandled(entry);
    this.#inFlight.delete(entry);
    this.#lanes.free(entry);
    this.#window.finish(entry);
    this.#settleRequests();
    this.#saver.schedule();
    this.#context.notifier.notify();
  }

  async #handleFailure(task: Task, error: unknown): Promise<void> {
    const { settings, notifier } = this.#context;
    const { entry, attempt } = task;
    // The failure may be due to the end of the term. The event is delivered again later.
    if (this.ending.aborted) return this.#release(entry);
    const isOutage = settings.isOutage(error);
    if (!isOutage && attempt > settings.maxRetries)
      return this.#handlePoison({ event: entry.event!, error, attempts: attempt, failedAt: this.#time() }, entry);
    if (isOutage && !this.isBlocked)
      settings.onProblem({ ...problemOf('infrastructure', 'The handler has to wait', error), event: entry.event! });
    task.outages = isOutage ? task.outages + 1 : 0;
    this.#release(entry);
    await settings.sleep(backoffMs(task.outages || attempt), this.#ending.signal);
    if (this.#ending.signal.aborted) return;
    if (!isOutage) task.attempt += 1;
    this.#retries.push(task);
    notifier.notify();
  }

  /** Apply `onPoison` to an event. */
  async #handlePoison(letter: DeadLetter, entry: WindowEntry): Promise<void> {
    const { settings, fail } = this.#context;
    const { onPoison, onProblem } = settings;
    const { signal } = this.#ending;
    const { event, error } = letter;
    const task = this.#inFlight.get(entry);
    if (onPoison === 'halt') {
      this.#release(entry);
      return fail(poisonEvent(letter));
    }
    if (onPoison === 'skip') {
      onProblem({ ...problemOf('poison', `The event ${event.id} was skipped`, error), event });
      return this.#acknowledge(entry);
    }
    const outage = new Outage((reason) =>
      onProblem({ ...problemOf('poison', `The event ${event.id} could not be put aside`, reason), event }),
    );
    while (!signal.aborted) {
      try {
        await (typeof onPoison === 'function' ? onPoison(letter) : onPoison.add(letter));
        return this.#acknowledge(entry);
      } catch (reason) {
        if (task) task.outages += 1;
        await settings.sleep(outage.fail(reason), signal);
      }
    }
    this.#release(entry);
  }

  /** Mark an unhandled event as no longer in progress. It is delivered again later. */
  #release(entry: WindowEntry): void {
    const task = this.#inFlight.get(entry);
    if (task) task.isInProgress = false;
    this.#context.notifier.notify();
  }

  /** Stop polling and handing out events. */
  stop(): void {
    this.#ending.abort();
    this.#pollNow.abort();
    this.#context.notifier.notify();
  }

  /** End the term: wait for events in progress until `timeout` resolves, and save the checkpoint. */
  async end(timeout: Promise<void>): Promise<void> {
    this.stop();
    let isOver = false;
    void timeout.then(() => {
      isOver = true;
      this.#context.notifier.notify();
    });
    while (!isOver && [...this.#inFlight.values()].some(({ isInProgress }) => isInProgress))
      await this.#context.notifier.wait();
    this.#abandoning.abort();
    await this.#saver.end();
  }

  #time(): string {
    return new Date(this.#context.settings.now()).toISOString();
  }
}
