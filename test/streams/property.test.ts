import { test } from 'vitest';
import { play } from './property.js';

test.each([1, 2, 3])('a stream loses no event if events appear late and processes are killed: %i', async (seed) => {
  await play(seed, 60);
});
