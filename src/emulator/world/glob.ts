/** A pattern in which a star stands for any text, as a regular expression for the whole of a text. */
export const globOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .trim()
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')}$`,
  );
