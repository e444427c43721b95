/** Return the letters of a word and its pairs of adjacent letters. The result is the same for `firstName` and `first_name`. */
const partsOf = (word: string): string[] => {
  const letters = word.toLowerCase().replace(/[^a-z0-9]/g, '');
  return [...letters].flatMap((letter, at) => [letter, letters.slice(at, at + 2)]);
};

/** Longer words get no suggestion, because the search time is quadratic in their length. */
const maxLength = 100;

/** Find the candidate that shares the most parts with the word, more than 60 % of them. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxLength) return undefined;
  const parts = partsOf(word);
  let best: string | undefined;
  let maxCommon = 0.6;
  for (const candidate of candidates) {
    const others = partsOf(candidate);
    const all = parts.length + others.length;
    let common = 0;
    for (const part of parts) {
      const at = others.indexOf(part);
      if (at < 0) continue;
      others.splice(at, 1);
      common += 2 / all;
    }
    if (common > maxCommon) [best, maxCommon] = [candidate, common];
  }
  return best;
}

/** Return a suggestion such as `; did you mean users?`, or an empty string. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** Suggest the nearest name, or list all names. */
export function alternatives(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known);
  if (suggestion) return `Did you mean ${suggestion}?`;
  return known.length > 0 ? `Pass one of ${known.join(', ')}.` : 'Leave it out.';
}
