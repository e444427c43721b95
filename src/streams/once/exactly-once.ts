import { subscribed } from '../../async/diagnostics.js';
import { sleep } from '../../async/sleep.js';
import { problemOf } from '../../errors/problem.js';
import type { Event } from '../../service/events.js';
import type { Checkpoint } from '../checkpoint.js';
import { backoffMs } from '../outage.js';
import type { EventHandler } from '../registry.js';
import { type ApplyOutcome, applyEvent, type Call, type StreamApplyRecord } from './apply.js';
import { databaseCheckpoint } from './checkpoint.js';
import { inSavepoint, transact } from './database.js';
import { type DeadLetterBox, deadLetterBox } from './dead-letters.js';
import { databaseOf, type OnceDatabase, type TransactionOf } from './drivers.js';
import { type Consumer, type ExactlyOnceOptions, onceSettings } from './options.js';
import { type ReplayResult, replay, replayMarked } from './replay.js';
import { createTables, deleteOldRows } from './tables.js';

/** The dead letters of a consumer. Can be passed to `onPoison` of a stream. */
export interface DeadLetters extends Omit<DeadLetterBox, 'mark' | 'marked'> {
  /**
   * Apply a letter now or, with `all`, every letter from the oldest on. Applied letters are removed.
   *
   * @throws {InvalidArgumentError} No dead letter has this id.
   */
  replay(id: string): Promise<readonly ReplayResult[]>;
}

/** Result of `exactlyOnce`. */
export interface ExactlyOnce<Tx> {
  /** Create the tables if they do not exist. Needs the right to create tables only if they are missing. */
  setUp(): Promise<void>;
  /** Apply an event in a new transaction. */
  apply(event: Event): Promise<ApplyOutcome>;
  /**
   * Apply an event in your open transaction. Its changes are committed or rolled back with that transaction.
   *
   * @throws {InvalidArgumentError} `tx` cannot run SQL in this database.
   */
  applyIn(tx: Tx, event: Event): Promise<ApplyOutcome>;
  /** Apply an event. Pass this to streams and webhooks. */
  readonly handle: EventHandler<unknown>;
  /** Create a stream checkpoint in the same database. Each consumer has separate checkpoints. */
  checkpoint(name: string): Checkpoint;
  /** The dead letters of this consumer. */
  readonly deadLetters: DeadLetters;
  /**
   * Apply all dead letters that `npx sallyport dead-letters replay` has marked. `handle` also applies up to 20 of them every ten
   * seconds, as long as events arrive.
   */
  replayMarked(): Promise<readonly ReplayResult[]>;
}

/** How often `handle` replays marked letters, how many at a time, and how often it deletes old rows. */
const upkeep = { replayIntervalMs: 10_000, replayLimit: 20, deleteIntervalMs: 3_600_000 };

/** A webhook must be answered promptly, so retries wait a tenth as long as in a stream. */
const retryDivisor = 10;

/**
 * Apply each event exactly once, in a transaction of your database. The transaction contains the record that the event was
 * applied, the check that no newer event was, and the changes of your handler.
 *
 * @throws {InvalidArgumentError} The database is not supported, or the prefix is invalid.
 * @throws {ConfigurationError} An option is invalid.
 * @example
 * const once = exactlyOnce(pool, {
 *   handler: on({ 'user.deleted': (event, { tx }) => tx.query('DELETE FROM accounts WHERE id = $1', [event.data.id]) }),
 * });
 * await once.setUp();
 * await once.apply(event); // 'applied' the first time, then 'duplicate'
 */
export function exactlyOnce<Handle extends OnceDatabase>(
  handle: Handle,
  options: ExactlyOnceOptions<TransactionOf<Handle>>,
): ExactlyOnce<TransactionOf<Handle>> {
  const settings = onceSettings(options);
  const database = databaseOf(handle, settings.timeouts);
  const { handler, names, consumer, now } = settings;
  const box = deadLetterBox(database, names, consumer, now);
  const self = { database, settings, box };
  const maintain = maintenance(self);
  const handleEvent = async (event: Event, context: unknown): Promise<void> => {
    // A stream passes the number of the attempt; a webhook does not.
    const { attempt = 1, signal } = Object(context) as Partial<Call>;
    await applyOrStore(self, event, { attempt, signal });
    await maintain();
  };
  const { mark: _mark, marked: _marked, ...letters } = box;
  return {
    setUp: () => createTables(database, options.prefix),
    apply: (event) => applyOrStore(self, event, { attempt: 1 }),
    applyIn: async (tx, event) =>
      inSavepoint(database.wrap(tx), (transaction) => applyEvent(transaction, event, settings, { attempt: 1 })),
    handle: Object.assign(handleEvent, { events: handler.events }),
    // Consumers have different progress, so they must not share a checkpoint.
    checkpoint: (name) =>
      databaseCheckpoint(database, names, consumer === 'default' ? name : `${consumer}/${name}`, now),
    deadLetters: { ...letters, replay: (id) => replay(self, id) },
    replayMarked: () => replayMarked(self),
  };
}

/** Apply an event in a transaction, with the retries of `maxRetries`. Store a dead letter if all of them fail. */
async function applyOrStore<Tx>(
  { database, settings, box }: Consumer<Tx>,
  event: Event,
  { attempt: first, signal }: Call,
): Promise<ApplyOutcome> {
  const { maxRetries } = settings;
  for (let calls = 1; ; calls++) {
    const attempt = first + calls - 1;
    const call = { attempt, signal };
    const publish = (outcome: StreamApplyRecord['outcome']): void =>
      subscribed<StreamApplyRecord>('stream:apply')?.publish({ outcome, attempt });
    try {
      const outcome = await transact(database, (transaction) => applyEvent(transaction, event, settings, call));
      publish(outcome);
      return outcome;
    } catch (error) {
      publish('failed');
      // The caller handles outages: a stream waits for the database, and the service sends a webhook again.
      if (maxRetries === undefined || settings.isOutage(error)) throw error;
      if (calls > maxRetries) {
        await box.add({ event, error, attempts: calls });
        publish('dead_letter');
        return 'dead_letter';
      }
      await sleep(backoffMs(calls) / retryDivisor, signal);
      if (signal?.aborted) throw error;
    }
  }
}

/** Create the function that replays marked letters and deletes old rows from time to time. It reports failures. */
function maintenance<Tx>(consumer: Consumer<Tx>): () => Promise<void> {
  const { database, settings } = consumer;
  const { names, now, onProblem } = settings;
  // Limit the number, so that an event does not wait for thousands of letters.
  const replaySome = atMostEvery(upkeep.replayIntervalMs, now, () => replayMarked(consumer, upkeep.replayLimit));
  const deleteOld = atMostEvery(upkeep.deleteIntervalMs, now, () => deleteOldRows(database, names, now()));
  return async () => {
    try {
      await replaySome();
      await deleteOld();
    } catch (error) {
      onProblem(problemOf('upkeep_failed', 'Replaying dead letters or deleting old rows failed', error));
    }
  };
}

/** Limit how often a function runs: calls within `ms` milliseconds of the last run are ignored. */
function atMostEvery(ms: number, now: () => number, run: () => Promise<unknown>): () => Promise<void> {
  let next = -Infinity;
  return async () => {
    if (now() < next) return;
    next = now() + ms;
    await run();
  };
}
