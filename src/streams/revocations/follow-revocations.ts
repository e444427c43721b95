import { quietly } from '../../errors/quietly.js';
import { explain } from '../../errors/sallyport-error.js';
import { onAbort } from '../../http/on-abort.js';
import type { Event } from '../../service/events.js';
import type { SessionProblem } from '../../session/problem-texts.js';
import type { Revocations } from '../../session/revocations.js';
import { follow, type Stream } from '../follow.js';
import type { EventsClient } from '../latest.js';
import { atMost, inTime } from '../patience.js';
import type { StreamHealth, StreamStatus } from '../status.js';
import { Bell } from '../waits.js';
import { DenyList } from './deny-list.js';
import { feederCheckpoint } from './feeder-checkpoint.js';
import { maxPerEntry, RevocationLog } from './log.js';
import { type Revocation, revocationOf, revokingTypes } from './meaning.js';
import {
  type RevocationsOptions,
  type RevocationsProblem,
  type RevocationsSettings,
  revocationsSettings,
} from './options.js';

/** How a list of what was revoked is doing. */
export interface RevocationsStatus {
  /** How much is in it. */
  readonly entries: number;
  /** How much was dropped before its time, because there was more than `maxEntries`. */
  readonly dropped: number;
  /** Whether it holds what was revoked before it was made. */
  readonly isReady: boolean;
  /** Whether nothing was heard for `staleMs`. */
  readonly isStale: boolean;
  /** When something was heard last, or the list was made; ISO 8601 UTC with milliseconds. */
  readonly heardAt: string;
  /** What failed last, and when; ISO 8601 UTC with milliseconds. */
  readonly lastError: { readonly message: string; readonly at: string } | undefined;
  /** The stream of events, where this process may ask for them; `standby` while another one does. */
  readonly stream: StreamStatus | undefined;
}

/** What was revoked lately: what `followRevocations` gives, for the option `revocations` of sessions. */
export interface FollowedRevocations extends Revocations {
  /**
   * Take an event into account at once, and have other replicas read it too: from a webhook handler, say. Events of other types do
   * nothing. A plain function.
   */
  apply(event: Event): Promise<void>;
  /**
   * Wait until the list holds what was revoked before it was made, `timeoutMs` at most, by default 10,000. Says whether it does. Until
   * then a check refuses what is in the list already, and lets everybody else pass.
   */
  ready(options?: { readonly timeoutMs?: number | undefined }): Promise<boolean>;
  /** Look for events now, and not only when the time has come. A plain function, of any arguments. */
  poke(): void;
  /** Say how the list is doing. */
  status(): RevocationsStatus;
  /** Say in one line how the list is doing, and whether that is well. */
  health(): StreamHealth;
  /** End it, within ten seconds: look for nothing more. What was revoked until then stays refused. */
  close(): Promise<void>;
}

/** How long a stream rests that the service refuses. */
const restMs = 5_000;
/** How far looks are apart until it is ready. */
const beginMs = 200;
/** How often what is over is dropped. */
const sweepMs = 60_000;
/** How far signs of life in the store are apart, at most: so long a process that only reads waits for the first one. */
const beatMs = 2_000;
/** How long the end of everything is waited for. */
const closeMs = 10_000;
/** By how much clocks may differ, beyond the life of a token. */
const toleranceMs = 300_000;

/**
 * Follow what ends sessions and what outdates their tokens, so that sessions end when they are revoked, and not only when their tokens
 * do. It begins at once, with what happened as long ago as a token may live.
 *
 * `session.revoked` and `user.deleted` sign out. Changes and ends of memberships, roles, permissions and organizations have the sessions
 * in question refreshed at their next request; they sign nobody out. While nothing can be heard of the service, sessions last
 * until their tokens end.
 *
 * @throws {ConfigurationError} An option is wrong.
 * @example
 * const revocations = followRevocations(sallyport, { store: redisStore(redis) });
 * const sessions = createSessions({ revocations });
 */
export function followRevocations(client: EventsClient, options: RevocationsOptions = {}): FollowedRevocations {
  const follower = new Follower(client, revocationsSettings(options), options.signal);
  return {
    find: (session) => follower.list.find(session),
    version: () => follower.list.version,
    report: (listener) => follower.report(listener),
    apply: (event) => follower.apply(event),
    ready: ({ timeoutMs = 10_000 } = {}) => follower.ready(timeoutMs),
    poke: () => follower.poke(),
    status: () => follower.status(),
    health: () => follower.health(),
    close: () => follower.close(),
  };
}

