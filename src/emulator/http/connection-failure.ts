/** Waits until this share of the time for the body has passed. Resolves to false if the client disconnected or the world ended. */
export type Wait = (share: number) => Promise<boolean>;

/** Failure of a connection: it breaks before the response (`reset`) or within its body (`cut`), or sends the body in pieces (`drip`). */
export interface ConnectionFailure {
  readonly kind: 'reset' | 'cut' | 'drip';
  readonly wait: Wait;
}

/** A body and the failure of its connection. */
interface BrokenBody {
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly connectionFailure?: ConnectionFailure | undefined;
}

/** Maximum number of pieces of a dripping body. */
const maxPieces = 10;

/** Yield the bytes of a body as they are sent. Throws when the connection breaks. */
export async function* piecesOf({ body, connectionFailure }: BrokenBody): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
  if (connectionFailure?.kind === 'cut') {
    yield bytes.subarray(0, Math.floor(bytes.length / 2));
    throw brokenConnection();
  }
  const pieces = Math.max(1, Math.min(maxPieces, bytes.length));
  for (let at = 0; at < pieces; at++) {
    if (!((await connectionFailure?.wait(at / Math.max(1, pieces - 1))) ?? true)) throw brokenConnection();
    yield bytes.subarray(Math.floor((at * bytes.length) / pieces), Math.floor(((at + 1) * bytes.length) / pieces));
  }
}

/** Create the error that `fetch` throws when a connection breaks. */
export const brokenConnection = (): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
