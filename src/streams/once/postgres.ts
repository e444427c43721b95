import { isPostgresCollision } from '../../stores/collisions.js';
import { checkErrorListener } from '../../stores/error-listener.js';
import {
  hasFunctions,
  isPgClient,
  isSql,
  type PgClient,
  type PostgresQueryable,
  type PostgresSql,
  postgresQuery,
  postgresStatements,
} from '../../stores/postgres-query.js';
import { type Database, notATransaction, serialize } from './database.js';

/** A client from a pool of `pg`. */
export interface PgPoolClient extends PgClient {
  /** Return the client to the pool. With an error, its connection is closed. */
  release(error?: Error | boolean): void;
}

/** A pool of `pg`. */
export interface PgPool extends PgClient {
  /** Get a client for a transaction. Return it with `release`. */
  connect(): Promise<PgPoolClient>;
  /** Number of clients. This property identifies a pool. */
  readonly totalCount: number;
}

/** A PostgreSQL database: a pool or a client of `pg`, or the `sql` of `postgres`. */
export type OncePostgres = PgPool | PgClient | PostgresSql;

const isPool = (value: unknown): value is PgPool =>
  hasFunctions(value, 'query', 'connect') && typeof (value as Partial<PgPool>).totalCount === 'number';

/** Whether a value is a PostgreSQL database that can start a transaction. */
export const isPostgres = (value: unknown): value is OncePostgres =>
  hasFunctions(value, 'unsafe', 'begin') || isPgClient(value);

/** Timeouts of a transaction in PostgreSQL, in milliseconds; 0 for none. */
export interface TransactionTimeouts {
  /** Timeout for a lock held by another transaction. */
  readonly lockTimeoutMs: number;
  /** Timeout for the next statement, in case the process hangs. */
  readonly idleInTransactionTimeoutMs: number;
}

export const defaultTimeouts: TransactionTimeouts = { lockTimeoutMs: 5_000, idleInTransactionTimeoutMs: 300_000 };

/** Create a `Database` from a PostgreSQL driver. */
export function postgresDatabase(handle: OncePostgres, timeouts: TransactionTimeouts): Database<unknown> {
  const query = postgresStatements(handle)!;
  return {
    dialect: 'postgres',
    // A client has one connection, so other statements wait until its transaction ends.
    query: isSql(handle) || isPool(handle) ? query : (text, values) => serialize(handle, () => query(text, values)),
    // `begin` returns the result of `run`.
    transaction: <Result>(run: Parameters<Database<unknown>['transaction']>[0]) =>
      transactionOf(handle, timeoutsSql(timeouts), (tx) => run({ query: postgresQuery(tx)!, tx })) as Promise<Result>,
    wrap(tx) {
      // `postgresQuery` accepts any value.
      const txQuery = postgresQuery(tx as PostgresQueryable);
      if (!txQuery) throw notATransaction();
      return { query: txQuery, tx };
    },
    isCollision: isPostgresCollision,
  };
}

const timeoutsSql = ({ lockTimeoutMs, idleInTransactionTimeoutMs }: TransactionTimeouts): string =>
  `SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`;

type Run = (tx: PostgresQueryable) => Promise<unknown>;

function transactionOf(handle: OncePostgres, settings: string, run: Run): Promise<unknown> {
  checkErrorListener(handle);
  if (isSql(handle))
    return handle.begin(async (sql) => {
      // `begin` passes the `sql` of the transaction.
      const tx = sql as Pick<PostgresSql, 'unsafe'>;
      await tx.unsafe(settings);
      return run(tx);
    });
  return isPool(handle)
    ? withClient(handle, settings, run)
    : serialize(handle, () => inTransaction(handle, settings, run));
}

/** Take a client from a pool for a transaction. The pool closes the client if its connection failed. */
async function withClient(pool: PgPool, settings: string, run: Run): Promise<unknown> {
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  const client = await acquireClient(pool, onError);
  try {
    return await inTransaction(client, settings, run);
  } finally {
    client.off?.('error', onError);
    client.release(broken);
  }
}

interface ListeningClient extends PgPoolClient {
  on?(event: 'error', listener: (error: Error) => void): void;
  off?: this['on'];
}

/**
 * Get a client and add an error listener. Without a listener, a lost connection would crash the process; the running query
 * fails with the same error anyway. A promise would return the client too late, because the connection can end in the same packet
 * that opened it.
 */
const acquireClient = (pool: PgPool, onError: (error: Error) => void): Promise<ListeningClient> =>
  new Promise((resolve, reject) => {
    const take = (client: ListeningClient): void => {
      client.on?.('error', onError);
      resolve(client);
    };
    const connect = pool.connect as (
      done?: (error: Error | undefined, client: ListeningClient) => void,
    ) => Promise<ListeningClient>;
    // Not a `pg` pool but compatible: use its promises.
    if (pool.connect.length > 0) connect.call(pool, (error, client) => (error ? reject(error) : take(client)));
    else pool.connect().then(take, reject);
  });

async function inTransaction(client: PgClient, settings: string, run: Run): Promise<unknown> {
  // One query string is one round trip.
  await client.query(`BEGIN; ${settings}`);
  try {
    const result = await run(client);
    // PostgreSQL reports no error for the COMMIT of a failed transaction, but it does for a statement before it.
    await client.query('SELECT 1; COMMIT');
    return result;
  } catch (error) {
    // ROLLBACK fails only if the connection is lost, which ends the transaction too.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
