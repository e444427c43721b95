// Runs a mirror in the SQLite that a runtime brings itself, and prints what came of it as JSON.

import type { SqliteDatabase } from 'sallyport/streams';
import { lifeIn } from './life.js';

// Neither is there for the other, nor for the runtime that the tests are written for.
const isBun = 'Bun' in globalThis;
const { Database, DatabaseSync } = (await import(isBun ? 'bun:sqlite' : 'node:sqlite')) as Record<
  string,
  new (
    file: string,
  ) => SqliteDatabase
>;
console.log(JSON.stringify(await lifeIn(new (isBun ? Database! : DatabaseSync!)(':memory:'))));
