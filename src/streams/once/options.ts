import { checkNames, checkOption, type OptionNames } from '../../errors/known-options.js';
import { type Problem, quietly } from '../../errors/problem.js';
import type { Event } from '../../service/events.js';
import { outageRule } from '../infrastructure.js';
import type { EventHandler } from '../registry.js';
import type { Database } from './database.js';
import type { DeadLetterBox } from './dead-letters.js';
import { guardedObject } from './guard.js';
import { defaultTimeouts } from './postgres.js';
import { tableNames } from './tables.js';

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
   * Whether an error of the handler is an outage of something that it needs. Asked about errors that are not known as infrastructure
   * failures. Such an error is always thrown. Pass the same function to `follow`.
   */
  readonly isOutage?: ((error: unknown) => boolean) | undefined;
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

const optionNames: OptionNames<ExactlyOnceOptions<unknown>> = {
  handler: 1,
  name: 1,
  prefix: 1,
  guard: 1,
  onSuperseded: 1,
  maxRetries: 1,
  isOutage: 1,
  lockTimeoutMs: 1,
  idleInTransactionTimeoutMs: 1,
  onProblem: 1,
  now: 1,
};

/** The checked options, with defaults. */
export type OnceSettings<Tx> = Readonly<ReturnType<typeof onceSettings<Tx>>>;

/** A consumer of events. */
export interface Consumer<Tx> {
  readonly database: Database<Tx>;
  readonly settings: OnceSettings<Tx>;
  readonly box: DeadLetterBox;
}

/** @throws {ConfigurationError} `invalid_option`. @throws {InvalidArgumentError} The prefix is invalid. */
export function onceSettings<Tx>(options: ExactlyOnceOptions<Tx>) {
  checkNames('exactlyOnce', options, optionNames);
  const { handler, name: consumer = 'default', guard = guardedObject, onSuperseded = 'skip', maxRetries } = options;
  const { prefix, isOutage, onProblem, now = () => Date.now() } = options;
  const { lockTimeoutMs = defaultTimeouts.lockTimeoutMs } = options;
  const { idleInTransactionTimeoutMs = defaultTimeouts.idleInTransactionTimeoutMs } = options;
  const names = tableNames(prefix);
  checkOption(typeof handler === 'function', 'handler', 'must be a function: the result of on(), or your own');
  checkOption(
    typeof consumer === 'string' && /^[\w:.-]{1,100}$/.test(consumer),
    'name',
    'must be 1 to 100 letters, digits and :._-',
  );
  const isCount = maxRetries === undefined || (Number.isInteger(maxRetries) && maxRetries >= 0);
  checkOption(isCount, 'maxRetries', 'must be 0 or more');
  checkOption(isOutage === undefined || typeof isOutage === 'function', 'isOutage', 'must be a function');
  const timeouts = { lockTimeoutMs, idleInTransactionTimeoutMs };
  for (const [option, ms] of Object.entries(timeouts)) {
    const isTimeout = Number.isInteger(ms) && ms >= 0 && ms < 2 ** 31;
    checkOption(isTimeout, option, 'must be a whole number of milliseconds, 0 or more');
  }
  checkOption(onSuperseded === 'skip' || onSuperseded === 'call', 'onSuperseded', 'must be skip or call');
  return {
    handler,
    consumer,
    names,
    guard: guard || (() => undefined),
    skipsSuperseded: onSuperseded === 'skip',
    maxRetries,
    isOutage: outageRule(isOutage),
    timeouts,
    // Ignore whether `onProblem` throws or rejects.
    onProblem: (problem: Problem<'upkeep_failed'>) => quietly(() => onProblem?.(problem)),
    now,
  };
}
