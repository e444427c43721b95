import { isRecord } from '../../http/json.js';
import type { Descriptor } from '../../service/describe/define.js';
import { type Objection, objectionToRecord } from './record-check.js';
import type { SavedStore, SavedWorld } from './store.js';

/** What is wrong with what a store is said to hold; undefined for nothing. */
export type Check = (pairs: SavedStore) => string | undefined;

/** The names of all places in a world, and for those of stores how what they hold is checked. */
const checks = new Map<string, Check | undefined>();

/** Take a name for a place in every world; a store says how what it holds is checked. @throws {Error} It is taken. */
export function takeName(name: string, check?: Check): void {
  if (checks.has(name)) throw new Error(`Two places in a world are called ${name}.`);
  checks.set(name, check);
}

/** Names the first wrong record of a saved world: `"user" is wrong in "user_ada": email is required`; undefined if there is none. */
export function objectionToWorld(world: SavedWorld): string | undefined {
  for (const [name, pairs] of Object.entries(world)) {
    const objection = objectionToStore(name, pairs);
    if (objection) return `${JSON.stringify(name)} ${objection}`;
  }
  return undefined;
}

function objectionToStore(name: string, pairs: unknown): string | undefined {
  const check = checks.get(name);
  if (!check) return 'is not the name of a store that this version of sallyport has';
  if (!isSaved(pairs)) return 'is not a list of pairs, each of a key and a value';
  return new Set(pairs.map(([key]) => key)).size < pairs.length ? 'has a key twice' : check(pairs);
}

const isSaved = (pairs: unknown): pairs is SavedStore =>
  Array.isArray(pairs) &&
  pairs.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && pair[1] !== undefined,
  );

/** Checks the values of a table: each is what the description says, and what `objection` accepts. */
export const tableCheck =
  <V>(description: Descriptor, objection?: Objection<V>): Check =>
  (pairs) => {
    for (const [at, [, value]] of pairs.entries()) {
      if (value === null) return 'has a key without a value';
      // A value that is as described is of the type.
      const why = objectionToRecord(value, description) ?? objection?.(value as V);
      // The message does not name the key, which may be a secret.
      if (why) return `is wrong in entry ${at + 1}: ${why}`;
    }
    return undefined;
  };

/** A single value stands alone, and is what the description says. */
export const valueCheck =
  <V>(description: Descriptor, objection?: Objection<V>): Check =>
  (pairs) =>
    pairs.length > 1 || pairs.some(([key]) => key !== '')
      ? 'has more than a single value'
      : tableCheck(description, objection)(pairs);

/** Checks the objects of a collection: each has its id, is what the description says, and shares no unique value with another. */
export const collectionCheck =
  ({ unique = [], record: description }: { readonly unique?: readonly string[]; readonly record: Descriptor }): Check =>
  (pairs) => {
    const values = unique.map((field) => ({ field, seen: new Set<unknown>() }));
    for (const [id, record] of pairs) {
      // A deleted object is null.
      if (record === null) continue;
      if (!isRecord(record) || record.id !== id) return `has under ${JSON.stringify(id)} no object with this id`;
      const why = objectionToRecord(record, description);
      if (why) return `is wrong in ${JSON.stringify(id)}: ${why}`;
      for (const { field, seen } of values) {
        const own = record[field];
        if (own === null || own === undefined) continue;
        if (seen.has(own)) return `has two objects with the same ${field}`;
        seen.add(own);
      }
    }
    return undefined;
  };
