import { Notifier } from '../../async/notifier.js';
import { onAbort } from '../../async/on-abort.js';
import { waitAtMost } from '../../async/sleep.js';
import { checkArgumentNames } from '../../errors/known-options.js';
import { quietly } from '../../errors/quietly.js';
import { explain } from '../../errors/sallyport-error.js';
import type { Event } from '../../service/events.js';
import type { SessionProblem } from '../../session/read/problem-texts.js';
import type { Revocations } from '../../session/read/revocations.js';
import { follow, type Stream } from '../follow/follow.js';
import type { EventsClient } from '../follow/latest.js';
import type { StreamHealth, StreamStatus } from '../follow/status.js';
import { withTimeout } from '../timeouts.js';
import { DenyList } from './deny-list.js';
import { feederCheckpoint } from './feeder-checkpoint.js';
import { maxPerEntry, RevocationLog } from './log.js';
import {
  type RevocationsOptions,
  type RevocationsProblem,
  type RevocationsSettings,
  revocationsSettings,
} from './options.js';
import { type Revocation, revocationOf, revokingTypes } from './revocation-of.js';

/** Status of a revocation list. */
export interface RevocationsStatus {
  /** Number of revocations in the list. */
  readonly entries: number;
  /** Number of revocations dropped early because there were more than `maxEntries`. */
  readonly dropped: number;
  /** Whether the list contains the revocations from before it was created. */
  readonly isReady: boolean;
  /** Whether no news arrived for `staleMs`. */
  readonly isStale: boolean;
  /** Time of the last news or, if there was none, of the creation of the list; ISO 8601 UTC with milliseconds. */
  readonly heardAt: string;
  /** The last error and its time; ISO 8601 UTC with milliseconds. */
  readonly lastError: { readonly message: string; readonly at: string } | undefined;
  /** The event stream of this process, or undefined if `feed` is false. Its state is `standby` while another process follows. */
  readonly stream: StreamStatus | undefined;
}

/** A list of recent revocations from `followRevocations`. Pass it to the option `revocations` of sessions. */
export interface FollowedRevocations extends Revocations {
  /**
   * Apply an event immediately and share it with other replicas, for example from a webhook handler. Event types that revoke
   * nothing are ignored. Can be passed as a callback: it does not use `this`.
   */
  apply(event: Event): Promise<void>;
  /**
   * Wait until the list contains the revocations from before it was created, at most `timeoutMs`, default 10,000. Returns whether
   * it does. Until then, checks reject only sessions that are already in the list.
   */
  ready(options?: { readonly timeoutMs?: number | undefined }): Promise<boolean>;
  /** Poll for events now. Can be passed as a callback: it uses neither `this` nor arguments. */
  poke(): void;
  /** Get the status of the list. */
  status(): RevocationsStatus;
  /** Check the health of the list: it is not stale. */
  health(): StreamHealth;
  /** Stop updating the list. Resolves within ten seconds. Revocations in the list stay in effect. */
  close(): Promise<void>;
}

/** Delay before a failed stream restarts. */
const restartDelayMs = 5_000;
/** Maximum interval between reads until the list is ready. */
const startupPollMs = 200;
/** Interval between removals of expired entries. */
const cleanupMs = 60_000;
/** Maximum interval between heartbeats in the store. A process that only reads waits this long for the first one. */
const heartbeatMs = 2_000;
/** Timeout of `close`. */
const closeMs = 10_000;
/** Allowed clock difference, added to the lifetime of a token. */
const toleranceMs = 300_000;

/**
 * Follow events that revoke sessions or make their tokens outdated, so that a revoked session ends immediately instead of when
 * its token expires. Starts immediately, with events as old as the maximum lifetime of a token.
 *
 * `session.revoked` and `user.deleted` sign users out. If a membership, role, permission or organization is changed or deleted,
 * the affected sessions are refreshed at their next request, and the users stay signed in. While the service is unreachable,
 * revoked sessions last until their tokens expire.
 *
 * @throws {ConfigurationError} An option is invalid.
 * @example
 * const revocations = followRevocations(sallyport, { store: redisStore(redis) });
 * const sessions = createSessions({ revocations });
 */
