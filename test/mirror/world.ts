import type { EmulatorOptions } from 'sallyport/emulator';
import { onTestFinished } from 'vitest';
import { createMirror } from '../../src/mirror/mirror.js';
import type { MirrorOptions, MirrorProblem } from '../../src/mirror/options.js';
import { emptySqlite } from '../databases/sqlite.js';
import { stage } from '../stage.js';

/** An emulator with the time of the machine, a client of it, and mirrors into one database. */
export async function mirrorWorld(options: EmulatorOptions = {}, into: MirrorOptions['into'] = emptySqlite()) {
  const { emulator, sallyport } = await stage({ clock: undefined, client: { maxRetries: 0 }, ...options });
  const problems: MirrorProblem[] = [];
  /** A mirror that is closed when the test ends. */
  const mirrorOf = async (more: Partial<MirrorOptions> = {}) => {
    const one = createMirror(
      sallyport,
      {
        into,
        maxLagMs: 20_000,
        pollMs: 50,
        now: () => emulator.clock.now(),
        onProblem: (problem) => problems.push(problem),
        ...more,
      },
      1_000,
    );
    await one.setUp();
    onTestFinished(() => one.close());
    return one;
  };
  return { emulator, sallyport, into, problems, mirrorOf };
}
