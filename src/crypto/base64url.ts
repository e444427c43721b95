import { decode, encode } from 'jose/base64url';

/** Bytes in base64url, without padding. */
export const base64url: (bytes: Uint8Array) => string = encode;

/** The bytes that base64url stands for. @throws {TypeError} It is none. */
// What decodes base64 makes a buffer of its own, never a shared one.
export const bytesIn = (letters: string) => decode(letters) as Uint8Array<ArrayBuffer>;

// By how many letters the last group has: those that leave nothing in the bits they have to spare.
const lastLetters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'] as const;

/**
 * Whether letters of base64url are the one spelling that their bytes have: no padding, and nothing in the bits that the last
 * letter has to spare. Of a signature, any other spelling would be a second text with the same meaning.
 */
export const isCanonical = (letters: string): boolean =>
  lastLetters[letters.length % 4]?.includes(letters.slice(-1)) ?? true;
