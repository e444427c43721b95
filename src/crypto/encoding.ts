/** A body as it was received: text, bytes, or the buffer that holds them. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** What a signature is of: text, or bytes. */
export type SignedMessage = string | Uint8Array<ArrayBuffer>;

/** The UTF-8 bytes of a text; bytes as they are. */
export const utf8 = (message: SignedMessage): Uint8Array<ArrayBuffer> =>
  typeof message === 'string' ? new TextEncoder().encode(message) : message;

/**
 * A body as text or bytes, not copied; undefined for what holds none, such as a parsed object or a stream. Bytes are known by
 * their kind rather than `instanceof`, so that a buffer made in another realm counts too.
 */
export const rawOf = (body: unknown): string | Uint8Array | undefined =>
  typeof body === 'string' || kindOf(body) === 'Uint8Array'
    ? (body as string | Uint8Array)
    : kindOf(body) === 'ArrayBuffer'
      ? new Uint8Array(body as ArrayBuffer)
      : undefined;

/** What kind of value this is, to be named in an error: `Undefined`, `Object`, `ReadableStream`. Never its content. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
