/** Waits until this share of the time for a body has passed; false when nobody waits any more. */
export type Wait = (share: number) => Promise<boolean>;

/** How an answer goes wrong on its way: broken off before it (`reset`) or within its body (`cut`), or in pieces. */
export interface Breakage {
  readonly kind: 'reset' | 'cut' | 'drip';
  readonly wait: Wait;
}

/** A body, and how it goes wrong on its way. */
interface BrokenBody {
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly breakage?: Breakage | undefined;
}

/** Pieces of a body that drips. */
const mostPieces = 10;

/** The bytes of a broken body as they come; ends with an error where the connection breaks. */
export async function* piecesOf({ body, breakage }: BrokenBody): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
  if (breakage?.kind === 'cut') {
    yield bytes.subarray(0, Math.floor(bytes.length / 2));
    throw brokenConnection();
  }
  const pieces = Math.max(1, Math.min(mostPieces, bytes.length));
  for (let at = 0; at < pieces; at++) {
    if (!((await breakage?.wait(at / Math.max(1, pieces - 1))) ?? true)) throw brokenConnection();
    yield bytes.subarray(Math.floor((at * bytes.length) / pieces), Math.floor(((at + 1) * bytes.length) / pieces));
  }
}

/** What `fetch` says when a connection breaks. */
export const brokenConnection = (): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
