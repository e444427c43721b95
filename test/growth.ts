const minRounds = 5;
const maxRounds = 25;
const doublings = 5;
/** Beyond this, more runs on a busy machine would not change the answer. */
const clearlyMore = 3.5;

/** The processor time of a call in microseconds, because other processes make it last longer. */
async function timeOf(call: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(began);
  // A call shorter than the clock can tell takes at least a microsecond.
  return Math.max(user + system, 1);
}

/**
 * How many times as long a call takes when its input doubles: about 2 if its time is linear, about 4 if it is quadratic. Compares the
 * shortest of several runs, because everything else only makes a run longer, and stops early once the result is at most 2.5.
 *
 * The input doubles five times, so that a call of less than a millisecond can be measured on a busy machine.
 *
 * ```ts
 * expect(await growth(5_000, (length) => 'eyJ-'.repeat(length / 4), redact)).toBeLessThanOrEqual(2.5);
 * ```
 */
export async function growth<T>(
  size: number,
  inputOf: (size: number) => T,
  call: (input: T) => unknown,
): Promise<number> {
  const once = inputOf(size);
  const larger = inputOf(size * 2 ** doublings);
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= maxRounds; round++) {
    short = Math.min(short, await timeOf(() => call(once)));
    long = Math.min(long, await timeOf(() => call(larger)));
    const ratio = (long / short) ** (1 / doublings);
    if (round >= minRounds && (ratio <= 2.5 || ratio > clearlyMore)) break;
  }
  return (long / short) ** (1 / doublings);
}
