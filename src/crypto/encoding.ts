/** A body as received: a string, bytes or a buffer. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** A string, which stands for its bytes in UTF-8, or bytes. */
export type TextOrBytes = string | Uint8Array;

/** Encode a string as UTF-8. Returns bytes unchanged. */
export const utf8 = (text: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;

/** Encode a buffer as lower-case hexadecimal. */
export const hex = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Encode bytes as base64url, without padding. */
export function base64url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/=/g, '').replace(/\+/g, '-').replace(/\//g, '_');
}

/**
 * Return a body as a string or bytes, without copying, or undefined for other values, such as a parsed object or a stream. Does
 * not use `instanceof`, so that buffers of other realms are recognized.
 */
export const rawOf = (body: unknown): TextOrBytes | undefined =>
  typeof body === 'string' || kindOf(body) === 'Uint8Array'
    ? (body as TextOrBytes)
    : kindOf(body) === 'ArrayBuffer'
      ? new Uint8Array(body as ArrayBuffer)
      : undefined;

/** Return the type of a value for an error message, such as `Undefined` or `ReadableStream`. Never returns its content. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
