import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** The needs of the suites with PostgreSQL, for `requires`. */
export const packages = 'test/stores/drivers/node_modules';
/** The needs of the suites with queues. */
export const queues = 'test/streams/queues/node_modules';

const load = createRequire(resolve('test/stores/drivers/package.json'));
const loadQueue = createRequire(resolve('test/streams/queues/package.json'));

/** The part of a `pg` pool that the tests use. */
export interface Pool {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  connect(): Promise<Pool & { release(): void }>;
  on(event: 'error', listener: () => void): void;
  end(): Promise<void>;
  readonly totalCount: number;
}

/** The part of `sql` of `postgres` that the tests use. */
export interface Sql {
  unsafe(text: string, values?: never[]): Promise<Record<string, unknown>[]>;
  begin<Result>(run: (sql: Sql) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

/** Creates a pool of `pg`. Errors of idle connections are ignored. */
export function pgPool(connectionString: string, max = 4): Pool {
  const { Pool } = load('pg') as { Pool: new (options: object) => Pool };
  const pool = new Pool({ connectionString, max });
  pool.on('error', () => {});
  return pool;
}

/** Connects a client of `pg`. Errors of the idle client are ignored. */
export async function pgClient(connectionString: string): Promise<Omit<Pool, 'connect' | 'totalCount'>> {
  const { Client } = load('pg') as { Client: new (options: object) => Pool };
  const client = new Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Creates the `sql` of `postgres`. */
export const postgresSql = (url: string, max = 4): Sql =>
  (load('postgres') as (url: string, options: object) => Sql)(url, { max, onnotice: () => {} });

/** Loads a module of the queues. */
export const queueModule = <Module>(name: 'bullmq' | 'ioredis' | 'pg-boss'): Module => loadQueue(name) as Module;
