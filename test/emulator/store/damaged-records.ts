import type { SavedStore } from '../../../src/emulator/store/store.js';

/** A record with one field that is missing or wrong. */
export interface DamagedRecord {
  readonly store: string;
  readonly key: string;
  /** The field and its damage: `signIn.method is missing`. */
  readonly damage: string;
  readonly value: unknown;
}

/** A value of each kind, to replace other values. */
export const everyKind: readonly unknown[] = [null, 5, 'x', true, {}, []];
const missing = Symbol('missing');

/** Damage each field of a value in turn, at every depth, and yield the whole value each time. */
function* damaged(
  value: unknown,
  wrongValues: readonly unknown[],
): Generator<readonly [damage: string, value: unknown]> {
  for (const wrong of wrongValues)
    if (kindOf(wrong) !== kindOf(value) || typeof wrong === 'string')
      yield [` is ${JSON.stringify(wrong)}`, structuredClone(wrong)];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, own] of Object.entries(value)) {
    const withField = (other: unknown): unknown => {
      if (Array.isArray(value)) return value.with(Number(name), other);
      const { [name]: _, ...rest } = value as Record<string, unknown>;
      return other === missing ? rest : { ...rest, [name]: other };
    };
    if (!Array.isArray(value)) yield [`.${name} is missing`, withField(missing)];
    for (const [damage, other] of damaged(own, wrongValues)) yield [`.${name}${damage}`, withField(other)];
  }
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** Damage the records of a world: each field of a store once with each wrong value. */
export function* damagedRecordsOf(
  world: Readonly<Record<string, SavedStore>>,
  wrongValues: readonly unknown[],
): Generator<DamagedRecord> {
  const seen = new Set<string>();
  for (const [store, pairs] of Object.entries(world))
    for (const [key, record] of pairs.filter(([, value]) => value !== null))
      for (const [damage, value] of damaged(record, wrongValues)) {
        const name = `${store}${damage}`;
        if (!seen.has(name)) yield { store, key, damage: damage.replace(/^[. ]/, ''), value };
        seen.add(name);
      }
}

/** The pairs of a store, with the value of one key replaced. */
export const withValue = (pairs: SavedStore, key: string, value: unknown): SavedStore =>
  pairs.map((pair) => (pair[0] === key ? [key, value] : pair));
