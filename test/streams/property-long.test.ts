import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { play } from './property.js';

takesLong('a stream, while events appear late and processes are killed,', () => {
  test('loses no event in 25 random runs', { timeout: 300_000 }, async () => {
    for (let seed = 100; seed < 125; seed++) await play(seed, 200);

    expect.hasAssertions();
  });
});
