import { onAbort } from '../../async/on-abort.js';
import { areTimersAllowed, waitAtMost } from '../../async/sleep.js';
import { explain } from '../../errors/sallyport-error.js';
import type { Event } from '../../service/events.js';
import type { SessionProblem } from '../../session/read/problem-texts.js';
import type { Revocations, SessionChange } from '../../session/read/revocations.js';
import type { EventsClient } from '../follow/latest.js';
import type { StreamHealth } from '../follow/status.js';
import { DenyList } from './deny-list.js';
import { Feeder, feederCheckpoint } from './feeder.js';
import { Freshness, type RevocationsStatus, revocationsHealth } from './freshness.js';
import { RevocationLog } from './log.js';
import { LogAccess } from './log-access.js';
import {
  oldestOf,
  type RevocationsOptions,
  type RevocationsSettings,
  revocationsSettings,
  toleranceMs,
} from './options.js';
import { type Revocation, revocationOf, revocationOfChange } from './revocation-of.js';

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

/** Maximum interval between reads until the list is ready. */
const startupPollMs = 200;
/** Interval between removals of expired entries. */
const cleanupMs = 60_000;
/** Timeout of `close`. */
const closeMs = 10_000;

/**
 * Follow events that revoke sessions or make their tokens outdated, so that a revoked session ends immediately instead of when
 * its token expires. Starts immediately, with events as old as the maximum lifetime of a token. Where a module may not set timers
 * while it loads, as in Cloudflare Workers, the first use starts it.
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
export const followRevocations = (client: EventsClient, options: RevocationsOptions = {}): FollowedRevocations =>
  revocationsOf(client, revocationsSettings(options), options.signal);

/** Create a list from checked options. */
export function revocationsOf(
  client: EventsClient,
  settings: RevocationsSettings,
  signal: AbortSignal | undefined,
): FollowedRevocations {
  const listeners = new Set<(problem: SessionProblem) => void>();
  let follower: RevocationFollower | undefined;
  const used = (): RevocationFollower => {
    follower ??= new RevocationFollower(client, settings, signal, listeners);
    return follower;
  };
  if (areTimersAllowed()) used();
  return {
    find: (session) => used().list.find(session),
    version: () => used().list.version,
    note: (change) => used().note(change),
    isReplaced: (claims) => used().list.isReplaced(claims),
    onStale: (listener) => void (listener && listeners.add(listener)),
    apply: (event) => used().apply(event),
    ready: async ({ timeoutMs = 10_000 } = {}) => used().freshness.ready(timeoutMs),
    poke: () => used().feeder.stream?.poke(),
    status: () => used().status(),
    health: () => used().health(),
    close: () => used().close(),
  };
}

class RevocationFollower {
  readonly list: DenyList;
  readonly freshness: Freshness;
  readonly feeder: Feeder;
  readonly #settings: RevocationsSettings;
  readonly #log: LogAccess | undefined;
  readonly #ending = new AbortController();
  /** Removes the listener from the caller's signal. */
  readonly #removeAbortListener: () => void;
  readonly #createdAt: number;
  #cleanedUpAt: number;
  #dropped = 0;
  readonly #work: Promise<unknown>;

  constructor(
    client: EventsClient,
    settings: RevocationsSettings,
    signal: AbortSignal | undefined,
    listeners: Freshness['listeners'],
  ) {
    const ending = this.#ending.signal;
    this.#settings = settings;
    this.list = new DenyList(settings.maxEntries);
    this.freshness = new Freshness(settings, listeners);
    this.feeder = new Feeder(client, settings, this.freshness, ending);
    this.#createdAt = settings.now();
    this.#cleanedUpAt = settings.now();
    this.#removeAbortListener = onAbort(signal, () => void this.close());
    if (signal?.aborted) this.#end();
    const { store, name, lifetimeMs, feed } = settings;
    const log = store && new RevocationLog(store, name, lifetimeMs + toleranceMs);
    const { list, feeder, freshness } = this;
    const add = (revocations: readonly Revocation[]): void => this.#add(revocations);
    this.#log = log && new LogAccess({ log, settings, list, feeder, freshness, add, signal: ending });
    const read = this.#log?.read;
    const checkpoint = log && read && feederCheckpoint(store, name, log, { entries: () => list.entries(), read });
    this.#work = Promise.all([feed && feeder.run((event) => this.apply(event), checkpoint), this.#keepUpToDate()]);
  }

  async apply(event: Event): Promise<void> {
    const revocation = revocationOf(event);
    if (revocation && revocation.at >= oldestOf(this.#settings)) await this.#share(revocation);
  }

  note(change: SessionChange): Promise<void> {
    return this.#share(revocationOfChange(change, this.#settings.now()));
  }

  async #share(revocation: Revocation): Promise<void> {
    // Takes effect in this process immediately, even if the store is down.
    this.#add([revocation]);
    await this.#log?.write(revocation);
  }

  #add(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) this.list.add(revocation);
    const { dropped } = this.list;
    if (dropped === this.#dropped) return;
    this.#dropped = dropped;
    const message = explain({
      what: `${dropped} revocations were dropped too early`,
      why: `There were more than ${this.#settings.maxEntries} revocations within the lifetime of a token`,
      next: 'Raise maxEntries of followRevocations, or lower maxTokenLifetimeMs to the lifetime of your tokens',
    });
    this.freshness.report({ code: 'revocations_dropped', message, cause: undefined });
  }

  /** Keep the list up to date and check whether it is stale, until it is closed. */
  async #keepUpToDate(): Promise<void> {
    const { pollMs, storePollMs, sleep } = this.#settings;
    const { signal } = this.#ending;
    const intervalMs = this.#log ? storePollMs : pollMs;
    while (!signal.aborted) {
      await (this.#log ? this.#log.poll() : this.#checkStream());
      if (signal.aborted) return;
      this.#cleanUp();
      this.freshness.check();
      const { isReady } = this.freshness;
      // The second poll shows that the first one is complete, so start it now.
      if (!isReady) this.feeder.stream?.poke();
      await sleep(isReady ? intervalMs : Math.min(intervalMs, startupPollMs), signal);
    }
  }

  /** Without a store, the list is as recent as the stream of this process. */
  #checkStream(): void {
    const { followedAt } = this.feeder;
    if (followedAt === undefined) return;
    this.freshness.hear(followedAt);
    if (followedAt >= this.#createdAt) this.freshness.setReady();
  }

  #cleanUp(): void {
    const { now } = this.#settings;
    if (Math.abs(now() - this.#cleanedUpAt) < cleanupMs) return;
    this.list.dropBefore(oldestOf(this.#settings));
    this.#cleanedUpAt = now();
  }

  status(): RevocationsStatus {
    const { size: entries, dropped } = this.list;
    return { entries, dropped, ...this.freshness.status(), stream: this.feeder.stream?.status() };
  }

  health(): StreamHealth {
    return revocationsHealth(this.status(), this.#settings.now());
  }

  #end(): void {
    this.#ending.abort();
    this.#removeAbortListener();
    this.freshness.close();
  }

  async close(): Promise<void> {
    this.#end();
    // The stream has its checkpoint in the store, so an unresponsive store would delay closing.
    await waitAtMost(closeMs, Promise.all([this.feeder.stream?.close(), this.#work]));
  }
}