export function followRevocations(client: EventsClient, options: RevocationsOptions = {}): FollowedRevocations {
  const follower = new RevocationFollower(client, revocationsSettings(options), options.signal);
  return {
    find: (session) => follower.list.find(session),
    version: () => follower.list.version,
    report: (listener) => follower.report(listener),
    apply: (event) => follower.apply(event),
    ready: async (wait = {}) => {
      checkArgumentNames('ready', wait, { timeoutMs: 1 });
      return follower.ready(wait.timeoutMs ?? 10_000);
    },
    poke: () => follower.poke(),
    status: () => follower.status(),
    health: () => follower.health(),
    close: () => follower.close(),
  };
}

class RevocationFollower {
  readonly list: DenyList;
  readonly #client: EventsClient;
  readonly #settings: RevocationsSettings;
  readonly #log: RevocationLog | undefined;
  readonly #ending = new AbortController();
  /** Removes the listener from the caller's signal. */
  readonly #removeAbortListener: () => void;
  readonly #listeners = new Set<(problem: SessionProblem) => void>();
  /** Revocations to write to the store. */
  readonly #queue: Revocation[] = [];
  #writing: Promise<void> | undefined;
  #stream: Stream | undefined;
  /** Number of polls that this process has started. */
  #polls = 0;
  readonly #madeAt: number;
  #isReady = false;
  /** Notifies when the list is ready or closed. */
  readonly #notifier = new Notifier();
  #heardAt: number;
  #heartbeatAt = Number.NEGATIVE_INFINITY;
  #cleanedUpAt: number;
  #isStale = false;
  #dropped = 0;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  /** The current read of the store. Reads must not overlap: the second would skip the entries that the first is reading. */
  #reading: Promise<void> | undefined;
  readonly #work: Promise<unknown>;

  constructor(client: EventsClient, settings: RevocationsSettings, signal: AbortSignal | undefined) {
    const { store, name, lifetimeMs, maxEntries, feed, now } = settings;
    // Streams use only `listEvents` of the client.
    this.#client = { events: { listEvents: this.#countingList(client) } } as EventsClient;
    this.#settings = settings;
    this.list = new DenyList(maxEntries);
    this.#log = store && new RevocationLog(store, name, lifetimeMs + toleranceMs);
    this.#madeAt = now();
    this.#heardAt = now();
    this.#cleanedUpAt = now();
    this.#removeAbortListener = onAbort(signal, () => void this.close());
    if (signal?.aborted) this.#ending.abort();
    this.#work = Promise.all([feed && this.#feed(), this.#keepUpToDate()]);
  }

  report(listener: ((problem: SessionProblem) => void) | undefined): void {
    if (listener) this.#listeners.add(listener);
  }

