/** A pattern with stars; each star stands for any text. */
export interface Glob {
  /** Whether the pattern fits the whole text. The time is linear in the length of the text. */
  test(text: string): boolean;
}

/** Read a pattern with stars. Blanks around it do not count. */
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

/** Finds the end of the first occurrence of a piece between two positions of a text. */
type Finder = (text: string, from: number, to: number) => number | undefined;

/** A search that never goes back in the text (Knuth, Morris, Pratt): `indexOf` is quadratic for some texts. */
function finderOf(piece: string): Finder {
  // How many characters still fit when the character after the first `count` does not.
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
