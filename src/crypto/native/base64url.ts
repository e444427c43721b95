import { Buffer } from 'node:buffer';

/** Encode bytes as base64url, without padding. */
export const base64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');

/** Decode base64url. @throws {TypeError} It is invalid. */
export const bytesIn = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = Buffer.from(text, 'base64url');
  // Node skips invalid characters, accepts standard base64 and misreads non-Latin-1. Comparing lengths catches that quickly.
  const isWhole = text.length % 4 !== 1 && bytes.length === Math.floor((text.length * 3) / 4);
  if (isWhole && Buffer.byteLength(text) === text.length && !text.includes('+') && !text.includes('/')) return bytes;
  throw new TypeError('not base64url');
};
