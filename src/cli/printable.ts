// Control characters, line and paragraph separators, and marks that change the direction of text.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Make untrusted text safe to print on one line: it cannot move the cursor, set colors or reorder the text around it. */
export const printable = (text: string): string => text.replace(unprintable, '?');

/** Make untrusted text safe to print. Keeps line breaks and tabs. */
export const printableLines = (text: string): string =>
  text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : '?'));

/** Format a value as JSON that is safe to print. The JSON still parses to the same value. */
export const printableJson = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, null, indentation).replace(unprintable, (character) =>
    // Line breaks come from the indentation: JSON escapes those in strings.
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