  async apply(event: Event): Promise<void> {
    const revocation = revocationOf(event);
    const { lifetimeMs, now } = this.#settings;
    if (!revocation || revocation.at < now() - lifetimeMs - toleranceMs) return;
    // Takes effect in this process immediately, even if the store is down.
    this.#add([revocation]);
    if (!this.#log) return;
    this.#queue.push(revocation);
    this.#writing ??= this.#write(this.#log);
    await this.#writing;
  }

  /** Write the queue to the store, and retry until it succeeds. @throws If the list is closed before. */
  async #write(log: RevocationLog): Promise<void> {
    const { sleep } = this.#settings;
    const { signal } = this.#ending;
    try {
      while (this.#queue.length > 0) {
        const next = this.#queue.slice(0, maxPerEntry);
        for (;;) {
          signal.throwIfAborted();
          try {
            await this.#withTimeout(log.append(next));
            break;
          } catch (error) {
            this.#noteFailure(error);
            await sleep(restartDelayMs / 5, signal);
          }
        }
        this.#queue.splice(0, next.length);
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #withTimeout<T>(answer: Promise<T>): Promise<T> {
    const { staleMs, sleep } = this.#settings;
    return withTimeout(answer, staleMs, sleep, this.#ending.signal);
  }

  #add(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) this.list.add(revocation);
    const { dropped } = this.list;
    if (dropped === this.#dropped) return;
    this.#dropped = dropped;
    this.#reportProblem({
      code: 'revocations_dropped',
      message: explain({
        what: `${dropped} revocations were dropped too early`,
        why: `There were more than ${this.#settings.maxEntries} revocations within the lifetime of a token`,
        next: 'Raise maxEntries of followRevocations, or lower maxTokenLifetimeMs to the lifetime of your tokens',
      }),
      cause: undefined,
    });
  }

  /** Follow events and apply them whenever this process has the lease, until the list is closed. */
  async #feed(): Promise<void> {
    const { store, name, lifetimeMs, pollMs, now, sleep } = this.#settings;
    const { signal } = this.#ending;
    const log = this.#log;
    const checkpoint =
      store &&
      log &&
      feederCheckpoint(store, name, log, { entries: () => this.list.entries(), read: () => this.#readOnce(log) });
    while (!signal.aborted) {
      const start = new Date(now() - lifetimeMs - toleranceMs).toISOString();
      this.#stream = follow(this.#client, {
        events: revokingTypes,
        start,
        checkpoint,
        concurrency: maxPerEntry,
        // An unreadable event must not block the others.
        onPoison: 'skip',
        onProblem: ({ cause }) => this.#noteFailure(cause),
        signal,
        pollMs,
        now,
        sleep,
      });
      try {
        await this.#stream.run((event) => this.apply(event));
      } catch (error) {
        this.#noteFailure(error);
        // No process has followed for a month. Tokens from before `start` have expired, so restart there.
        if (Object(error).code === 'checkpoint_expired') await checkpoint?.beginAgain(start, now()).catch(() => {});
      }
      await sleep(restartDelayMs, signal);
    }
  }

