import { monotonicFactory } from 'ulid';
import type { Clock } from './clock.js';

/** Makes ids and secrets: `ids('org')` gives `org_` and 26 characters that sort by time. */
export interface Ids {
  /** A new id with this prefix; every id is greater than the one before. */
  (prefix: string): string;
  /** A random text of letters and digits. */
  token(length: number): string;
  /** A random text of digits, for one-time codes. */
  digits(length: number): string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Numbers from 0 up to, not including, the bound. */
type Random = (below: number) => number;

function secureRandom(): Random {
  const pool = new Uint16Array(512);
  let position = pool.length;
  return (below) => {
    // Values above the last multiple of the bound would make the first characters likelier.
    const ceiling = 65_536 - (65_536 % below);
    for (;;) {
      if (position === pool.length) {
        crypto.getRandomValues(pool);
        position = 0;
      }
      const value = pool[position++]!;
      if (value < ceiling) return value % below;
    }
  };
}

/** Marsaglia's xorshift over a hash of the seed: the same seed gives the same numbers, which is all it is for. */
function seededRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  state ||= 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** A generator of ids; with a seed it gives the same ones in every run, as long as the clock shows the same times. */
export function createIds(clock: Pick<Clock, 'now'>, seed?: string | number): Ids {
  const random = seed === undefined ? secureRandom() : seededRandom(String(seed));
  // In an order that never falls: a clock that was set back gives no ids that sort before the ones it gave.
  const ulid = monotonicFactory(() => random(32) / 32);

  const pick = (alphabet: string, length: number): string => {
    let text = '';
    for (let i = 0; i < length; i++) text += alphabet[random(alphabet.length)];
    return text;
  };

  const next = (prefix: string): string => {
    const id = `${prefix}_${ulid(Math.max(0, clock.now()))}`;
    // Looked into, an engine makes one text of its pieces, which take three times the memory.
    id.charCodeAt(0);
    return id;
  };

  return Object.assign(next, {
    token: (length: number) => pick(letters, length),
    digits: (length: number) => pick('0123456789', length),
  });
}
