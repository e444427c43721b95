/** Part of a text, and the placeholder that follows it; undefined after the last part. */
interface Piece {
  readonly text: string;
  /** What is written between the braces. */
  readonly expression: string | undefined;
}

/** Divide a text at its placeholders, `{{ user.email }}`. A placeholder without an end is text. */
export function* piecesOf(text: string): Generator<Piece> {
  let at = 0;
  for (;;) {
    const start = text.indexOf('{{', at);
    const end = start < 0 ? -1 : text.indexOf('}}', start + 2);
    if (end < 0) break;
    yield { text: text.slice(at, start), expression: text.slice(start + 2, end) };
    at = end + 2;
  }
  yield { text: text.slice(at), expression: undefined };
}

/** Divide a placeholder into its alternatives, `user.first_name || 'Guest'`. Bars between quotes do not count. */
export function alternativesIn(expression: string): string[] {
  const alternatives: string[] = [];
  let start = 0;
  let quote: string | undefined;
  for (let at = 0; at < expression.length; at++) {
    const sign = expression[at]!;
    if (quote !== undefined) quote = sign === quote ? undefined : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (expression.startsWith('||', at)) {
      alternatives.push(expression.slice(start, at).trim());
      at++;
      start = at + 1;
    }
  }
  alternatives.push(expression.slice(start).trim());
  return alternatives;
}

/** The text between quotes, or undefined if the alternative is not quoted. */
export const literalIn = (alternative: string): string | undefined => {
  const [quote] = alternative;
  const isQuoted = alternative.length > 1 && (quote === '"' || quote === "'") && alternative.endsWith(quote);
  return isQuoted ? alternative.slice(1, -1) : undefined;
};