  /** List events, and count the polls. */
  #countingList({ events }: EventsClient): EventsClient['events']['listEvents'] {
    return (filter, options) => {
      // Requests in descending order only look for the newest event.
      if (filter?.order === 'asc') this.#polls += 1;
      return events.listEvents(filter, options);
    };
  }

  /** Keep the list up to date and check whether it is stale, until it is closed. */
  async #keepUpToDate(): Promise<void> {
    const { pollMs, storePollMs, lifetimeMs, now, sleep } = this.#settings;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await (this.#log ? this.#poll(this.#log) : this.#checkStream());
      if (signal.aborted) return;
      if (Math.abs(now() - this.#cleanedUpAt) >= cleanupMs) {
        this.list.dropBefore(now() - lifetimeMs - toleranceMs);
        this.#cleanedUpAt = now();
      }
      this.#updateStaleness();
      const intervalMs = this.#log ? storePollMs : pollMs;
      // The second poll shows that the first one is complete, so start it now.
      if (!this.#isReady) this.#stream?.poke();
      await sleep(this.#isReady ? intervalMs : Math.min(intervalMs, startupPollMs), signal);
    }
  }

  /** When the stream of this process was last up to date, or undefined if this process does not follow. */
  #followedAt(): number | undefined {
    const { state, lagMs } = this.#stream?.status() ?? {};
    // A second poll starts only after the first is complete.
    const hasPolled = state === 'following' && this.#polls > 1;
    return hasPolled && lagMs !== undefined ? this.#settings.now() - lagMs : undefined;
  }

  #checkStream(): void {
    const followedAt = this.#followedAt();
    if (followedAt === undefined) return;
    this.#heardAt = Math.max(this.#heardAt, followedAt);
    if (followedAt >= this.#madeAt) this.#setReady();
  }

  async #poll(log: RevocationLog): Promise<void> {
    await this.#withTimeout(this.#readOnce(log)).catch((error: unknown) => this.#noteFailure(error));
  }

  #readOnce(log: RevocationLog): Promise<void> {
    this.#reading ??= this.#read(log).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** @throws The error of the store. */
  async #read(log: RevocationLog): Promise<void> {
    const { staleMs, lifetimeMs, now } = this.#settings;
    const followedAt = this.#followedAt();
    const isFresh = followedAt !== undefined && now() - followedAt < staleMs / 2;
    if (isFresh && Math.abs(now() - this.#heartbeatAt) >= Math.min(staleMs / 5, heartbeatMs)) {
      await log.beat(this.list.entries());
      this.#heartbeatAt = now();
    }
    const { revocations, isAlive, isCaughtUp } = await log.news();
    const oldest = now() - lifetimeMs - toleranceMs;
    this.#add(revocations.filter(({ at }) => at >= oldest));
    if (isAlive) this.#heardAt = now();
    if (isCaughtUp) this.#setReady();
  }

  #setReady(): void {
    this.#isReady = true;
    this.#notifier.notify();
  }

  async ready(timeoutMs: number): Promise<boolean> {
    if (!this.#isReady && !this.#ending.signal.aborted) await waitAtMost(timeoutMs, this.#notifier.wait());
    return this.#isReady;
  }

  #updateStaleness(): void {
    const { staleMs, now } = this.#settings;
    // The clock may have been set back.
    this.#heardAt = Math.min(this.#heardAt, now());
    const isStale = now() - this.#heardAt > staleMs;
    if (isStale && !this.#isStale) {
      const { error } = this.#failure ?? {};
      this.#reportProblem({
        code: 'revocations_stale',
        message: explain({
          what: `No news of revocations since ${new Date(this.#heardAt).toISOString()}, so revoked sessions last until their tokens expire`,
          why: error instanceof Error ? error.message : 'No process polls the service for events',
          next: 'Make sure that a process with feed: true runs and can reach the service and the store',
        }),
        cause: error,
      });
    }
    this.#isStale = isStale;
  }

  #reportProblem(problem: RevocationsProblem): void {
    const { code, message, cause } = problem;
    const listeners =
      code === 'revocations_stale' ? [...this.#listeners].map((one) => () => one({ code, message, cause })) : [];
    // Ignore whether a listener throws or rejects.
    for (const notifyListener of [() => this.#settings.onProblem?.(problem), ...listeners]) quietly(notifyListener);
  }

  #noteFailure(error: unknown): void {
    this.#failure = { error, at: this.#settings.now() };
  }

  poke(): void {
    this.#stream?.poke();
  }

  status(): RevocationsStatus {
    const { size, dropped } = this.list;
    return {
      entries: size,
      dropped,
      isReady: this.#isReady,
      isStale: this.#isStale,
      heardAt: new Date(this.#heardAt).toISOString(),
      lastError: this.#failure && {
        message: this.#failure.error instanceof Error ? this.#failure.error.message : String(this.#failure.error),
        at: new Date(this.#failure.at).toISOString(),
      },
      stream: this.#stream?.status(),
    };
  }

  health(): StreamHealth {
    const { entries, dropped, isReady, isStale, lastError } = this.status();
    const line = [
      `${isStale ? 'stale' : isReady ? 'live' : 'catching up'}: last news ${((this.#settings.now() - this.#heardAt) / 1_000).toFixed(1)} s ago`,
      `${entries} entries`,
      ...(dropped > 0 ? [`${dropped} dropped`] : []),
      ...(lastError ? [`last error at ${lastError.at}: ${lastError.message.replace(/\s+/g, ' ').slice(0, 200)}`] : []),
    ];
    return { ok: !isStale, line: line.join(', ') };
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#removeAbortListener();
    this.#notifier.notify();
    // The stream has its checkpoint in the store, so an unresponsive store would delay closing.
    await waitAtMost(closeMs, Promise.all([this.#stream?.close(), this.#work]));
  }
}
