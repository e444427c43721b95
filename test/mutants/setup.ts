// Runs before each test file: defines `mutate`, and writes down which mutants the file reaches.
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const active = Number(process.env.SALLYPORT_MUTANT ?? -1);
const reached = new Set<number>();

Object.assign(globalThis, {
  mutate(mutant: number, value: unknown): unknown {
    reached.add(mutant);
    return mutant === active ? !value : value;
  },
});

afterAll(() => {
  const { SALLYPORT_MUTANTS_REACHED: log } = process.env;
  if (log) appendFileSync(log, `${JSON.stringify([expect.getState().testPath, [...reached]])}\n`);
});
