import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collect garbage before measuring memory. */
export const collectGarbage = runInNewContext('gc');

/** Whether this is a short run, which shows only that everything works. */
export const quick = process.argv.includes('--quick');

/** Measure the wall time and the CPU time of some work in milliseconds. */
export async function timed(work) {
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await work();
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/**
 * Measure contenders side by side. Every round measures each of them once, in rotating order, so that other load on the machine
 * affects all of them equally. Returns the samples of each contender, one per round.
 */
export async function takeTurns(contenders, { rounds, warmUp = 2 }) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++)
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUp) % names.length];
      // Do not force garbage collection in between: it would also discard compiled code.
      const sample = await contenders[name]();
      if (round >= 0) samples[name].push(sample);
    }
  return samples;
}

/** Compute the median of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Compute the median of one measure of a contender. */
export const typical = (samples, name, measure) => median(samples[name].map((sample) => sample[measure]));

/** Compute the median ratio of two contenders. Each ratio is taken within one round. */
export const ratio = (samples, name, baseline, measure) =>
  median(samples[name].map((sample, round) => sample[measure] / samples[baseline][round][measure]));

/** Compute the median difference of two contenders. Each difference is taken within one round. */
export const difference = (samples, name, baseline, measure) =>
  median(samples[name].map((sample, round) => sample[measure] - samples[baseline][round][measure]));
