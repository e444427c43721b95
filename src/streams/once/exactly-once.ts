import { checkOption } from '../../errors/check-option.js';
import { checkNames, type OptionNames } from '../../errors/known-options.js';
import { quietly } from '../../errors/quietly.js';
import type { Event } from '../../service/events.js';
import type { Checkpoint } from '../checkpoint.js';
import { isInfrastructureFailure } from '../infrastructure.js';
import type { EventHandler } from '../registry.js';
import { growingMs, sleepByTimer } from '../waits.js';
import { type Application, type ApplyOutcome, applyEvent } from './apply.js';
import { databaseCheckpoint } from './checkpoint.js';
import { nested, transact } from './database.js';
import { type DeadLetterBox, deadLetterBox, noSuchLetter } from './dead-letters.js';
import { creationOf, guardedObject } from './guard.js';
import { defaultLimits } from './postgres.js';
import { databaseOf, type OnceDatabase, type TransactionOf } from './recognize.js';
import { exactlyOnceTables, hasTables, tableNames } from './tables.js';
import { atMostEvery, forgetOld } from './upkeep.js';

/** What a handler gets beside the event. */
export interface OnceContext<Tx> {
  /** The transaction: a client of `pg`, the `sql` of `postgres`, or the SQLite database. Effects belong in it. */
  readonly tx: Tx;
  /** Whether something newer was applied to the object already; only with `onSuperseded: 'call'`. */
  readonly superseded: boolean;
  /** How often the handler has been called with the event, from 1, as far as is known here. */
  readonly attempt: number;
  /** Ends when the stream or the request does; absent where there is neither. */
  readonly signal?: AbortSignal | undefined;
}

