import sqlite from 'node-sqlite3-wasm';
import { onTestFinished } from 'vitest';

/** Create an empty SQLite database, which is closed when the test ends. */
export function emptySqlite() {
  const database = new sqlite.Database();
  onTestFinished(() => void database.close());
  return database;
}

/** Make the statements of a database as strict as those of better-sqlite3, which has the same interface. */
export const strictSqlite = (inner = emptySqlite()) => ({
  exec: (sql: string) => inner.exec(sql),
  prepare(sql: string) {
    const reader = /^\s*SELECT|\bRETURNING\b/.test(sql);
    const refuse = (what: string) => {
      throw new TypeError(`This statement ${what}`);
    };
    return {
      reader,
      all: (...values: never[]) =>
        reader ? inner.all(sql, values) : refuse('does not return data. Use run() instead'),
      run: (...values: never[]) =>
        reader ? refuse('returns data. Use get(), all(), or iterate() instead') : inner.run(sql, values),
    };
  },
});
