import { checkOption } from '../errors/check-option.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { quietly } from '../errors/quietly.js';
import type { Event } from '../service/events.js';
import { type Checkpoint, memoryCheckpoint } from './checkpoint.js';
import type { PoisonPolicy } from './delivery.js';
import type { EventSelection } from './latest.js';
import { type PatientCheckpoint, patientWith } from './patience.js';
import { type Sleep, sleepByTimer } from './waits.js';

/** Something that a stream goes on after, or that an operator should see. */
export interface StreamProblem {
  /**
   * Where it happened: at the `service`, at the `checkpoint`, with an event that is `poison`, or in the `infrastructure` of the handler,
   * such as its database. After a failure of the infrastructure the stream waits and calls the handler again; no attempt is counted.
   */
  readonly kind: 'service' | 'checkpoint' | 'poison' | 'infrastructure';
  /** What failed. */
  readonly error: unknown;
  /** The event, where it is about one. */
  readonly event?: Event | undefined;
}

/** What `follow` takes. */
export interface FollowOptions extends EventSelection {
  /** Where the stream remembers how far it has come; without one it begins anew with each process. */
  readonly checkpoint?: Checkpoint | undefined;
  /**
   * Where to begin without a checkpoint: with the oldest event of the last 30 days, after the latest one, or at a time. Default
   * `oldest`. A saved checkpoint always wins.
   */
  readonly start?: 'oldest' | 'latest' | (string & {}) | undefined;
  /** Ends the stream, as `close` does. */
  readonly signal?: AbortSignal | undefined;
  /** How many events may be out at once, none of them about the same object; default 1, which keeps the order of the whole feed. */
  readonly concurrency?: number | undefined;
  /** What becomes of an event that cannot be handled; default `halt`. */
  readonly onPoison?: PoisonPolicy | undefined;
  /** How often an event that failed is tried again, after 1 s, 2 s, 4 s and so on; default 3. */
  readonly retries?: number | undefined;
  /** How late events may appear in the feed after they happened, in milliseconds; default 60,000. */
  readonly overlapMs?: number | undefined;
  /** How long to wait between two looks at the feed, in milliseconds; default 5,000. */
  readonly pollMs?: number | undefined;
  /** Called with what the stream goes on after: once for each outage, and for each event that is skipped. */
  readonly onProblem?: ((problem: StreamProblem) => void) | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Waits some milliseconds, or until the signal aborts; default a timer. For tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

const optionNames: OptionNames<FollowOptions> = {
  types: 1,
  organizationId: 1,
  checkpoint: 1,
  start: 1,
  signal: 1,
  concurrency: 1,
  onPoison: 1,
  retries: 1,
  overlapMs: 1,
  pollMs: 1,
  onProblem: 1,
  now: 1,
  sleep: 1,
};

/** The options with what holds by default. */
export interface Settings extends EventSelection {
  readonly checkpoint: PatientCheckpoint;
  readonly start: string;
  readonly concurrency: number;
  readonly onPoison: PoisonPolicy;
  readonly retries: number;
  readonly overlapMs: number;
  readonly pollMs: number;
  readonly onProblem: (problem: StreamProblem) => void;
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** @throws {ConfigurationError} `invalid_option`. */
export function settingsOf(options: FollowOptions): Settings {
  checkNames('follow', options, optionNames);
  const { types, organizationId, checkpoint = memoryCheckpoint(), start = 'oldest', onPoison = 'halt' } = options;
  const { concurrency = 1, retries = 3, overlapMs = 60_000, pollMs = 5_000 } = options;
  const { onProblem, now = () => Date.now(), sleep = sleepByTimer } = options;
  checkOption(
    typeof checkpoint?.load === 'function' && typeof checkpoint.save === 'function',
    'checkpoint',
    'must have load and save',
    'Pass storeCheckpoint(store, name), exactlyOnce(…).checkpoint(name) or your own',
  );
  checkOption(
    start === 'oldest' || start === 'latest' || Number.isFinite(Date.parse(start)),
    'start',
    'must be oldest, latest or a time such as 2026-05-04T08:00:00.000Z',
  );
  checkOption(Number.isInteger(concurrency) && concurrency >= 1, 'concurrency', 'must be a whole number, 1 or more');
  checkOption(Number.isInteger(retries) && retries >= 0, 'retries', 'must be a whole number, 0 or more');
  checkOption(overlapMs >= 0 && overlapMs < Infinity, 'overlapMs', 'must be 0 or more milliseconds');
  checkOption(pollMs > 0 && pollMs < Infinity, 'pollMs', 'must be more than 0 milliseconds');
  checkOption(
    onPoison === 'halt' || onPoison === 'skip' || typeof onPoison === 'function' || typeof onPoison?.add === 'function',
    'onPoison',
    'must be halt, skip, a function or an object with add',
  );
  checkOption(types === undefined || types.length > 0, 'types', 'must name at least one type', 'Leave it out for all');
  return {
    types,
    organizationId,
    checkpoint: patientWith(checkpoint, sleep),
    start,
    concurrency,
    onPoison,
    retries,
    overlapMs,
    pollMs,
    // Whoever is told of a problem does not make another one of it, neither at once nor later.
    onProblem: (problem) => quietly(() => onProblem?.(problem)),
    now,
    sleep,
  };
}