class Follower {
  readonly list: DenyList;
  readonly #client: EventsClient;
  readonly #settings: RevocationsSettings;
  readonly #log: RevocationLog | undefined;
  readonly #ending = new AbortController();
  /** Takes back that the caller's signal ends everything. */
  readonly #forget: () => void;
  readonly #listeners = new Set<(problem: SessionProblem) => void>();
  /** Waits to be written into the store. */
  readonly #queue: Revocation[] = [];
  #writing: Promise<void> | undefined;
  #stream: Stream | undefined;
  /** How often this process has begun to look at the service's events. */
  #looks = 0;
  readonly #madeAt: number;
  #isReady = false;
  /** Rings when it is ready, or ends. */
  readonly #bell = new Bell();
  #heardAt: number;
  #beatAt = Number.NEGATIVE_INFINITY;
  #sweptAt: number;
  #isStale = false;
  #dropped = 0;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  /** The look at the store that is under way: a second one beside it would take what the first one finds for known. */
  #reading: Promise<void> | undefined;
  readonly #work: Promise<unknown>;

  constructor(client: EventsClient, settings: RevocationsSettings, signal: AbortSignal | undefined) {
    const { store, name, lifetimeMs, maxEntries, feed, now } = settings;
    // A stream does nothing with the client but list events.
    this.#client = { events: { listEvents: this.#list(client) } } as EventsClient;
    this.#settings = settings;
    this.list = new DenyList(maxEntries);
    this.#log = store && new RevocationLog(store, name, lifetimeMs + toleranceMs);
    this.#madeAt = now();
    this.#heardAt = now();
    this.#sweptAt = now();
    this.#forget = onAbort(signal, () => void this.close());
    if (signal?.aborted) this.#ending.abort();
    this.#work = Promise.all([feed && this.#feed(), this.#watch()]);
  }

  report(listener: ((problem: SessionProblem) => void) | undefined): void {
    if (listener) this.#listeners.add(listener);
  }

