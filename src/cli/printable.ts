// Control characters, line and paragraph separators, and marks that change the direction of text.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Make foreign text safe to print on one line: it cannot move the cursor, set colors or reorder what is around it. */
export const printable = (text: string): string => text.replace(unprintable, '?');

/** Make foreign text safe to print on several lines. */
export const printableLines = (text: string): string =>
  text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : '?'));

/** Write a value as JSON that is safe to print. Parsing it gives the same value. */
export const printableJson = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, null, indentation).replace(unprintable, (character) =>
    // Line ends come from the indentation: JSON escapes those within texts.
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