/** What `exactlyOnce` takes. */
export interface ExactlyOnceOptions<Tx> {
  /**
   * What to do about events; `on` makes one of a handler for each type. Write creations and updates as upserts. If the first event of
   * an object is an update, the handler of the creation that `on` knows is called with it before the one of the update.
   */
  readonly handler:
    | EventHandler<OnceContext<Tx>>
    | (((event: Event, context: OnceContext<Tx>) => unknown) & { readonly types?: undefined });
  /** Who applies events, where several do with one database: each applies every event once. Default `default`. */
  readonly name?: string | undefined;
  /** How the tables begin; default `sallyport_`. In PostgreSQL a schema may stand before: `identity.sallyport_`. */
  readonly prefix?: string | undefined;
  /**
   * Which object an event tells the state of, by a name of your own, or undefined where no order matters; `false` guards
   * nothing. By default the family of the event and the id in its data.
   */
  readonly guard?: false | ((event: Event) => string | undefined) | undefined;
  /** What to do about an event when something newer was applied to its object; default `skip`. */
  readonly onSuperseded?: 'skip' | 'call' | undefined;
  /**
   * How often to call the handler again, after 0.1 s, 0.2 s, 0.4 s and so on, before the event becomes a dead letter. Without it
   * the error goes to the caller: a stream tries again by its own rules, and a webhook is sent again. The caller also gets each
   * failure of the infrastructure, such as a lost connection; it never makes a dead letter.
   */
  readonly retries?: number | undefined;
  /**
   * How long a transaction waits for a lock of another one in PostgreSQL, in milliseconds; default 5,000, and 0 for no limit. After
   * that it fails as in an outage: a stream tries again, and a webhook is sent again.
   */
  readonly lockTimeoutMs?: number | undefined;
  /**
   * After how long PostgreSQL ends a transaction whose process sends nothing, in milliseconds; default 300,000, and 0 for never. A
   * process that is frozen or cut off holds its locks for that long. Keep it longer than your handler waits for anything else.
   */
  readonly idleInTransactionTimeoutMs?: number | undefined;
  /** Called when looking after dead letters and old rows failed; the event itself was applied. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What came of a dead letter that was applied again. */
export interface ReplayResult {
  /** Id of the event. */
  readonly id: string;
  /**
   * What came of it. The letter stays with `failed`, if the handler failed again, and with `superseded`, if something newer was applied to
   * its object and the handler was not called.
   */
  readonly outcome: ApplyOutcome | 'failed';
  /** What the handler failed with. */
  readonly error?: unknown;
}

/** The events that were put aside. A stream takes this for its `onPoison`. */
export interface DeadLetters extends Omit<DeadLetterBox, 'mark' | 'marked'> {
  /**
   * Applies a letter now, or with `all` every letter from the oldest. Letters that are applied are removed.
   *
   * @throws {InvalidArgumentError} There is no such letter.
   */
  replay(id: string): Promise<readonly ReplayResult[]>;
}

/** Applies each event once: what `exactlyOnce` gives. */
export interface ExactlyOnce<Tx> {
  /** Creates the tables. If they are there, it needs no right to create tables. */
  setUp(): Promise<void>;
  /** Applies an event in a transaction of its own, and says what came of it. */
  apply(event: Event): Promise<ApplyOutcome>;
  /**
   * Applies an event in a transaction that you have open; what it did goes with that transaction.
   *
   * @throws {InvalidArgumentError} What was passed runs no SQL of this database.
   */
  applyIn(tx: Tx, event: Event): Promise<ApplyOutcome>;
  /** Applies an event, for streams and webhooks. */
  readonly handle: EventHandler<unknown>;
  /** Keeps the place of a stream in the same database. Each consumer has separate checkpoints. */
  checkpoint(name: string): Checkpoint;
  /** The events that were put aside. */
  readonly deadLetters: DeadLetters;
  /**
   * Applies all dead letters that `npx sallyport dead-letters replay` has marked. `handle` applies up to 20 of them every ten seconds while
   * events come.
   */
  replayMarked(): Promise<readonly ReplayResult[]>;
}

const optionNames: OptionNames<ExactlyOnceOptions<unknown>> = {
  handler: 1,
  name: 1,
  prefix: 1,
  guard: 1,
  onSuperseded: 1,
  retries: 1,
  lockTimeoutMs: 1,
  idleInTransactionTimeoutMs: 1,
  onProblem: 1,
  now: 1,
};

/** The error that a letter gets instead of being applied, and that undoes its transaction. */
const superseded = 'Something newer was applied to the object of this event. Edit the letter, or remove it';

/** How often `handle` looks for letters to apply again, how many at a time, and how often it forgets what is old. */
const upkeep = { replayMs: 10_000, replayed: 20, forgetMs: 3_600_000 };

/** A webhook has to be answered soon, so `retries` wait a tenth of the time that a stream would. */
const retryPace = 10;

/**
 * Apply each event once, in a transaction of your own database: that the event was seen, that nothing newer was, and what your
 * handler writes stand together or not at all.
 *
 * @throws {InvalidArgumentError} The database is none that is known here, or the prefix is not a name.
 * @throws {ConfigurationError} An option is wrong.
 * @example
 * const once = exactlyOnce(pool, {
 *   handler: on({ 'user.deleted': (event, { tx }) => tx.query('DELETE FROM accounts WHERE id = $1', [event.data.id]) }),
 * });
 * await once.setUp();
 * await once.apply(event); // 'applied', and 'duplicate' when it comes again
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
    retries,
    onProblem,
  } = options;
  const { now = () => Date.now(), lockTimeoutMs = defaultLimits.lockTimeoutMs } = options;
  const { idleInTransactionTimeoutMs = defaultLimits.idleInTransactionTimeoutMs } = options;
  const database = databaseOf(handle, { lockTimeoutMs, idleInTransactionTimeoutMs });
  const names = tableNames(prefix);
  checkOption(typeof handler === 'function', 'handler', 'must be a function: one that on() makes, or your own');
  checkOption(
    typeof name === 'string' && /^[\w:.-]{1,100}$/.test(name),
    'name',
    'must be 1 to 100 letters, digits and :._-',
  );
  checkOption(retries === undefined || (Number.isInteger(retries) && retries >= 0), 'retries', 'must be 0 or more');
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
      // The late creation will be skipped as older, so its handler creates the object now.
      if (creation && handler.types?.some((type) => type === creation.event)) await handler(creation, context);
      await handler(event, context);
    },
  });
  const applyNow = (event: Event, call: Call): Promise<ApplyOutcome> =>
    transact(database, (transaction) => applyEvent(transaction, event, applicationFor(call)));

  const box = deadLetterBox(database, names, name, now);
  const applyOrPutAside = async (event: Event, { attempt: first, signal }: Call): Promise<ApplyOutcome> => {
    for (let calls = 1; ; calls++) {
      try {
        return await applyNow(event, { attempt: first + calls - 1, signal });
      } catch (error) {
        // The caller decides how long to wait for a database: a stream for as long as it takes, and a webhook is sent again.
        if (retries === undefined || isInfrastructureFailure(error)) throw error;
        if (calls > retries) {
          await box.add({ event, error, attempts: calls });
          return 'dead_letter';
        }
        await sleepByTimer(growingMs(calls) / retryPace, signal);
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
        // The event must not count as seen, because its letter stays.
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
  /** Replays letters one after the other, without those that another process has applied meanwhile. */
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

  // An event must not wait until thousands of letters are applied.
  const replayNowAndThen = atMostEvery(upkeep.replayMs, now, async () =>
    replayEach((await box.marked()).slice(0, upkeep.replayed)),
  );
  const forgetNowAndThen = atMostEvery(upkeep.forgetMs, now, () => forgetOld(database, names, now()));
  const handleEvent = async (event: Event, context: unknown): Promise<void> => {
    // A stream says how often it has tried; a webhook does not.
    const { attempt = 1, signal } = Object(context) as Partial<Call>;
    await applyOrPutAside(event, { attempt, signal });
    try {
      await replayNowAndThen();
      await forgetNowAndThen();
    } catch (error) {
      quietly(() => onProblem?.(error));
    }
  };

  return {
    async setUp() {
      if (await hasTables(database, names)) return;
      await transact(database, async ({ query }) => {
        // Of several who make a table at once PostgreSQL has all but one fail, `IF NOT EXISTS` or not.
        if (database.dialect === 'postgres') await query('SELECT pg_advisory_xact_lock(8316031700)');
        for (const statement of exactlyOnceTables(database.dialect, { prefix }).split(';\n'))
          if (statement) await query(statement);
      });
    },
    apply: (event) => applyOrPutAside(event, { attempt: 1 }),
    applyIn: async (tx, event) =>
      nested(database.joined(tx), (transaction) => applyEvent(transaction, event, applicationFor({ attempt: 1 }))),
    handle: Object.assign(handleEvent, { types: handler.types }),
    // Consumers handle events in different ways, so that they must not share a checkpoint.
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
