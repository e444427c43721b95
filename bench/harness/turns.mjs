import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Empties the heap, before memory is measured. */
export const collectGarbage = runInNewContext('gc');

/** Whether a short run was asked for: enough to see that everything works, too little to quote. */
export const quick = process.argv.includes('--quick');

/** Milliseconds on the clock and of this process's processors that some work takes. */
export async function timed(work) {
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await work();
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/**
 * Measures contenders side by side: every round measures each of them once, in an order that rotates, so that whatever
 * else the machine does falls on all of them alike. Gives the samples of each contender, one a round.
 */
export async function takeTurns(contenders, { rounds, warmUp = 2 }) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++)
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUp) % names.length];
      // No garbage collection is forced in between: it would also throw away compiled code that is about to be used.
      const sample = await contenders[name]();
      if (round >= 0) samples[name].push(sample);
    }
  return samples;
}

/** The middle of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The middle of one measure of a contender. */
export const typical = (samples, name, measure) => median(samples[name].map((sample) => sample[measure]));

/** The middle of the ratios of a contender to another, each taken within one round. */
export const ratio = (samples, name, baseline, measure) =>
  median(samples[name].map((sample, round) => sample[measure] / samples[baseline][round][measure]));

/** The middle of the differences between a contender and another, each taken within one round. */
export const difference = (samples, name, baseline, measure) =>
  median(samples[name].map((sample, round) => sample[measure] - samples[baseline][round][measure]));
