/** A pattern. A star matches any text. */
export interface Glob {
  /** Whether the pattern matches the whole text. Runs in linear time. */
  test(text: string): boolean;
}

/** Compile a pattern with stars. Leading and trailing spaces are ignored. */
export function globOf(pattern: string): Glob {
  const [start = '', ...rest] = pattern.trim().split('*');
  const end = rest.pop();
  if (end === undefined) return { test: (text) => text === start };
  const pieces = rest.filter((piece) => piece !== '').map(finderOf);
  return {
    test(text) {
      const last = text.length - end.length;
      if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
      let at: number | undefined = start.length;
      for (const endOf of pieces) {
        at = endOf(text, at, last);
        if (at === undefined) return false;
      }
      return true;
    },
  };
}

/** Finds where the first occurrence of a piece ends, between two positions of a text. */
type Finder = (text: string, from: number, to: number) => number | undefined;

/** Create a Knuth-Morris-Pratt search, because `indexOf` is quadratic for some texts. */
function finderOf(piece: string): Finder {
  // For each number of matched characters: how many of them still match after a mismatch.
  const shorter = [0, 0];
  const grow = (count: number, character: string): number => {
    let length = count;
    while (length > 0 && piece[length] !== character) length = shorter[length]!;
    return piece[length] === character ? length + 1 : 0;
  };
  for (let at = 1; at < piece.length; at++) shorter.push(grow(shorter[at]!, piece[at]!));
  return (text, from, to) => {
    let count = 0;
    for (let at = from; at < to; at++) {
      count = grow(count, text[at]!);
      if (count === piece.length) return at + 1;
    }
    return undefined;
  };
}
