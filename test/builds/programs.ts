import { afterAll, beforeAll } from 'vitest';
import { type Runnable, runnable } from './runnable.js';

/** Makes programs for the tests of a file or suite. */
export function programsOf(sources: readonly string[]): Pick<Runnable, 'file'> {
  let programs: Runnable;
  beforeAll(async () => {
    programs = await runnable(sources);
  });
  afterAll(() => programs?.remove());
  return { file: (name) => programs.file(name) };
}
