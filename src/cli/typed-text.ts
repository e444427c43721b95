// An argument of a program cannot contain this character.
const mark = '\0';

/** Mark an argument such as `007`, or the value of `--world=007`, so that the parser does not turn it into a number. */
export const marked = (argument: string): string =>
  argument.replace(/^(?:-[^=]*=|(?!-))(?=(.*)$)/s, (flag, value: string) =>
    Number.isFinite(Number(value)) ? flag + mark : flag,
  );

/** Remove the marks from what the parser returned. */
export const unmarked = <Value>(value: Value): Value =>
  // The result has the type of the argument.
  (typeof value === 'string' ? value.replace(mark, '') : Array.isArray(value) ? value.map(unmarked) : value) as Value;
