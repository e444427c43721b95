/** A piece of text and the placeholder that follows it. */
interface Piece {
  readonly text: string;
  /** Text between the braces; undefined after the last piece. */
  readonly expression: string | undefined;
}

/** Split a text at its placeholders, such as `{{ user.email }}`. An unclosed placeholder is treated as text. */
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

/** Split a placeholder into its alternatives, such as `user.first_name || 'Guest'`. Bars inside quotes are not separators. */
export function alternativesIn(expression: string): string[] {
  const alternatives: string[] = [];
  let start = 0;
  let quote: string | undefined;
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at]!;
    if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (expression.startsWith('||', at)) {
      alternatives.push(expression.slice(start, at).trim());
      at++;
      start = at + 1;
    }
  }
  alternatives.push(expression.slice(start).trim());
  return alternatives;
}

/** Get the text between the quotes. Returns undefined if the alternative is not quoted. */
export const literalIn = (alternative: string): string | undefined => {
  const [quote] = alternative;
  const isQuoted = alternative.length > 1 && (quote === '"' || quote === "'") && alternative.endsWith(quote);
  return isQuoted ? alternative.slice(1, -1) : undefined;
};
