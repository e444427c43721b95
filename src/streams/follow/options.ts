import { type Sleep, sleep as sleepByTimer } from '../../async/sleep.js';
import { checkNames, checkOption, type OptionNames } from '../../errors/known-options.js';
import { type Problem, quietly } from '../../errors/problem.js';
import type { Event } from '../../service/events.js';
import { type Checkpoint, memoryCheckpoint } from '../checkpoint.js';
import type { PoisonPolicy } from '../delivery.js';
import { outageRule } from '../infrastructure.js';
import { withTimeouts } from '../timeouts.js';
import type { EventSelection } from './latest.js';

/**
 * A problem that does not end the stream. `service`, `checkpoint`: a request to it failed. `poison`: an event cannot be handled.
 * `infrastructure`: something that the handler needs failed, such as its database; the stream waits and calls the handler again
 * without counting an attempt.
 */
export interface StreamProblem extends Problem<'service' | 'checkpoint' | 'poison' | 'infrastructure'> {
  /** The affected event, if there is one. */
  readonly event?: Event | undefined;
}

/** Options of `follow`. */
export interface FollowOptions extends EventSelection {
  /** Stores the progress of the stream. Without it, each process starts over. */
  readonly checkpoint?: Checkpoint | undefined;
  /**
   * Where to start if no checkpoint is saved: `oldest` (up to 30 days ago), `latest` (only new events), or an ISO 8601 time.
   * Default `oldest`.
   */
  readonly start?: 'oldest' | 'latest' | (string & {}) | undefined;
  /** Closes the stream when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum number of events handled at once; default 1, which keeps the order of the feed. Events of one object never overlap.
   */
  readonly concurrency?: number | undefined;
  /** What to do with an event that cannot be handled; default `halt`. */
  readonly onPoison?: PoisonPolicy | undefined;
  /** Maximum number of retries for a failed event, after 1 s, 2 s, 4 s and so on; default 3. */
  readonly maxRetries?: number | undefined;
  /**
   * Whether an error of the handler is an outage of something that it needs. Asked about errors that the stream does not know. Such an
   * error counts no attempt: the stream waits and calls the handler again.
   */
  readonly isOutage?: ((error: unknown) => boolean) | undefined;
  /** How late events may appear in the feed after they happened, in milliseconds; default 60,000. */
  readonly overlapMs?: number | undefined;
  /** Interval between polls of the feed, in milliseconds; default 5,000. */
  readonly pollMs?: number | undefined;
  /** Called with problems that do not end the stream: once for each outage and once for each skipped event. */
  readonly onProblem?: ((problem: StreamProblem) => void) | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionNames: OptionNames<FollowOptions> = {
  events: 1,
  organizationId: 1,
  checkpoint: 1,
  start: 1,
  signal: 1,
  concurrency: 1,
  onPoison: 1,
  maxRetries: 1,
  isOutage: 1,
  overlapMs: 1,
  pollMs: 1,
  onProblem: 1,
  now: 1,
};

/** The checked options, with defaults. */
export type Settings = Readonly<ReturnType<typeof settingsOf>>;

/** @param sleep Replaces the timer, in tests. @throws {ConfigurationError} `invalid_option`. */
export function settingsOf(options: FollowOptions, sleep: Sleep = sleepByTimer) {
  checkNames('follow', options, optionNames);
  const { events, organizationId, checkpoint = memoryCheckpoint(), start = 'oldest', onPoison = 'halt' } = options;
  const { concurrency = 1, maxRetries = 3, overlapMs = 60_000, pollMs = 5_000 } = options;
  const { isOutage, onProblem, now = () => Date.now() } = options;
  checkOption(
    typeof checkpoint?.load === 'function' && typeof checkpoint.save === 'function',
    'checkpoint',
    'must have the methods load and save',
    'Pass storeCheckpoint(store, name), exactlyOnce(…).checkpoint(name) or your own',
  );
  const isStart = start === 'oldest' || start === 'latest' || Number.isFinite(Date.parse(start));
  checkOption(isStart, 'start', 'must be oldest, latest or a time such as 2026-05-04T08:00:00.000Z');
  checkOption(Number.isInteger(concurrency) && concurrency >= 1, 'concurrency', 'must be a whole number, 1 or more');
  checkOption(Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'must be a whole number, 0 or more');
  checkOption(isOutage === undefined || typeof isOutage === 'function', 'isOutage', 'must be a function');
  checkOption(overlapMs >= 0 && overlapMs < Infinity, 'overlapMs', 'must be 0 or more milliseconds');
  checkOption(pollMs > 0 && pollMs < Infinity, 'pollMs', 'must be more than 0 milliseconds');
  checkOption(
    onPoison === 'halt' || onPoison === 'skip' || typeof onPoison === 'function' || typeof onPoison?.add === 'function',
    'onPoison',
    'must be halt, skip, a function or an object with add',
  );
  checkOption(events?.length !== 0, 'events', 'must name at least one type', 'Leave it out for all');
  return {
    events,
    organizationId,
    checkpoint: withTimeouts(checkpoint, sleep),
    start,
    concurrency,
    onPoison,
    maxRetries,
    isOutage: outageRule(isOutage),
    overlapMs,
    pollMs,
    // Ignore whether `onProblem` throws or rejects.
    onProblem: (problem: StreamProblem) => quietly(() => onProblem?.(problem)),
    now,
    sleep,
  };
}
