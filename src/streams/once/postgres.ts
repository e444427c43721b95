import { isPostgresCollision } from '../../stores/collisions.js';
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
import { type Database, noTransaction } from './database.js';
import { inTurn } from './turns.js';

/** A client that a pool of `pg` has given out. */
export interface PgPoolClient extends PgClient {
  /** Gives it back; with an error, its connection is closed. */
  release(error?: Error | boolean): void;
}

/** A pool of `pg`. */
export interface PgPool extends PgClient {
  /** Gives a client for a transaction, which goes back by `release`. */
  connect(): Promise<PgPoolClient>;
  /** How many clients it has; by this a pool is known. */
  readonly totalCount: number;
}

/** A PostgreSQL database: a pool or a client of `pg`, or the `sql` of `postgres`. */
export type OncePostgres = PgPool | PgClient | PostgresSql;

const isPool = (value: unknown): value is PgPool =>
  hasFunctions(value, 'query', 'connect') && typeof (value as Partial<PgPool>).totalCount === 'number';

/** Whether something is a PostgreSQL database that can begin a transaction. */
export const isPostgres = (value: unknown): value is OncePostgres =>
  hasFunctions(value, 'unsafe', 'begin') || isPgClient(value);

/** How long a transaction may wait in PostgreSQL, in milliseconds; 0 for as long as it takes. */
export interface TransactionLimits {
  /** For a lock that another transaction holds. */
  readonly lockTimeoutMs: number;
  /** For the next statement of its process, which may be frozen. */
  readonly idleInTransactionTimeoutMs: number;
}

/** Five seconds for a lock, and five minutes for a process. */
export const defaultLimits: TransactionLimits = { lockTimeoutMs: 5_000, idleInTransactionTimeoutMs: 300_000 };

/** Speaks to PostgreSQL by the driver of the user. */
export function postgresDatabase(handle: OncePostgres, limits: TransactionLimits): Database<unknown> {
  const query = postgresStatements(handle)!;
  return {
    dialect: 'postgres',
    // A client has one connection: what is not in its transaction waits until that is over.
    query: isSql(handle) || isPool(handle) ? query : (text, values) => inTurn(handle, () => query(text, values)),
    // `begin` gives what `run` does.
    transaction: <Result>(run: Parameters<Database<unknown>['transaction']>[0]) =>
      transactionOf(handle, limitsSql(limits), (tx) => run({ query: postgresQuery(tx)!, tx })) as Promise<Result>,
    joined(tx) {
      // It is looked at there, whatever it is.
      const inside = postgresQuery(tx as PostgresQueryable);
      if (!inside) throw noTransaction();
      return { query: inside, tx };
    },
    isCollision: isPostgresCollision,
  };
}

const limitsSql = ({ lockTimeoutMs, idleInTransactionTimeoutMs }: TransactionLimits): string =>
  `SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`;

type Run = (tx: PostgresQueryable) => Promise<unknown>;

function transactionOf(handle: OncePostgres, limits: string, run: Run): Promise<unknown> {
  if (isSql(handle))
    return handle.begin(async (sql) => {
      // `begin` passes the `sql` of the transaction.
      const tx = sql as Pick<PostgresSql, 'unsafe'>;
      await tx.unsafe(limits);
      return run(tx);
    });
  return isPool(handle) ? withClient(handle, limits, run) : inTurn(handle, () => bracketed(handle, limits, run));
}

/** Takes a client of a pool for a transaction; one whose connection broke does not go back. */
async function withClient(pool: PgPool, limits: string, run: Run): Promise<unknown> {
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  const client = await clientOf(pool, onError);
  try {
    return await bracketed(client, limits, run);
  } finally {
    client.off?.('error', onError);
    client.release(broken);
  }
}

interface Listening extends PgPoolClient {
  on?(event: 'error', listener: (error: Error) => void): void;
  off?: this['on'];
}

/**
 * A client with a listener. Without one, the end of a connection ends the process; the query under way fails with the same error. A
 * promise would tell of the client too late: the connection may end in the packet that it began in.
 */
const clientOf = (pool: PgPool, onError: (error: Error) => void): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const take = (client: Listening): void => {
      client.on?.('error', onError);
      resolve(client);
    };
    const connect = pool.connect as (
      done?: (error: Error | undefined, client: Listening) => void,
    ) => Promise<Listening>;
    // A pool that takes no callback is none of `pg`, and is used like one all the same.
    if (pool.connect.length > 0) connect.call(pool, (error, client) => (error ? reject(error) : take(client)));
    else pool.connect().then(take, reject);
  });

async function bracketed(client: PgClient, limits: string, run: Run): Promise<unknown> {
  // One text is one round trip.
  await client.query(`BEGIN; ${limits}`);
  try {
    const result = await run(client);
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and no error. A statement before it fails then.
    await client.query('SELECT 1; COMMIT');
    return result;
  } catch (error) {
    // It fails only where the connection broke, and the transaction with it.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
