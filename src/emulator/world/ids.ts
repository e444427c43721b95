import { decodeTime, monotonicFactory } from 'ulid';
import { type Fields, integer, nullable, part, ref, string } from '../../service/describe/define.js';
import type { Keeper, SavedStore, Store } from '../store/store.js';
import { valueCheck } from '../store/store-names.js';
import type { Clock } from './clock.js';

/** Generates ids and secrets. `ids('org')` returns `org_` and 26 characters that sort by time. */
export interface Ids extends Store {
  /** Generate an id with this prefix. Each id is greater than the one before. */
  (prefix: string): string;
  /** Generate a random string of letters and digits. */
  token(length: number): string;
  /** Generate a random string of digits, for one-time codes. */
  digits(length: number): string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** State of an id generator. */
const idsState = part({
  /** The last id without its prefix; the next one is greater. Empty if there was none. */
  last: string,
  /** State of the seeded random numbers; null without a seed. */
  numbers: nullable(integer),
});
interface IdsState extends Readonly<Fields<typeof idsState>> {}

/** A ULID (https://github.com/ulid/spec#canonical-string-representation) whose random part can still be incremented. */
const ulidForm = /^[0-7][0-9A-HJKMNP-TV-Z]{9}(?!Z{16})[0-9A-HJKMNP-TV-Z]{16}$/;

/** Check the saved state of an id generator. */
export const idsCheck = valueCheck<IdsState>(ref<IdsState>(idsState), ({ last }) =>
  last === '' || ulidForm.test(last) ? undefined : 'last must be the last generated id, without its prefix',
);

/** Returns a random integer from 0 up to, but not including, `below`. */
interface Random {
  (below: number): number;
  /** State to continue from, or null if the numbers are not seeded. */
  readonly state: number | null;
}

function secureRandom(): Random {
  const pool = new Uint16Array(512);
  let position = pool.length;
  const next = (below: number): number => {
    // Reject values above the last multiple of `below`: they would make low numbers more likely.
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
  return Object.assign(next, { state: null });
}

/** Marsaglia's xorshift, started from a hash of the seed. Repeatable, not secure. */
function seededRandom(seed: string, before: number | null): Random {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  state = before ?? (state || 1);
  const next = (below: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  return Object.defineProperty(next, 'state', { get: () => state }) as Random;
}

/** The characters of ULIDs, in the order of their values. */
const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;

/** Create a ULID generator that continues after `last`. */
function ulidFactoryAfter(last: string, random: Random): (now: number) => string {
  // Regenerate the last ULID from its random part. The library asks for the last character first.
  const replay = [...last.slice(timeLength)].reverse();
  const ulid = monotonicFactory(() => {
    const letter = replay.shift();
    return (letter === undefined ? random(32) : base32.indexOf(letter)) / 32;
  });
  if (last !== '') ulid(decodeTime(last));
  return ulid;
}

/**
 * Advance the saved state of a generator by a large random step for a copy of its world, so that no two copies generate the same
 * ids while their clocks do not move.
 */
export function skipAhead(saved: SavedStore): SavedStore {
  const state = saved[0]?.[1] as IdsState | undefined;
  if (!state?.last) return saved;
  const { last } = state;
  // Find the first random character that can be incremented: the id is then greater regardless of what follows.
  let at = timeLength;
  while (last[at] === 'Z') at++;
  const random = secureRandom();
  const rest = Array.from(last.slice(at + 1), () => base32[random(32)]);
  return [['', { ...state, last: last.slice(0, at) + base32[base32.indexOf(last[at]!) + 1] + rest.join('') }]];
}

/** Create an id generator. With a seed it generates the same ids in every run, provided the clock shows the same times. */
export function createIds(clock: Pick<Clock, 'now'>, seed?: string | number, keeper?: Omit<Keeper, 'now'>): Ids {
  // Written by `save` below.
  const before = keeper?.saved[0]?.[1] as IdsState | undefined;
  const random = seed === undefined ? secureRandom() : seededRandom(String(seed), before?.numbers ?? null);
  let last = before?.last ?? '';
  // Ids keep increasing even if the clock is set back.
  const ulid = ulidFactoryAfter(last, random);
  let isUsed = last !== '';
  let isNotifying = false;
  const state = (): IdsState => ({ last, numbers: random.state });

  /** Report everything generated in one task as a single change. */
  const noteUse = (): void => {
    isUsed = true;
    if (!keeper || isNotifying) return;
    isNotifying = true;
    queueMicrotask(() => {
      isNotifying = false;
      keeper.notify('', state());
    });
  };

  const pick = (alphabet: string, length: number): string => {
    noteUse();
    let text = '';
    for (let i = 0; i < length; i++) text += alphabet[random(alphabet.length)];
    return text;
  };

  const next = (prefix: string): string => {
    noteUse();
    last = ulid(Math.max(0, clock.now()));
    const id = `${prefix}_${last}`;
    // Flattens the string: engines keep concatenations as pieces, which take three times the memory.
    id.charCodeAt(0);
    return id;
  };

  return Object.assign(next, {
    token: (length: number) => pick(letters, length),
    digits: (length: number) => pick('0123456789', length),
    save: (): SavedStore => (isUsed ? [['', state()]] : []),
  });
}
