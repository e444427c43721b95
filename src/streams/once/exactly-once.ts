import { sleep } from '../../async/sleep.js';
import { checkOption } from '../../errors/check-option.js';
import { checkNames, type OptionNames } from '../../errors/known-options.js';
import { type Problem, problemOf } from '../../errors/problem.js';
import { quietly } from '../../errors/quietly.js';
import type { Event } from '../../service/events.js';
import type { Checkpoint } from '../checkpoint.js';
import { isInfrastructureFailure } from '../infrastructure.js';
import { backoffMs } from '../outage.js';
import type { EventHandler } from '../registry.js';
import { type Application, type ApplyOutcome, applyEvent } from './apply.js';
import { databaseCheckpoint } from './checkpoint.js';
import { inSavepoint, transact } from './database.js';
import { type DeadLetterBox, deadLetterBox, noSuchLetter } from './dead-letters.js';
import { databaseOf, type OnceDatabase, type TransactionOf } from './drivers.js';
import { creationOf, guardedObject } from './guard.js';
import { defaultLimits } from './postgres.js';
import { exactlyOnceTables, hasTables, tableNames } from './tables.js';
import { atMostEvery, deleteOldRows } from './upkeep.js';

/** The second argument of a handler. */
export interface OnceContext<Tx> {
  /** The transaction: a client of `pg`, the `sql` of `postgres`, or the SQLite database. Write all changes with it. */
  readonly tx: Tx;
  /** Whether a newer event was applied to the object before; only true with `onSuperseded: 'call'`. */
  readonly superseded: boolean;
  /** Number of this attempt, starting at 1, if it is known. */
  readonly attempt: number;
  /** Aborts when the stream or request ends; undefined if there is neither. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `exactlyOnce`. */
export interface ExactlyOnceOptions<Tx> {
  /**
   * Handles events; use `on` to combine handlers by type. Write creations and updates as upserts. If the first event of an object
   * is an update, the `created` handler of `on` is called with it before the `updated` handler.
   */
  readonly handler:
    | EventHandler<OnceContext<Tx>>
    | (((event: Event, context: OnceContext<Tx>) => unknown) & { readonly events?: undefined });
  /** Name of this consumer. Consumers with different names in one database each apply every event once. Default `default`. */
  readonly name?: string | undefined;
  /** Prefix of the table names; default `sallyport_`. In PostgreSQL it may include a schema: `identity.sallyport_`. */
  readonly prefix?: string | undefined;
  /**
   * Returns a key for the object whose state the event reports, or undefined if order does not matter. `false` disables the check
   * for superseded events. Default: the family of the event and the id in its data.
   */
  readonly guard?: false | ((event: Event) => string | undefined) | undefined;
  /** What to do with an event if a newer one was applied to its object; default `skip`. */
  readonly onSuperseded?: 'skip' | 'call' | undefined;
  /**
   * Maximum number of retries, after 0.1 s, 0.2 s, 0.4 s and so on, before the event becomes a dead letter. If omitted, errors are
   * thrown: a stream retries by its own rules, and the service sends a webhook again. Infrastructure failures, such as a lost
   * connection, are always thrown and never create a dead letter.
   */
  readonly maxRetries?: number | undefined;
  /**
   * How long a transaction in PostgreSQL waits for a lock, in milliseconds; default 5,000, 0 for no limit. After that it fails
   * like in an outage: a stream retries, and the service sends a webhook again.
   */
  readonly lockTimeoutMs?: number | undefined;
  /**
   * How long a transaction in PostgreSQL may be idle before the server ends it, in milliseconds; default 300,000, 0 for no limit.
   * A hung or disconnected process holds its locks for that long. Set it to more than the longest wait of your handler.
   */
  readonly idleInTransactionTimeoutMs?: number | undefined;
  /** Called if replaying dead letters or deleting old rows failed. The event itself was applied. */
  readonly onProblem?: ((problem: Problem<'upkeep_failed'>) => void) | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Result of replaying a dead letter. */
export interface ReplayResult {
  /** Id of the event. */
  readonly id: string;
  /**
   * The outcome. The letter is kept if the handler failed again (`failed`), or if it was not called because a newer event was
   * applied to the object (`superseded`).
   */
  readonly outcome: ApplyOutcome | 'failed';
  /** The error of the handler. */
  readonly error?: unknown;
}

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

const optionNames: OptionNames<ExactlyOnceOptions<unknown>> = {
  handler: 1,
  name: 1,
  prefix: 1,
  guard: 1,
  onSuperseded: 1,
  maxRetries: 1,
  lockTimeoutMs: 1,
  idleInTransactionTimeoutMs: 1,
  onProblem: 1,
  now: 1,
};

/** Thrown to roll back the transaction of a superseded letter, and stored as its error. */
const superseded = 'A newer event was applied to the object of this event. Edit the letter, or remove it';

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
  type Tx = TransactionOf<Handle>;
  checkNames('exactlyOnce', options, optionNames);
  const {
    handler,
    name = 'default',
    prefix,
    guard = guardedObject,
    onSuperseded = 'skip',
    maxRetries,
    onProblem,
  } = options;
  const { now = () => Date.now(), lockTimeoutMs = defaultLimits.lockTimeoutMs } = options;
  const { idleInTransactionTimeoutMs = defaultLimits.idleInTransactionTimeoutMs } = options;
  const database = databaseOf(handle, { lockTimeoutMs, idleInTransactionTimeoutMs });
  const names = tableNames(prefix);
  checkOption(typeof handler === 'function', 'handler', 'must be a function: the result of on(), or your own');
  checkOption(
    typeof name === 'string' && /^[\w:.-]{1,100}$/.test(name),
    'name',
    'must be 1 to 100 letters, digits and :._-',
  );
  checkOption(
    maxRetries === undefined || (Number.isInteger(maxRetries) && maxRetries >= 0),
    'maxRetries',
    'must be 0 or more',
  );
  for (const [option, ms] of Object.entries({ lockTimeoutMs, idleInTransactionTimeoutMs }))
    checkOption(
      Number.isInteger(ms) && ms >= 0 && ms < 2 ** 31,
      option,
      'must be a whole number of milliseconds, 0 or more',
    );
  checkOption(onSuperseded === 'skip' || onSuperseded === 'call', 'onSuperseded', 'must be skip or call');

