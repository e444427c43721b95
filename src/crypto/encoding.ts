/** A body as it was received: text, bytes, or the buffer that holds them. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The bytes of a body, not copied; undefined for what holds none, such as a parsed object or a stream. */
export const bytesOf = (body: unknown): Uint8Array | undefined => {
  if (typeof body === 'string') return utf8(body);
  // By its kind rather than `instanceof`, so that a buffer made in another realm counts too.
  const kind = kindOf(body);
  if (kind === 'Uint8Array') return body as Uint8Array;
  return kind === 'ArrayBuffer' ? new Uint8Array(body as ArrayBuffer) : undefined;
};

/** What kind of value this is, to be named in an error: `Undefined`, `Object`, `ReadableStream`. Never its content. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
