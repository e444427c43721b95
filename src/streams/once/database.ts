import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { retryCollisions } from '../../stores/collisions.js';

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** Supported SQL dialects. */
export type SqlDialect = 'postgres' | 'sqlite';

/** Runs SQL with `$1`, `$2` … as placeholders, and returns the rows. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** An open transaction: `query` runs our SQL, and the handler uses `tx` for its own. */
export interface Transaction<Tx> {
  readonly query: Query;
  readonly tx: Tx;
}

/** Replace what PostgreSQL does not store in a text, and what drivers replace: NUL and unpaired surrogates. */
export const storable = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');

/** Make a query whose texts can be stored. */
export const storing =
  (query: Query): Query =>
  (text, values = []) =>
    query(
      text,
      values.map((value) => (typeof value === 'string' ? storable(value) : value)),
    );

/** The user's database. */
export interface Database<Tx> {
  readonly dialect: SqlDialect;
  /** Runs one statement outside a transaction. */
  readonly query: Query;
  /** Runs a function in a transaction, which is rolled back if the function throws. */
  readonly transaction: <Result>(run: (transaction: Transaction<Tx>) => Promise<Result>) => Promise<Result>;
  /** Wraps a transaction that the caller has opened. */
  readonly wrap: (tx: Tx) => Transaction<Tx>;
  /** Whether a transaction failed because of a concurrent one. */
  readonly isCollision: (error: unknown) => boolean;
}

/** The latest operation on each connection. */
const latest = new WeakMap<object, Promise<unknown>>();

/** Run operations on a connection one after another, because a connection has one transaction at a time. */
export function serialize<Result>(connection: object, run: () => Promise<Result>): Promise<Result> {
  const next = () => run();
  const turn = Promise.resolve(latest.get(connection)).then(next, next);
  latest.set(connection, turn);
  return turn;
}

/** Run a transaction, and retry it if it collides with another one. */
export const transact = <Tx, Result>(
  database: Database<Tx>,
  run: (transaction: Transaction<Tx>) => Promise<Result>,
): Promise<Result> => retryCollisions(() => database.transaction(run), database.isCollision);

/**
 * Roll back to the savepoint. Ignores errors, so that the caller gets the original one: the connection may be lost, or SQLite
 * may have rolled back.
 */
async function rollBackToSavepoint<Tx>({ query }: Transaction<Tx>): Promise<void> {
  try {
    await query('ROLLBACK TO SAVEPOINT sallyport_event');
    await query('RELEASE SAVEPOINT sallyport_event');
  } catch {}
}

/** The error that `applyIn` throws if `tx` is not a transaction. */
export const notATransaction = (): InvalidArgumentError =>
  new InvalidArgumentError({
    what: 'applyIn needs your open transaction',
    why: 'The value cannot run SQL in this database',
    next: 'Pass a client of pg, the sql of begin(), (text, values) => Promise<{ rows }>, or the SQLite database',
    argument: 'tx',
  });

/** Run a function in a savepoint of the caller's transaction, so that a failure rolls back only this function. */
export async function inSavepoint<Tx, Result>(
  transaction: Transaction<Tx>,
  run: (transaction: Transaction<Tx>) => Promise<Result>,
): Promise<Result> {
  await transaction.query('SAVEPOINT sallyport_event');
  try {
    const result = await run(transaction);
    await transaction.query('RELEASE SAVEPOINT sallyport_event');
    return result;
  } catch (error) {
    await rollBackToSavepoint(transaction);
    throw error;
  }
}
