import { describe, expect, test } from 'vitest';
import { emptySqlite } from '../databases/sqlite.js';
import { tablesIn } from './databases.js';
import { linksAfter, orderCases, rowAfter } from './order-cases.js';

describe('in SQLite', () => {
  test.each(orderCases)('%s', async (_, reports, row) => {
    expect(await rowAfter(await tablesIn(emptySqlite()), reports)).toBe(row);
  });

  test.each([
    ['a user that was added is in the group', [['added', '10 a']], 1],
    [
      'a user that was removed is not in the group',
      [
        ['added', '10 a'],
        ['removed', '20 b'],
      ],
      0,
    ],
    [
      'a user that was removed before a late addition is not in the group',
      [
        ['removed', '20 b'],
        ['added', '10 a'],
      ],
      0,
    ],
    [
      'a user that was added again is in the group',
      [
        ['removed', '20 b'],
        ['added', '30 c'],
      ],
      1,
    ],
    [
      'a user that was added after a late removal is in the group',
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
