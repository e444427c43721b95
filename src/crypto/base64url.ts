// By how many letters the last group has: those that leave nothing in the bits they have to spare.
const lastLetters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'] as const;

/**
 * Whether letters of base64url are the one spelling that their bytes have: no padding, and nothing in the bits that the last
 * letter has to spare. Of a signature, any other spelling would be a second text with the same meaning.
 */
export const isCanonical = (letters: string): boolean =>
  lastLetters[letters.length % 4]?.includes(letters.slice(-1)) ?? true;
