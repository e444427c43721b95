import { expect, test } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';

test.each([1, 3, 7, 20])(
  'nobody waits for ever where %d ms pass from one look at the clock to the next',
  async (step) => {
    let now = 0;
    const clock = () => {
      now += step;
      return now;
    };
    const budget = new Budget({ requests: 2, seconds: 0.02 }, true, clock);

    const calls = Array.from({ length: 20 }, async () => {
      if (!budget.enter()) await budget.wait(new AbortController().signal);
      budget.leave(true);
    });
    await Promise.all(calls);

    expect(budget.waiting).toBe(0);
  },
);
