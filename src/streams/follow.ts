import { messageOf } from '../errors/message-of.js';
import { withoutRecognizable } from '../errors/redact.js';
import { onAbort } from '../http/on-abort.js';
import type { EventDelivery, StreamContext } from './delivery.js';
import { type EventsClient, latest } from './latest.js';
import { checkAge, mayPass } from './look.js';
import { type FollowOptions, type Settings, settingsOf } from './options.js';
import { type Place, type Position, positionIn, textOf } from './position.js';
import type { EventHandler } from './registry.js';
import { healthOf, type StreamHealth, type StreamState, type StreamStatus } from './status.js';
import { checkpointConflict, checkpointLost, checkpointOfOther, StreamError } from './stream-error.js';
import { Term } from './term.js';
import { Bell, Outage } from './waits.js';

/** For how long a process has the right to follow, and how often it prolongs it or asks for it. */
const lease = { ms: 10_000, prolongedMs: 3_000, askedMs: 2_000 };

/** Milliseconds until a stream is refused whose checkpoint another stream uses. */
const otherMs = 20_000;

/**
 * Whether two streams ask for different events: each has a type that the other one lacks. If only one of them has more, they are two
 * releases of one application.
 */
const areOther = (mine: readonly string[], theirs: readonly string[]): boolean =>
  mine.some((type) => !theirs.includes(type)) && theirs.some((type) => !mine.includes(type));

/** What `run` calls with each event. */
export type StreamHandler =
  | EventHandler<StreamContext>
  | ((event: Parameters<EventHandler>[0], context: StreamContext) => unknown);

/** A stream of events: what `follow` gives. It begins when it is iterated over, or run. */
export interface Stream extends AsyncIterable<EventDelivery> {
  /** Hands out events, each to be acknowledged; leaving the loop closes the stream. Throws as `run` does. */
  [Symbol.asyncIterator](): AsyncIterator<EventDelivery, undefined>;
  /**
   * Call a handler with each event, and acknowledge what it has handled. Resolves when the stream is closed, or its signal aborts.
   * Where `follow` was not told which types, those that the handler has are asked for.
   *
   * @throws {StreamError} An event could not be handled, or the checkpoint cannot be used.
   */
  run(handler: StreamHandler): Promise<void>;
  /** Look for events now, and not only when the time has come: from a webhook handler, say. A plain function, of any arguments. */
  poke(): void;
  /** Say how the stream is doing. */
  status(): StreamStatus;
  /** Say in one line how the stream is doing, and whether that is well: nothing waits longer than `maxLagMs`, default five minutes. */
  health(options?: { readonly maxLagMs?: number | undefined }): StreamHealth;
  /** End the stream: hand out nothing more, wait for what is out, ten seconds by default, and save the checkpoint. */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Follow what happens: every event at least once, in the order of the feed for each object, from where the checkpoint stands. Events
 * that appear late, failures of the service, restarts and several replicas lose none.
 *
 * @throws {ConfigurationError} An option is wrong.
 * @example
 * const stream = follow(sallyport, { checkpoint: storeCheckpoint(store, 'directory'), signal });
 * await stream.run(on({ 'user.created': (event) => welcome(event.data.email) }));
 */
export function follow(client: EventsClient, options: FollowOptions = {}): Stream {
  const follower = new Follower(client, settingsOf(options), options.signal);
  return {
    [Symbol.asyncIterator]: () => follower.iterator(),
    run: (handler) => follower.run(handler),
    poke: () => follower.poke(),
    status: () => follower.status(),
    health: ({ maxLagMs = 300_000 } = {}) => healthOf(follower.status(), maxLagMs),
    close: ({ timeoutMs } = {}) => follower.close(timeoutMs),
  };
}

class Follower {
  readonly #client: EventsClient;
  #settings: Settings;
  readonly #bell = new Bell();
  readonly #ending = new AbortController();
  readonly #service: Outage;
  readonly #checkpoint: Outage;
  readonly #me = crypto.randomUUID();
  /** Takes back that the caller's signal ends the stream. */
  readonly #forget: () => void;
  #isStarted = false;
  /** Whether another process follows. */
  #isStandby = false;
  /** The checkpoint as this process has seen it last, in case the store loses it. */
  #copy: string | undefined;
  /** When this process has seen the checkpoint of another process move, or when the stream began. */
  #movedAt = 0;
  #term: Term | undefined;
  #work: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #handled = 0;
  #lastEvent: Place | undefined;
  #lastError: { readonly message: string; readonly at: string } | undefined;

