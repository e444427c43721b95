import { decode, encode } from 'jose/base64url';

/** Bytes in base64url, without padding. */
export const base64url: (bytes: Uint8Array) => string = encode;

/** The bytes that base64url stands for. @throws {TypeError} It is none. */
// What decodes base64 makes a buffer of its own, never a shared one.
export const bytesIn = (letters: string) => decode(letters) as Uint8Array<ArrayBuffer>;
