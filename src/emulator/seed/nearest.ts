/** A word as it is compared: `firstName` and `first_name` are the same one. */
const plain = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

/** How many letters have to be added, taken away, exchanged or swapped with their neighbour (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (same ? 0 : 1));
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[other.length]!;
}

/** The candidate that was most likely meant; undefined when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const target = plain(word);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(target.length / 3)) + 1;
  for (const candidate of candidates) {
    const other = plain(candidate);
    if (Math.abs(other.length - target.length) >= least) continue;
    const steps = distance(target, other);
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** `; did you mean users?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}
