import { Buffer } from 'node:buffer';

/** Bytes in base64url, without padding. */
export const base64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');

/** The bytes that base64url stands for. @throws {TypeError} It is none. */
export const bytesIn = (letters: string): Uint8Array<ArrayBuffer> => {
  const bytes = Buffer.from(letters, 'base64url');
  // Node drops what is in no alphabet, which leaves too few bytes, reads the other alphabet too, and takes letters beyond
  // Latin 1 for others. To compare lengths takes a fraction of the time that looking at each letter would.
  const isWhole = letters.length % 4 !== 1 && bytes.length === Math.floor((letters.length * 3) / 4);
  if (isWhole && Buffer.byteLength(letters) === letters.length && !letters.includes('+') && !letters.includes('/'))
    return bytes;
  throw new TypeError('not base64url');
};
