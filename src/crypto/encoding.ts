/** A body as it was received: text, bytes, or the buffer that holds them. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** What a signature is of: text, or bytes. */
export type SignedMessage = string | Uint8Array<ArrayBuffer>;

/** The UTF-8 bytes of a text; bytes as they are. */
export const utf8 = (message: SignedMessage): Uint8Array<ArrayBuffer> =>
  typeof message === 'string' ? new TextEncoder().encode(message) : message;

/** A body as text or bytes, not copied; undefined for what holds none, such as a parsed object or a stream. */
export const rawOf = (body: unknown): string | Uint8Array | undefined => {
  // By its kind rather than `instanceof`, so that a buffer made in another realm counts too.
  const kind = kindOf(body);
  if (kind === 'ArrayBuffer') return new Uint8Array(body as ArrayBuffer);
  return typeof body === 'string' || kind === 'Uint8Array' ? (body as string | Uint8Array) : undefined;
};

/** What kind of value this is, to be named in an error: `Undefined`, `Object`, `ReadableStream`. Never its content. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
