import { describe, expect, test } from 'vitest';
import { emptySqlite } from '../databases/sqlite.js';
import { tablesIn } from './databases.js';
import { linksAfter, orderCases, rowAfter } from './order-cases.js';

describe('a mirror in SQLite', () => {
  test.each(orderCases)('%s', async (_, reports, row) => {
    expect(await rowAfter(await tablesIn(emptySqlite()), reports)).toBe(row);
  });

  test.each([
    ['adds a user to a group', [['added', '10 a']], 1],
    [
      'removes a user from a group after an addition and a newer removal',
      [
        ['added', '10 a'],
        ['removed', '20 b'],
      ],
      0,
    ],
    [
      'keeps a user out of a group if an older addition arrives late',
      [
        ['removed', '20 b'],
        ['added', '10 a'],
      ],
      0,
    ],
    [
      'keeps a user in a group after a removal and a newer addition',
      [
        ['removed', '20 b'],
        ['added', '30 c'],
      ],
      1,
    ],
    [
      'keeps a user in a group if an older removal arrives late',
      [
        ['added', '30 c'],
        ['removed', '20 b'],
      ],
      1,
    ],
  ] as const)('%s', async (_, events, links) => {
    expect(await linksAfter(emptySqlite(), events)).toBe(links);
  });
});