  async apply(event: Event): Promise<void> {
    const revocation = revocationOf(event);
    const { lifetimeMs, now } = this.#settings;
    if (!revocation || revocation.at < now() - lifetimeMs - toleranceMs) return;
    // Here it holds at once, whether the store is there or not.
    this.#take([revocation]);
    if (!this.#log) return;
    this.#queue.push(revocation);
    this.#writing ??= this.#write(this.#log);
    await this.#writing;
  }

  /** Writes until nothing waits any more. @throws When it is to end before. */
  async #write(log: RevocationLog): Promise<void> {
    const { sleep } = this.#settings;
    const { signal } = this.#ending;
    try {
      while (this.#queue.length > 0) {
        const next = this.#queue.slice(0, maxPerEntry);
        for (;;) {
          signal.throwIfAborted();
          try {
            await this.#inTime(log.append(next));
            break;
          } catch (error) {
            this.#note(error);
            await sleep(restMs / 5, signal);
          }
        }
        this.#queue.splice(0, next.length);
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    const { staleMs, sleep } = this.#settings;
    return inTime(answer, staleMs, sleep, this.#ending.signal);
  }

  #take(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) this.list.add(revocation);
    const { dropped } = this.list;
    if (dropped === this.#dropped) return;
    this.#dropped = dropped;
    this.#tell({
      code: 'revocations_dropped',
      message: explain({
        what: `${dropped} revocations were dropped before their time`,
        why: `More than ${this.#settings.maxEntries} things were revoked within the life of a token`,
        next: 'Raise maxEntries of followRevocations, or shorten maxTokenLifetimeSec to what your tokens have',
      }),
      cause: undefined,
    });
  }

  /** Hands events on, whenever it is this process's turn, until the end. */
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
        types: revokingTypes,
        start,
        checkpoint,
        concurrency: maxPerEntry,
        // What cannot be read must not keep what can be read from having its effect.
        onPoison: 'skip',
        onProblem: ({ error }) => this.#note(error),
        signal,
        pollMs,
        now,
        sleep,
      });
      try {
        await this.#stream.run((event) => this.apply(event));
      } catch (error) {
        this.#note(error);
        // No process has fed for a month. Tokens from before `start` are over, so the stream can begin there.
        if (Object(error).code === 'checkpoint_expired') await checkpoint?.beginAgain(start, now()).catch(() => {});
      }
      await sleep(restMs, signal);
    }
  }

  /** Lists events, and counts the looks at the feed. */
  #list({ events }: EventsClient): EventsClient['events']['listEvents'] {
    return (filter, options) => {
      // In the other order only the newest one is asked for.
      if (filter?.order === 'asc') this.#looks += 1;
      return events.listEvents(filter, options);
    };
  }

  /** Reads what the feeder has written, and looks whether it is there, until the end. */
  async #watch(): Promise<void> {
    const { pollMs, storePollMs, lifetimeMs, now, sleep } = this.#settings;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await (this.#log ? this.#look(this.#log) : this.#listen());
      if (signal.aborted) return;
      if (Math.abs(now() - this.#sweptAt) >= sweepMs) {
        this.list.dropBefore(now() - lifetimeMs - toleranceMs);
        this.#sweptAt = now();
      }
      this.#judge();
      const usualMs = this.#log ? storePollMs : pollMs;
      // The look after the first one tells that that one is over: no need to wait for it.
      if (!this.#isReady) this.#stream?.poke();
      await sleep(this.#isReady ? usualMs : Math.min(usualMs, beginMs), signal);
    }
  }

  /** When the service was last heard by the stream of this process; undefined where it is not its turn. */
  #followedAt(): number | undefined {
    const { state, lagMs } = this.#stream?.status() ?? {};
    // The second look begins when the first one has come to its end.
    const hasLooked = state === 'following' && this.#looks > 1;
    return hasLooked && lagMs !== undefined ? this.#settings.now() - lagMs : undefined;
  }

  #listen(): void {
    const followedAt = this.#followedAt();
    if (followedAt === undefined) return;
    this.#heardAt = Math.max(this.#heardAt, followedAt);
    if (followedAt >= this.#madeAt) this.#begin();
  }

  async #look(log: RevocationLog): Promise<void> {
    await this.#inTime(this.#readOnce(log)).catch((error: unknown) => this.#note(error));
  }

  #readOnce(log: RevocationLog): Promise<void> {
    this.#reading ??= this.#read(log).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** @throws The store is not there. */
  async #read(log: RevocationLog): Promise<void> {
    const { staleMs, lifetimeMs, now } = this.#settings;
    const followedAt = this.#followedAt();
    const isFresh = followedAt !== undefined && now() - followedAt < staleMs / 2;
    if (isFresh && Math.abs(now() - this.#beatAt) >= Math.min(staleMs / 5, beatMs)) {
      await log.beat(this.list.entries());
      this.#beatAt = now();
    }
    const { revocations, isAlive, isCaughtUp } = await log.news();
    const oldest = now() - lifetimeMs - toleranceMs;
    this.#take(revocations.filter(({ at }) => at >= oldest));
    if (isAlive) this.#heardAt = now();
    if (isCaughtUp) this.#begin();
  }

  #begin(): void {
    this.#isReady = true;
    this.#bell.ring();
  }

  async ready(timeoutMs: number): Promise<boolean> {
    if (!this.#isReady && !this.#ending.signal.aborted) await atMost(timeoutMs, this.#bell.wait());
    return this.#isReady;
  }

  #judge(): void {
    const { staleMs, now } = this.#settings;
    // A clock that was set back.
    this.#heardAt = Math.min(this.#heardAt, now());
    const isStale = now() - this.#heardAt > staleMs;
    if (isStale && !this.#isStale) {
      const { error } = this.#failure ?? {};
      this.#tell({
        code: 'revocations_stale',
        message: explain({
          what: `Nothing was heard since ${new Date(this.#heardAt).toISOString()} of what is revoked, so sessions last until their tokens end`,
          why: error instanceof Error ? error.message : 'No process feeds the list',
          next: 'See that a process with feed: true runs, and that it reaches the service and the store',
        }),
        cause: error,
      });
    }
    this.#isStale = isStale;
  }

  #tell(problem: RevocationsProblem): void {
    const { code, message, cause } = problem;
    const listeners =
      code === 'revocations_stale' ? [...this.#listeners].map((one) => () => one({ code, message, cause })) : [];
    // Whoever is told of a problem does not make another one of it, neither at once nor later.
    for (const tell of [() => this.#settings.onProblem?.(problem), ...listeners]) quietly(tell);
  }

  #note(error: unknown): void {
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
      `${isStale ? 'stale' : isReady ? 'live' : 'catching up'}: heard ${((this.#settings.now() - this.#heardAt) / 1_000).toFixed(1)} s ago`,
      `${entries} entries`,
      ...(dropped > 0 ? [`${dropped} dropped`] : []),
      ...(lastError ? [`last error at ${lastError.at}: ${lastError.message.replace(/\s+/g, ' ').slice(0, 200)}`] : []),
    ];
    return { ok: !isStale, line: line.join(', ') };
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#forget();
    this.#bell.ring();
    // A store that does not answer holds up the stream, whose checkpoint is in it.
    await atMost(closeMs, Promise.all([this.#stream?.close(), this.#work]));
  }
}
