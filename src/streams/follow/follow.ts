import { Notifier } from '../../async/notifier.js';
import { onAbort } from '../../async/on-abort.js';
import { messageOf, problemOf } from '../../errors/problem.js';
import { withoutRecognizable } from '../../errors/redact.js';
import type { EventDelivery, StreamContext } from '../delivery.js';
import { Outage } from '../outage.js';
import type { EventHandler } from '../registry.js';
import { checkpointConflict, checkpointLost, checkpointProblem, StreamError } from '../stream-error.js';
import { type EventsClient, latest } from './latest.js';
import { Lease } from './lease.js';
import { type FollowOptions, type Settings, settingsOf } from './options.js';
import { Pokes } from './pokes.js';
import { checkCheckpointAge, isRetryable } from './polls.js';
import { type EventRef, type Position, parsePosition, serializePosition } from './position.js';
import { type StreamHealth, type StreamState, type StreamStatus, streamHealth } from './status.js';
import { Term } from './term.js';

/** A handler for `run`. */
export type StreamHandler =
  | EventHandler<StreamContext>
  | ((event: Parameters<EventHandler>[0], context: StreamContext) => unknown);

/** A stream of events. It starts with `run` or with iteration. */
export interface Stream extends AsyncIterable<EventDelivery> {
  /** Iterate over events. Acknowledge each one. Leaving the loop closes the stream. Throws the same errors as `run`. */
  [Symbol.asyncIterator](): AsyncIterator<EventDelivery, undefined>;
  /**
   * Call a handler with each event, and acknowledge the event when the handler has succeeded. Resolves when the stream is closed
   * or its signal aborts. If `follow` got no `events`, the stream requests the types of the handler.
   *
   * @throws {StreamError} An event could not be handled, or the checkpoint cannot be used.
   */
  run(handler: StreamHandler): Promise<void>;
  /**
   * Poll for events now, for example from a webhook handler. If another process follows, it polls within a second or so; that needs a checkpoint
   * in a store. Can be passed as a callback: it uses neither `this` nor arguments.
   */
  poke(): void;
  /**
   * Wait until a poll that begins after this call is complete and its events are handled, by this process or the one that follows. Waits at
   * most `timeoutMs`, default 10,000.
   *
   * @throws {StreamError} `not_settled`: it took longer, the stream has ended, or the checkpoint cannot tell what another process did.
   */
  settled(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** Get the status of the stream. */
  status(): StreamStatus;
  /** Check the health of the stream: it is running or standing by, and `lagMs` is at most `maxLagMs`, default 300,000. */
  health(options?: { readonly maxLagMs?: number | undefined }): StreamHealth;
  /** Stop handing out events, wait up to `timeoutMs`, default 10,000, for events in progress, and save the checkpoint. */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Follow events from the checkpoint on. Each event is delivered at least once, and the events of each object arrive in order. No
 * event is lost, even if it appears late, the service fails, the process restarts or several replicas run.
 *
 * @throws {ConfigurationError} An option is invalid.
 * @example
 * const stream = follow(sallyport, { checkpoint: storeCheckpoint(store, 'directory'), signal });
 * await stream.run(on({ 'user.created': (event) => welcome(event.data.email) }));
 */
export const follow = (client: EventsClient, options: FollowOptions = {}): Stream =>
  streamOf(client, settingsOf(options), options.signal);

/** Create a stream from checked options. */
export function streamOf(client: EventsClient, settings: Settings, signal: AbortSignal | undefined): Stream {
  let follower: Follower | undefined;
  // A module of a worker may create the stream, but neither random values nor an AbortController.
  const used = (): Follower => {
    follower ??= new Follower(client, settings, signal);
    return follower;
  };
  return {
    [Symbol.asyncIterator]: () => used().iterator(),
    run: (handler) => used().run(handler),
    poke: () => used().pokes.poke(),
    settled: async ({ timeoutMs = 10_000 } = {}) => used().pokes.settled(timeoutMs),
    status: () => used().status(),
    health: ({ maxLagMs = 300_000 } = {}) => streamHealth(used().status(), maxLagMs),
    close: ({ timeoutMs } = {}) => used().close(timeoutMs),
  };
}

class Follower {
  readonly #client: EventsClient;
  #settings: Settings;
  readonly #notifier = new Notifier();
  readonly #ending = new AbortController();
  readonly #service: Outage;
  readonly #checkpoint: Outage;
  readonly #lease: Lease;
  readonly pokes: Pokes;
  /** Removes the listener from the caller's signal. */
  readonly #removeAbortListener: () => void;
  #isStarted = false;
  #term: Term | undefined;
  #work: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #handled = 0;
  #lastEvent: EventRef | undefined;
  #lastError: { readonly message: string; readonly at: string } | undefined;

  constructor(client: EventsClient, settings: Settings, signal: AbortSignal | undefined) {
    this.#client = client;
    const onProblem: Settings['onProblem'] = (problem) => {
      this.#note(problem.cause);
      settings.onProblem(problem);
    };
    this.#settings = { ...settings, onProblem };
    this.#service = new Outage((error) => onProblem(problemOf('service', 'The events could not be fetched', error)));
    this.#checkpoint = new Outage((error) => {
      if (!this.#term?.isUnsaved) onProblem(checkpointProblem(error));
    });
    const current = (): Settings => this.#settings;
    this.#lease = new Lease(current, this.#checkpoint, this.#ending.signal);
    this.pokes = new Pokes({
      settings: current,
      notifier: this.#notifier,
      outage: this.#checkpoint,
      term: () => this.#term,
      describe: () => [this.#state(), this.#lastError?.message].filter(Boolean).join(': '),
      signal: this.#ending.signal,
    });
    this.#removeAbortListener = onAbort(signal, () => void this.close());
    if (signal?.aborted) void this.close();
  }

  #note(error: unknown): void {
    this.#lastError = {
      message: withoutRecognizable(messageOf(error)),
      at: new Date(this.#settings.now()).toISOString(),
    };
  }

  /** @throws {StreamError} `stream_in_use`. */
  #start(events: Settings['events']): void {
    if (this.#isStarted)
      throw new StreamError('stream_in_use', {
        what: 'This stream is already running',
        why: 'A stream has one reader, which gets each event',
        next: 'Call follow once for each reader, each with its own checkpoint',
      });
    this.#isStarted = true;
    this.#lease.movedAt = this.#settings.now();
    this.#settings = { ...this.#settings, events: this.#settings.events ?? events };
    if (!this.#ending.signal.aborted) this.#work = this.#followRepeatedly();
  }

  iterator(): AsyncIterator<EventDelivery, undefined> {
    this.#start(undefined);
    return {
      next: async () => {
        const delivery = await this.#next();
        if (delivery) return { value: delivery, done: false };
        await this.#finished();
        return { value: undefined, done: true };
      },
      return: async () => {
        await this.close(0);
        return { value: undefined, done: true };
      },
    };
  }

  async run(handler: StreamHandler): Promise<void> {
    this.#start((handler as Partial<EventHandler>).events);
    const work = async (): Promise<void> => {
      for (let one = await this.#next(); one; one = await this.#next()) {
        const { event, attempt, signal } = one;
        try {
          await handler(event, { signal, attempt });
          one.ack();
        } catch (error) {
          this.#note(error);
          one.fail(error);
        }
      }
    };
    const handling = Promise.all(Array.from({ length: this.#settings.concurrency }, work));
    // A handler that never finishes must not delay the end of the stream.
    await Promise.race([handling, new Promise((resolve) => onAbort(this.#ending.signal, () => resolve(undefined)))]);
    await this.#finished();
  }

  async #next(): Promise<EventDelivery | undefined> {
    while (!this.#ending.signal.aborted) {
      const delivery = this.#term?.take();
      if (delivery) return delivery;
      if (!this.#ending.signal.aborted) await this.#notifier.wait();
    }
    return undefined;
  }

  /** Wait for the end of the stream. @throws The error that ended the stream. */
  async #finished(): Promise<void> {
    await this.close();
    if (this.#failure) throw this.#failure.error;
  }

  close(timeoutMs = 10_000): Promise<void> {
    this.#closing ??= this.#finish(timeoutMs);
    return this.#closing;
  }

  async #finish(timeoutMs: number): Promise<void> {
    this.#ending.abort();
    this.#removeAbortListener();
    this.#term?.stop();
    this.#notifier.notify();
    const timer = new AbortController();
    await this.#term?.end(timeoutMs > 0 ? this.#settings.sleep(timeoutMs, timer.signal) : Promise.resolve());
    timer.abort();
    await this.#work;
    if (this.#isStarted) await this.#lease.release();
  }

  #fail = (error: unknown): void => {
    if (this.#ending.signal.aborted) return;
    this.#failure = { error };
    this.#note(error);
    void this.close();
  };

  /** Follow whenever this process holds the lease, until the stream ends. */
  async #followRepeatedly(): Promise<void> {
    const { signal } = this.#ending;
    try {
      while (!signal.aborted) {
        await this.#retry(this.#checkpoint, () => this.#lease.claim());
        const term = await this.#startTerm();
        if (!term || signal.aborted) return;
        this.#term = term;
        this.#notifier.notify();
        await Promise.all([term.follow(), this.#lease.renew(term), this.pokes.watch(term)]);
        // If the stream is closing, `#finish` waits for events in progress.
        if (signal.aborted) return;
        this.#term = undefined;
        await term.end(Promise.resolve());
        this.#lease.note(term.saved);
        if (term.isConflicting && !this.#settings.checkpoint.claim) throw checkpointConflict();
      }
    } catch (error) {
      this.#term?.stop();
      this.#fail(error);
    }
  }

  async #startTerm(): Promise<Term | undefined> {
    const { checkpoint, now } = this.#settings;
    const text = (await this.#retry(this.#checkpoint, () => checkpoint.load())) ?? (await this.#saveFirst());
    if (this.#ending.signal.aborted) return undefined;
    if (text === undefined) throw checkpointConflict();
    const position = parsePosition(text);
    checkCheckpointAge(position.polledAt, now());
    const context = {
      client: this.#client,
      settings: this.#settings,
      notifier: this.#notifier,
      outage: this.#service,
      checkpointOutage: this.#checkpoint,
      onHandled: ({ id, createdAt }: EventRef) => {
        this.#handled += 1;
        this.#lastEvent = { id, createdAt };
      },
      fail: this.#fail,
    };
    return new Term(context, position, text);
  }

  /**
   * Save the first checkpoint before any event is handed out, so that the next process starts there and ignores its `start`. If
   * another process saved one first, return that text.
   */
  async #saveFirst(): Promise<string | undefined> {
    const { checkpoint, onProblem } = this.#settings;
    const { copy, ownerId } = this.#lease;
    const first = copy ?? serializePosition(await this.#startPosition(), { by: ownerId, types: this.#settings.events });
    const isSaved = await this.#retry(this.#checkpoint, () => checkpoint.save(first, undefined));
    if (!isSaved) return this.#retry(this.#checkpoint, () => checkpoint.load());
    if (copy !== undefined) onProblem(checkpointProblem(checkpointLost()));
    return first;
  }

  /** Find the start position of a stream without a checkpoint. */
  async #startPosition(): Promise<Position> {
    const { start, now, events, organizationId } = this.#settings;
    const newest =
      start === 'latest'
        ? await this.#retry(this.#service, () => latest(this.#client, { events, organizationId }))
        : undefined;
    const settled = newest && { id: newest.id, createdAt: newest.createdAt };
    const since = start === 'oldest' || start === 'latest' ? undefined : start;
    return { settled, since, polledAt: now(), handled: new Map() };
  }

  /** Retry until the function succeeds, or the stream ends and it returns undefined. @throws Errors that a retry cannot fix. */
  async #retry<T>(outage: Outage, act: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        const result = await act();
        outage.end();
        return result;
      } catch (error) {
        if (error instanceof StreamError || (outage === this.#service && !isRetryable(error))) throw error;
        await this.#settings.sleep(outage.fail(error), signal);
      }
    }
    return undefined;
  }

  #state(): StreamState {
    if (this.#failure) return 'failed';
    if (this.#ending.signal.aborted) return 'closed';
    if (!this.#isStarted) return 'new';
    if (this.#service.isActive || this.#checkpoint.isActive || this.#term?.isUnsaved || this.#term?.isBlocked)
      return 'outage';
    return this.#lease.isStandby ? 'standby' : this.#term ? 'following' : 'starting';
  }

  status(): StreamStatus {
    const { now } = this.#settings;
    const term = this.#term;
    // Event times use the clock of the service.
    const oldest = term?.oldest && term.oldest - term.aheadMs;
    const since = oldest ?? term?.polledAt ?? (this.#isStarted ? this.#lease.movedAt : now());
    return {
      state: this.#state(),
      lagMs: Math.max(0, now() - since),
      inFlight: term?.inFlight ?? 0,
      waiting: term?.waiting ?? 0,
      handled: this.#handled,
      lastEvent: this.#lastEvent,
      lastError: this.#lastError,
      checkpoint: term?.settled,
    };
  }
}
