/** The letters of a word and its pairs of neighbouring letters; `firstName` and `first_name` are the same word. */
const partsOf = (word: string): string[] => {
  const letters = word.toLowerCase().replace(/[^a-z0-9]/g, '');
  return [...letters].flatMap((letter, at) => [letter, letters.slice(at, at + 2)]);
};

/** The longest word with a suggestion: the search takes as many steps as the word has letters, for each letter of a candidate. */
const maxLength = 100;

/** Find the candidate with the most parts in common with the word. It must have more than six in ten. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxLength) return undefined;
  const parts = partsOf(word);
  let best: string | undefined;
  let most = 0.6;
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
    if (common > most) [best, most] = [candidate, common];
  }
  return best;
}

/** `; did you mean users?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** Say which name was meant, or which names there are. */
export function alternatives(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  if (meant) return `Did you mean ${meant}?`;
  return known.length > 0 ? `Pass one of ${known.join(', ')}.` : 'Leave it out.';
}