  interface Call {
    readonly attempt: number;
    readonly signal?: AbortSignal | undefined;
  }
  const applicationFor = ({ attempt, signal }: Call): Application<Tx> => ({
    names,
    consumer: name,
    guard: guard || (() => undefined),
    skipsSuperseded: onSuperseded === 'skip',
    now,
    call: async (event, tx, { superseded, isFirst }) => {
      const context = { tx, superseded, attempt, signal };
      const creation = isFirst && onSuperseded === 'skip' ? creationOf(event) : undefined;
      // Create the object now, because its creation event will be skipped if it arrives later.
      if (creation && handler.events?.some((type) => type === creation.event)) await handler(creation, context);
      await handler(event, context);
    },
  });
  const applyNow = (event: Event, call: Call): Promise<ApplyOutcome> =>
    transact(database, (transaction) => applyEvent(transaction, event, applicationFor(call)));

  const box = deadLetterBox(database, names, name, now);
  const applyOrStore = async (event: Event, { attempt: first, signal }: Call): Promise<ApplyOutcome> => {
    for (let calls = 1; ; calls++) {
      try {
        return await applyNow(event, { attempt: first + calls - 1, signal });
      } catch (error) {
        // The caller handles outages: a stream waits for the database, and the service sends a webhook again.
        if (maxRetries === undefined || isInfrastructureFailure(error)) throw error;
        if (calls > maxRetries) {
          await box.add({ event, error, attempts: calls });
          return 'dead_letter';
        }
        await sleep(backoffMs(calls) / retryDivisor, signal);
        if (signal?.aborted) throw error;
      }
    }
  };

