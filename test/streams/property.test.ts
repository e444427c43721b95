import { test } from 'vitest';
import { triesAll } from '../runner/property.js';
import { play } from './property.js';

const seeds = Array.from({ length: triesAll ? 25 : 3 }, (_, at) => at + 1);

test.each(seeds)('a stream loses no events if events appear late and processes are killed (seed %i)', async (seed) => {
  await play(seed, triesAll ? 200 : 60);
});
