import { describe, expect, test } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import { Turn } from '../../../src/transport/limits/line.js';

/** A budget at a time that the test sets, and the requests that enter it. */
function budgetOf(requests: number) {
  let time = 0;
  const budget = new Budget({ requests, windowMs: 60_000 }, true, () => time);
  return {
    budget,
    pass(ms: number) {
      time += ms;
    },
    /** Return the turns of all requests that may be sent now. */
    enterAll(): Turn[] {
      const turns: Turn[] = [];
      for (let turn = new Turn(0, Infinity); budget.enter(turn); turn = new Turn(0, Infinity)) turns.push(turn);
      return turns;
    },
  };
}

describe('after a 429,', () => {
  test('no request is sent until the pause ends', () => {
    const { budget, pass, enterAll } = budgetOf(100);

    budget.pause(1_000);
    pass(999);
    expect(enterAll()).toEqual([]);
    pass(1);

    expect(enterAll()).toHaveLength(1);
  });

  test('requests are sent one at a time until two are accepted, and then in growing groups', () => {
    const { budget, pass, enterAll } = budgetOf(100);
    budget.pause(1_000);
    pass(1_000);
    const sizes: number[] = [];
    for (let round = 0; round < 7; round++) {
      const turns = enterAll();
      sizes.push(turns.length);
      // Two responses are enough, and the others come later.
      for (const turn of turns.slice(0, 2)) {
        budget.accept(turn);
        budget.leave(turn, true);
      }
    }

    expect(sizes).toEqual([1, 1, 2, 4, 6, 10, 18]);
  });

  test('a limit of eight requests is fully used again after six accepted requests', () => {
    const { budget, pass, enterAll } = budgetOf(8);
    budget.pause(1_000);
    pass(1_000);
    for (let at = 0; at < 6; at++) {
      const [turn] = enterAll();
      budget.accept(turn!);
      budget.leave(turn!, false);
      pass(1);
    }

    expect(budget.used + enterAll().length).toBe(8);
  });

  test('a second 429 resets the pace to one request at a time', () => {
    const { budget, pass, enterAll } = budgetOf(100);
    budget.pause(1_000);
    pass(1_000);
    for (let at = 0; at < 2; at++) {
      const [turn] = enterAll();
      budget.accept(turn!);
      budget.leave(turn!, true);
    }
    expect(enterAll()).toHaveLength(2);

    budget.pause(1_000);
    pass(1_000);

    expect(enterAll()).toHaveLength(1);
  });

  test('responses to requests that were sent before the pause do not change the pace', () => {
    const { budget, pass, enterAll } = budgetOf(10);
    const before = enterAll();
    budget.pause(60_000);
    pass(60_000);
    for (const turn of before) {
      budget.accept(turn);
      budget.leave(turn, false);
    }

    expect(enterAll()).toHaveLength(1);
  });
});
