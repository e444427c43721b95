import { expect, test } from 'vitest';
import { growth } from './growth.js';

const lettersOf = (size: number): string => 'a'.repeat(size);

test('growth() returns at most 2.5 for a call that scans the input once', async () => {
  expect(await growth(100_000, lettersOf, (text) => /b/.test(text))).toBeLessThanOrEqual(2.5);
});

test('growth() returns more than 2.5 for a call that rescans the input at every character', async () => {
  expect(await growth(500, lettersOf, (text) => /a+b/.test(text))).toBeGreaterThan(2.5);
});

test('growth() waits until each measured call has ended', async () => {
  const finished: number[] = [];
  await growth(1, Number, async (size) => {
    await Promise.resolve();
    finished.push(size);
  });

  expect(finished.slice(0, 4)).toEqual([1, 32, 1, 32]);
});
