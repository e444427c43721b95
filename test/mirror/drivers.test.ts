import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../databases/postgres.js';
import { requires } from '../runner/requirements.js';
import { packages, pgPool, postgresSql } from '../streams/once/drivers.js';
import { life, lifeIn } from './life.js';

requires('postgresql', packages)('a mirror in PostgreSQL', () => {
  test.each([
    ['a pg pool with one connection', (url: string) => pgPool(url, 1)],
    ['a postgres client with one connection', (url: string) => postgresSql(url, 1)],
    ['a postgres client', (url: string) => postgresSql(url)],
  ])('copies, follows, reads and verifies records through %s', async (_, connect) => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const into = connect(server.url);
    onTestFinished(() => into.end());

    expect(await lifeIn(into)).toEqual(life);
  });
});
