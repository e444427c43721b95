import { expect, test } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import { entered } from './entered.js';

test.each([1, 3, 7, 20])(
  'every queued call is eventually sent, even if the clock advances %d ms between two reads',
  async (step) => {
    let now = 0;
    const clock = () => {
      now += step;
      return now;
    };
    const budget = new Budget({ requests: 2, windowMs: 0.02 }, true, clock);

    const calls = Array.from({ length: 20 }, async () => {
      budget.leave(await entered(budget), true);
    });
    await Promise.all(calls);

    expect(budget.waiting).toBe(0);
  },
);
