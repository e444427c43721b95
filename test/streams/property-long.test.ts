import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { play } from './property.js';

takesLong('a stream, while events appear late and processes are killed,', () => {
  test('loses nothing in 50 courses of events', { timeout: 300_000 }, async () => {
    for (let seed = 100; seed < 150; seed++) await play(seed, 200);

    expect.hasAssertions();
  });
});
