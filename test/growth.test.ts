import { expect, test } from 'vitest';
import { growth } from './growth.js';

const lettersOf = (size: number): string => 'a'.repeat(size);

test('a call that scans its input once takes at most 2.5 times as long for twice the input', async () => {
  expect(await growth(100_000, lettersOf, (text) => /b/.test(text))).toBeLessThanOrEqual(2.5);
});

test('a call that rescans its input at every character takes more than 2.5 times as long for twice the input', async () => {
  expect(await growth(500, lettersOf, (text) => /a+b/.test(text))).toBeGreaterThan(2.5);
});

test('the measurement waits until each call has ended', async () => {
  const finished: number[] = [];
  await growth(1, Number, async (size) => {
    await Promise.resolve();
    finished.push(size);
  });

  expect(finished.slice(0, 4)).toEqual([1, 32, 1, 32]);
});