  const replayOne = async (id: string): Promise<ReplayResult | undefined> => {
    const letter = await box.get(id);
    if (!letter) return undefined;
    const { event, attempts } = letter;
    try {
      const outcome = await transact(database, async (transaction) => {
        const result = await applyEvent(transaction, event, applicationFor({ attempt: attempts + 1 }));
        // Roll back, so that the event is not recorded as applied and its letter stays.
        if (result === 'superseded' && onSuperseded === 'skip') throw superseded;
        return result;
      });
      await box.remove(id);
      return { id, outcome };
    } catch (error) {
      if (error === superseded) {
        await box.add({ event, error: superseded, attempts: 0 });
        return { id, outcome: 'superseded' };
      }
      if (isInfrastructureFailure(error)) throw error;
      await box.add({ event, error });
      return { id, outcome: 'failed', error };
    }
  };
  /** Replay letters one by one, and skip letters that another process has applied meanwhile. */
  const replayEach = async (ids: readonly string[]): Promise<readonly ReplayResult[]> => {
    const results: ReplayResult[] = [];
    for (const id of ids) {
      const result = await replayOne(id);
      if (result) results.push(result);
    }
    return results;
  };
  const replayAll = async (): Promise<readonly ReplayResult[]> => {
    const results: ReplayResult[] = [];
    for (let page = await box.list(); page.length > 0; page = await box.list({ after: page.at(-1)!.id }))
      results.push(...(await replayEach(page.map(({ id }) => id))));
    return results;
  };
  const replay = async (id: string): Promise<readonly ReplayResult[]> => {
    if (id === 'all') return replayAll();
    const result = await replayOne(id);
    if (!result) throw noSuchLetter(id);
    return [result];
  };
  const replayMarked = async (): Promise<readonly ReplayResult[]> => replayEach(await box.marked());

  // Limit the number, so that an event does not wait for thousands of letters.
  const replayPeriodically = atMostEvery(upkeep.replayIntervalMs, now, async () =>
    replayEach((await box.marked()).slice(0, upkeep.replayLimit)),
  );
  const deleteOldPeriodically = atMostEvery(upkeep.deleteIntervalMs, now, () => deleteOldRows(database, names, now()));
  const handleEvent = async (event: Event, context: unknown): Promise<void> => {
    // A stream passes the number of the attempt; a webhook does not.
    const { attempt = 1, signal } = Object(context) as Partial<Call>;
    await applyOrStore(event, { attempt, signal });
    try {
      await replayPeriodically();
      await deleteOldPeriodically();
    } catch (error) {
      quietly(() =>
        onProblem?.(problemOf('upkeep_failed', 'Replaying dead letters or deleting old rows failed', error)),
      );
    }
  };

  return {
    async setUp() {
      if (await hasTables(database, names)) return;
      await transact(database, async ({ query }) => {
        // Concurrent `CREATE TABLE IF NOT EXISTS` statements fail in PostgreSQL, so take a lock first.
        if (database.dialect === 'postgres') await query('SELECT pg_advisory_xact_lock(8316031700)');
        for (const statement of exactlyOnceTables(database.dialect, { prefix }).split(';\n'))
          if (statement) await query(statement);
      });
    },
    apply: (event) => applyOrStore(event, { attempt: 1 }),
    applyIn: async (tx, event) =>
      inSavepoint(database.wrap(tx), (transaction) => applyEvent(transaction, event, applicationFor({ attempt: 1 }))),
    handle: Object.assign(handleEvent, { events: handler.events }),
    // Consumers have different progress, so they must not share a checkpoint.
    checkpoint: (checkpoint) =>
      databaseCheckpoint(database, names, name === 'default' ? checkpoint : `${name}/${checkpoint}`, now),
    deadLetters: {
      add: box.add,
      list: box.list,
      get: box.get,
      edit: box.edit,
      remove: box.remove,
      replay,
    },
    replayMarked,
  };
}
