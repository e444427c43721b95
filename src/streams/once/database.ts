import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { retryCollisions } from '../../stores/collisions.js';

/** A row as a driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** The dialects of SQL that are spoken here. */
export type SqlDialect = 'postgres' | 'sqlite';

/** Runs SQL with `$1`, `$2` … for its values, and gives the rows. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** A transaction under way: our SQL in it, and what the user's own SQL runs in. */
export interface Transaction<Tx> {
  readonly query: Query;
  readonly tx: Tx;
}

/** A database of the user, as far as it is needed here. */
export interface Database<Tx> {
  readonly dialect: SqlDialect;
  /** Runs one statement by itself. */
  readonly query: Query;
  /** Runs everything in one transaction, which is undone when `run` throws. */
  readonly transaction: <Result>(run: (transaction: Transaction<Tx>) => Promise<Result>) => Promise<Result>;
  /** Speaks to a transaction that the user has opened. */
  readonly joined: (tx: Tx) => Transaction<Tx>;
  /** Whether a transaction failed only because another one was in its way. */
  readonly isCollision: (error: unknown) => boolean;
}

/** Runs a transaction, and runs it again if another one was in its way. */
export const transact = <Tx, Result>(
  database: Database<Tx>,
  run: (transaction: Transaction<Tx>) => Promise<Result>,
): Promise<Result> => retryCollisions(() => database.transaction(run), database.isCollision);

/** Undoes a savepoint, unless the connection broke or SQLite has undone everything: why it failed is what the caller has to know. */
async function undone<Tx>({ query }: Transaction<Tx>): Promise<void> {
  try {
    await query('ROLLBACK TO SAVEPOINT sallyport_event');
    await query('RELEASE SAVEPOINT sallyport_event');
  } catch {}
}

/** The error of `applyIn` for what is no transaction. */
export const noTransaction = (): InvalidArgumentError =>
  new InvalidArgumentError({
    what: 'applyIn needs the transaction that you have open',
    why: 'What was passed runs no SQL of this database',
    next: 'Pass a client of pg, the sql that begin() gives, (text, values) => Promise<{ rows }>, or the SQLite database',
    argument: 'tx',
  });

/** Runs something inside a transaction of the user so that it is undone alone when it fails. */
export async function nested<Tx, Result>(
  transaction: Transaction<Tx>,
  run: (transaction: Transaction<Tx>) => Promise<Result>,
): Promise<Result> {
  await transaction.query('SAVEPOINT sallyport_event');
  try {
    const result = await run(transaction);
    await transaction.query('RELEASE SAVEPOINT sallyport_event');
    return result;
  } catch (error) {
    await undone(transaction);
    throw error;
  }
}
