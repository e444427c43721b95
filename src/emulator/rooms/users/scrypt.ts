/** What scrypt costs (RFC 7914). */
export interface ScryptCost {
  /** Cost of memory and time: a power of two. */
  readonly n: number;
  /** Size of a block. */
  readonly r: number;
  /** How often it is done. */
  readonly p: number;
}

/** Blocks after which others have their turn. */
const breath = 4_096;

/** A key made from a password by scrypt. */
export async function scrypt(
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  { n, r, p }: ScryptCost,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const blockBytes = 128 * r;
  const blocks = await pbkdf2(password, salt, p * blockBytes);
  const view = new DataView(blocks.buffer);
  const memory = new Int32Array(n * 32 * r);
  for (let i = 0; i < p; i++) {
    const block = new Int32Array(32 * r);
    for (let at = 0; at < block.length; at++) block[at] = view.getInt32(i * blockBytes + at * 4, true);
    await mix(block, memory, n, r);
    for (let at = 0; at < block.length; at++) view.setInt32(i * blockBytes + at * 4, block[at]!, true);
  }
  return pbkdf2(password, blocks, length);
}

async function pbkdf2(
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 1 }, key, length * 8),
  );
}

/** scryptROMix, in place. */
async function mix(block: Int32Array, memory: Int32Array, n: number, r: number): Promise<void> {
  const size = block.length;
  const spare = new Int32Array(size);
  for (let i = 0; i < n; i++) {
    memory.set(block, i * size);
    mixBlock(block, spare, r);
    if (i % breath === breath - 1) await others();
  }
  for (let i = 0; i < n; i++) {
    const from = (block[size - 16]! & (n - 1)) * size;
    for (let at = 0; at < size; at++) block[at]! ^= memory[from + at]!;
    mixBlock(block, spare, r);
    if (i % breath === breath - 1) await others();
  }
}

const others = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** scryptBlockMix, in place. */
function mixBlock(block: Int32Array, spare: Int32Array, r: number): void {
  const x = block.slice(block.length - 16);
  for (let i = 0; i < 2 * r; i++) {
    for (let at = 0; at < 16; at++) x[at]! ^= block[i * 16 + at]!;
    salsa(x);
    // Even ones come first, odd ones behind them.
    spare.set(x, ((i >>> 1) + (i & 1) * r) * 16);
  }
  block.set(spare);
}

const turn = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Which words a round of Salsa20 changes, four at a time: columns, then rows. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

const words = new Int32Array(16);

/** Salsa20 with eight rounds, in place. */
function salsa(x: Int32Array): void {
  words.set(x);
  for (let round = 0; round < 4; round++)
    for (const [a, b, c, d] of quarters) {
      words[b]! ^= turn((words[a]! + words[d]!) | 0, 7);
      words[c]! ^= turn((words[b]! + words[a]!) | 0, 9);
      words[d]! ^= turn((words[c]! + words[b]!) | 0, 13);
      words[a]! ^= turn((words[d]! + words[c]!) | 0, 18);
    }
  for (let at = 0; at < 16; at++) x[at] = (x[at]! + words[at]!) | 0;
}
