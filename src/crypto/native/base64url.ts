import { Buffer } from 'node:buffer';

/** Bytes in base64url, without padding. */
export const base64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');

/** The bytes that base64url stands for. @throws {TypeError} It is none. */
export const bytesIn = (letters: string): Uint8Array<ArrayBuffer> => {
  // Node reads what it can and drops the rest.
  if (/[^\w-]/.test(letters) || letters.length % 4 === 1) throw new TypeError('not base64url');
  return Buffer.from(letters, 'base64url');
};
