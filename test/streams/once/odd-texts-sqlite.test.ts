import { Database } from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe } from 'vitest';
import { oddTextCases } from './odd-texts.js';

describe('exactlyOnce in SQLite', () => {
  let database: Database;
  beforeAll(() => {
    database = new Database();
  });
  afterAll(() => database.close());
  oddTextCases(() => database);
});
