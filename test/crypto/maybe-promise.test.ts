import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { allOf, andThen } from '../../src/crypto/maybe-promise.js';

const elsewhere = (code: string): Promise<number> => runInNewContext(code);

test('a promise of another realm is awaited like a promise of this one', async () => {
  for (const later of [Promise.resolve(20), elsewhere('Promise.resolve(20)')]) {
    expect(await andThen(later, (value) => value + 1)).toBe(21);
    expect(await allOf([1, later])).toEqual([1, 20]);
  }
});

test('a value that is not a promise is returned synchronously', () => {
  expect(andThen(20, (value) => value + 1)).toBe(21);
  expect(allOf([1, 20])).toEqual([1, 20]);
});
