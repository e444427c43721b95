import { decode, encode } from 'jose/base64url';

/** Encodes bytes as base64url, without padding. */
export const base64url: (bytes: Uint8Array) => string = encode;

/** Decode base64url. @throws {TypeError} It is invalid. */
// jose never returns a SharedArrayBuffer.
export const bytesIn = (text: string) => decode(text) as Uint8Array<ArrayBuffer>;
