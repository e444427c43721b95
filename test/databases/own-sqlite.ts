import type { SqliteDatabase } from 'sallyport/streams';

// Each runtime lacks the module of the other, and so does the runtime of the tests.
const isBun = 'Bun' in globalThis;
const { Database, DatabaseSync } = (await import(isBun ? 'bun:sqlite' : 'node:sqlite')) as Record<
  string,
  new (
    file: string,
  ) => SqliteDatabase
>;

/** An empty database of the SQLite that the runtime brings itself. */
export const ownDatabase = new (isBun ? Database! : DatabaseSync!)(':memory:');