  constructor(client: EventsClient, settings: Settings, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#settings = { ...settings, onProblem: (problem) => this.#report(problem, settings.onProblem) };
    this.#service = new Outage((error) => this.#settings.onProblem({ kind: 'service', error }));
    this.#checkpoint = new Outage((error) => this.#settings.onProblem({ kind: 'checkpoint', error }));
    this.#forget = onAbort(signal, () => void this.close());
    if (signal?.aborted) void this.close();
  }

  #report(problem: Parameters<Settings['onProblem']>[0], tell: Settings['onProblem']): void {
    this.#note(problem.error);
    tell(problem);
  }

  #note(error: unknown): void {
    this.#lastError = {
      message: withoutRecognizable(messageOf(error)),
      at: new Date(this.#settings.now()).toISOString(),
    };
  }

  /** @throws {StreamError} `stream_in_use`. */
  #start(types: Settings['types']): void {
    if (this.#isStarted)
      throw new StreamError('stream_in_use', {
        what: 'This stream is iterated over or run already',
        why: 'Each event goes to one reader',
        next: 'Call follow once for each reader, with a checkpoint of its own',
      });
    this.#isStarted = true;
    this.#movedAt = this.#settings.now();
    this.#settings = { ...this.#settings, types: this.#settings.types ?? types };
    if (!this.#ending.signal.aborted) this.#work = this.#followOn();
  }

  iterator(): AsyncIterator<EventDelivery, undefined> {
    this.#start(undefined);
    return {
      next: async () => {
        const delivery = await this.#take();
        if (delivery) return { value: delivery, done: false };
        await this.#ended();
        return { value: undefined, done: true };
      },
      return: async () => {
        await this.close(0);
        return { value: undefined, done: true };
      },
    };
  }

  async run(handler: StreamHandler): Promise<void> {
    this.#start((handler as Partial<EventHandler>).types);
    const work = async (): Promise<void> => {
      for (let one = await this.#take(); one; one = await this.#take()) {
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
    // A handler that never ends must not hold up the end of the stream.
    await Promise.race([handling, new Promise((resolve) => onAbort(this.#ending.signal, () => resolve(undefined)))]);
    await this.#ended();
  }

  async #take(): Promise<EventDelivery | undefined> {
    while (!this.#ending.signal.aborted) {
      const delivery = this.#term?.take();
      if (delivery) return delivery;
      if (!this.#ending.signal.aborted) await this.#bell.wait();
    }
    return undefined;
  }

  /** @throws What has ended the stream. */
  async #ended(): Promise<void> {
    await this.close();
    if (this.#failure) throw this.#failure.error;
  }

  poke(): void {
    this.#term?.poke();
  }

  close(timeoutMs = 10_000): Promise<void> {
    this.#closing ??= this.#finish(timeoutMs);
    return this.#closing;
  }

  async #finish(timeoutMs: number): Promise<void> {
    this.#ending.abort();
    this.#forget();
    this.#term?.stop();
    this.#bell.ring();
    const patience = new AbortController();
    await this.#term?.end(timeoutMs > 0 ? this.#settings.sleep(timeoutMs, patience.signal) : Promise.resolve());
    patience.abort();
    await this.#work;
    const { checkpoint } = this.#settings;
    // Whoever cannot be told that the right to follow is free waits until it ends by itself.
    if (this.#isStarted) await checkpoint.release?.(this.#me).catch(() => {});
  }

  #fail = (error: unknown): void => {
    if (this.#ending.signal.aborted) return;
    this.#failure = { error };
    this.#note(error);
    void this.close();
  };

  /** Follows whenever it is this process's turn, until the stream ends. */
  async #followOn(): Promise<void> {
    const { signal } = this.#ending;
    try {
      while (!signal.aborted) {
        await this.#trying(this.#checkpoint, () => this.#claim());
        const term = await this.#begin();
        if (!term || signal.aborted) return;
        this.#term = term;
        this.#bell.ring();
        await Promise.all([term.follow(), this.#prolong(term)]);
        // Where the stream is closed, that waits for what is out.
        if (signal.aborted) return;
        this.#term = undefined;
        await term.end(Promise.resolve());
        this.#copy = term.saved;
        this.#movedAt = this.#settings.now();
        if (term.isConflicting && !this.#settings.checkpoint.claim) throw checkpointConflict();
      }
    } catch (error) {
      this.#term?.stop();
      this.#fail(error);
    }
  }

  /** Waits until it is this process's turn. @throws {StreamError} Another stream uses the checkpoint. */
  async #claim(): Promise<void> {
    const { checkpoint, types, sleep, now } = this.#settings;
    const { signal } = this.#ending;
    let otherSince: number | undefined;
    while (checkpoint.claim && !signal.aborted && !(await checkpoint.claim(this.#me, lease.ms))) {
      this.#isStandby = true;
      const text = await checkpoint.load();
      if (text !== undefined && text !== this.#copy) {
        this.#copy = text;
        this.#movedAt = now();
        const theirs = positionIn(text).types;
        otherSince = types && theirs && areOther(types, theirs) ? (otherSince ?? now()) : undefined;
        // A process of a new release needs some seconds until its own types are in the checkpoint.
        if (otherSince !== undefined && now() - otherSince > otherMs) throw checkpointOfOther(types!, theirs!);
      }
      await sleep(lease.askedMs, signal);
    }
    this.#isStandby = false;
  }

  /** Prolongs the right to follow for as long as a term lasts, and ends the term where it is lost. */
  async #prolong(term: Term): Promise<void> {
    const { checkpoint, sleep, now } = this.#settings;
    if (!checkpoint.claim) return;
    let since = now();
    while (!term.isOver) {
      await sleep(lease.prolongedMs, term.ending);
      if (term.isOver) return;
      const asked = now();
      try {
        if (!(await checkpoint.claim(this.#me, lease.ms))) return term.stop();
        since = asked;
        this.#checkpoint.end();
      } catch (error) {
        this.#checkpoint.fail(error);
        // From then on another process may follow.
        if (now() - since > lease.ms - lease.prolongedMs) return term.stop();
      }
    }
  }

  async #begin(): Promise<Term | undefined> {
    const { checkpoint, now } = this.#settings;
    const text = (await this.#trying(this.#checkpoint, () => checkpoint.load())) ?? (await this.#saveFirst());
    if (this.#ending.signal.aborted) return undefined;
    if (text === undefined) throw checkpointConflict();
    const position = positionIn(text);
    checkAge(position.lookedAt, now());
    const shared = {
      client: this.#client,
      settings: this.#settings,
      bell: this.#bell,
      outage: this.#service,
      onHandled: ({ id, createdAt }: Place) => {
        this.#handled += 1;
        this.#lastEvent = { id, createdAt };
      },
      fail: this.#fail,
    };
    return new Term(shared, position, text);
  }

  /**
   * Saves the first checkpoint, before any event is handed out: the next process begins there too and ignores its `start`. Gives the
   * text of the other process if that one was faster.
   */
  async #saveFirst(): Promise<string | undefined> {
    const { checkpoint, onProblem } = this.#settings;
    const copy = this.#copy;
    const first = copy ?? textOf(await this.#first(), { by: this.#me, types: this.#settings.types });
    const isSaved = await this.#trying(this.#checkpoint, () => checkpoint.save(first, undefined));
    if (!isSaved) return this.#trying(this.#checkpoint, () => checkpoint.load());
    if (copy !== undefined) onProblem({ kind: 'checkpoint', error: checkpointLost() });
    return first;
  }

  /** Finds where a stream without a checkpoint begins. */
  async #first(): Promise<Position> {
    const { start, now, types, organizationId } = this.#settings;
    const newest =
      start === 'latest'
        ? await this.#trying(this.#service, () => latest(this.#client, { types, organizationId }))
        : undefined;
    const settled = newest && { id: newest.id, createdAt: newest.createdAt };
    const since = start === 'oldest' || start === 'latest' ? undefined : start;
    return { settled, since, lookedAt: now(), handled: new Map() };
  }

  /** Tries until it succeeds or the stream ends, which gives undefined. @throws What does not pass. */
  async #trying<T>(outage: Outage, act: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        const result = await act();
        outage.end();
        return result;
      } catch (error) {
        if (error instanceof StreamError || (outage === this.#service && !mayPass(error))) throw error;
        await this.#settings.sleep(outage.fail(error), signal);
      }
    }
    return undefined;
  }

  #state(): StreamState {
    if (this.#failure) return 'failed';
    if (this.#ending.signal.aborted) return 'closed';
    if (!this.#isStarted) return 'new';
    if (this.#service.isOn || this.#checkpoint.isOn || this.#term?.isHeldUp) return 'outage';
    if (this.#isStandby) return 'standby';
    return this.#term ? 'following' : 'starting';
  }

  status(): StreamStatus {
    const { now } = this.#settings;
    const term = this.#term;
    // The service says by its clock when an event happened.
    const oldest = term?.oldest === undefined ? undefined : term.oldest - term.aheadMs;
    const since = oldest ?? term?.lookedAt ?? (this.#isStarted ? this.#movedAt : now());
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
