import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { allOf, andThen } from '../../src/crypto/soon.js';

const elsewhere = (code: string): Promise<number> => runInNewContext(code);

test('a promise of another realm is waited for, as one of ours is', async () => {
  for (const later of [Promise.resolve(20), elsewhere('Promise.resolve(20)')]) {
    expect(await andThen(later, (value) => value + 1)).toBe(21);
    expect(await allOf([1, later])).toEqual([1, 20]);
  }
});

test('what is there is there at once', () => {
  expect(andThen(20, (value) => value + 1)).toBe(21);
  expect(allOf([1, 20])).toEqual([1, 20]);
});
