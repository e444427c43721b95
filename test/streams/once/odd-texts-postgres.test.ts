import { afterAll, beforeAll } from 'vitest';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { type Pool, packages, pgPool } from './drivers.js';
import { oddTextCases } from './odd-texts.js';

requires('postgresql', packages)('exactlyOnce in PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let pool: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = pgPool(server.url, 4);
  });
  afterAll(async () => {
    await pool?.end();
    await server?.close();
  });
  oddTextCases(() => pool);
});
