import { decodeTime, monotonicFactory } from 'ulid';
import { type Fields, integer, nullable, part, ref, string } from '../../service/describe/define.js';
import type { Clock } from './clock.js';
import { type Keeper, noKeeper, type SavedStore, type Store } from './store.js';
import { valueCheck } from './store-names.js';

/** Makes ids and secrets: `ids('org')` gives `org_` and 26 characters that sort by time. */
export interface Ids extends Store {
  /** A new id with this prefix; every id is greater than the one before. */
  (prefix: string): string;
  /** A random text of letters and digits. */
  token(length: number): string;
  /** A random text of digits, for one-time codes. */
  digits(length: number): string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Where a generator of ids stands. */
const idsState = part({
  /** The last id without its prefix; the next one is greater. Empty where there was none. */
  last: string,
  /** Where the numbers under a seed stand; null without one. */
  numbers: nullable(integer),
});
interface IdsState extends Readonly<Fields<typeof idsState>> {}

/** An id without its prefix (https://github.com/ulid/spec#canonical-string-representation), behind which there is room for others. */
const ulidForm = /^[0-7][0-9A-HJKMNP-TV-Z]{9}(?!Z{16})[0-9A-HJKMNP-TV-Z]{16}$/;

/** It says from where a generator can go on. */
export const idsCheck = valueCheck<IdsState>(ref<IdsState>(idsState), ({ last }) =>
  last === '' || ulidForm.test(last) ? undefined : 'last must be the last id that was made, without its prefix',
);

/** Numbers from 0 up to, not including, the bound. */
interface Random {
  (below: number): number;
  /** Where they stand, if they can go on from there. */
  readonly state: number | null;
}

function secureRandom(): Random {
  const pool = new Uint16Array(512);
  let position = pool.length;
  const next = (below: number): number => {
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
  return Object.assign(next, { state: null });
}

/** Marsaglia's xorshift over a hash of the seed: the same seed gives the same numbers, which is all it is for. */
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

/** The letters of ULIDs, in the order of their values. */
const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;

/** Makes ULIDs after the last one that was made. */
function ulidsAfter(last: string, random: Random): (now: number) => string {
  // What is random in the last one, from its end, as they are put together: asked for its time, it is made again.
  const again = [...last.slice(timeLength)].reverse();
  const ulid = monotonicFactory(() => {
    const letter = again.shift();
    return (letter === undefined ? random(32) : base32.indexOf(letter)) / 32;
  });
  if (last !== '') ulid(decodeTime(last));
  return ulid;
}

/**
 * Where a generator goes on in a copy of its world: far behind where it stood, in each copy elsewhere, so that no two copies give the
 * same ids while their clocks stand still.
 */
export function apart(saved: SavedStore): SavedStore {
  const state = saved[0]?.[1] as IdsState | undefined;
  if (!state?.last) return saved;
  const { last } = state;
  // The first letter behind which there is another one: whatever follows it, the id is greater.
  let at = timeLength;
  while (last[at] === 'Z') at++;
  const random = secureRandom();
  const rest = Array.from(last.slice(at + 1), () => base32[random(32)]);
  return [['', { ...state, last: last.slice(0, at) + base32[base32.indexOf(last[at]!) + 1] + rest.join('') }]];
}

/** A generator of ids; with a seed it gives the same ones in every run, as long as the clock shows the same times. */
export function createIds(clock: Pick<Clock, 'now'>, seed?: string | number, { saved, tell }: Keeper = noKeeper): Ids {
  // What a generator saved is where it stood.
  const before = saved[0]?.[1] as IdsState | undefined;
  const random = seed === undefined ? secureRandom() : seededRandom(String(seed), before?.numbers ?? null);
  let last = before?.last ?? '';
  // In an order that never falls: a clock that was set back gives no ids that sort before the ones it gave.
  const ulid = ulidsAfter(last, random);
  let isUsed = last !== '';
  let isToldSoon = false;
  const state = (): IdsState => ({ last, numbers: random.state });

  /** Whatever is made in one go is one change. */
  const noteUse = (): void => {
    isUsed = true;
    if (isToldSoon) return;
    isToldSoon = true;
    queueMicrotask(() => {
      isToldSoon = false;
      tell('', state());
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
    // Looked into, an engine makes one text of its pieces, which take three times the memory.
    id.charCodeAt(0);
    return id;
  };

  return Object.assign(next, {
    token: (length: number) => pick(letters, length),
    digits: (length: number) => pick('0123456789', length),
    save: (): SavedStore => (isUsed ? [['', state()]] : []),
    knows: () => false,
  });
}
