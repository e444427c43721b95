import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { play } from './property.js';

takesLong('a stream, while events appear late and processes are killed,', () => {
  test('loses nothing in 25 courses of events', { timeout: 300_000 }, async () => {
    for (let seed = 100; seed < 125; seed++) await play(seed, 200);

    expect.hasAssertions();
  });
});
