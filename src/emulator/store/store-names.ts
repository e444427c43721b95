import { isRecord } from '../../http/json.js';
import type { Descriptor } from '../../service/describe/define.js';
import { type Objection, objectionToRecord } from './record-check.js';
import type { SavedStore, SavedWorld } from './store.js';

/** Explains what is wrong with the saved contents of a store; undefined if valid. */
export type Check = (pairs: SavedStore) => string | undefined;

/** The checks of all stores by name; undefined for slots that are not saved. */
const checks = new Map<string, Check | undefined>();

/** Register the name of a slot, with the check of its saved contents if it is a store. @throws {Error} The name is taken. */
export function registerName(name: string, check?: Check): void {
  if (checks.has(name)) throw new Error(`Two slots have the name ${name}.`);
  checks.set(name, check);
}

/** Describe the first invalid record of a saved world: `"user" is wrong in "user_ada": email is required`; undefined if there is none. */
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
  if (!isSaved(pairs)) return 'is not a list of [key, value] pairs';
  return new Set(pairs.map(([key]) => key)).size < pairs.length ? 'has a key twice' : check(pairs);
}

const isSaved = (pairs: unknown): pairs is SavedStore =>
  Array.isArray(pairs) &&
  pairs.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && pair[1] !== undefined,
  );

/** Create the check of a table: each value must match the description and pass `objection`. */
export const tableCheck =
  <V>(description: Descriptor, objection?: Objection<V>): Check =>
  (pairs) => {
    for (const [at, [, value]] of pairs.entries()) {
      if (value === null) return 'has a key without a value';
      // A value that matches the description has the type.
      const why = objectionToRecord(value, description) ?? objection?.(value as V);
      // The message does not name the key, which may be a secret.
      if (why) return `is wrong in entry ${at + 1}: ${why}`;
    }
    return undefined;
  };

/** Create the check of a single value. */
export const valueCheck =
  <V>(description: Descriptor, objection?: Objection<V>): Check =>
  (pairs) =>
    pairs.length > 1 || pairs.some(([key]) => key !== '')
      ? 'has more than a single value'
      : tableCheck(description, objection)(pairs);

/** Create the check of a collection: each record must have its key as id, match the description, and not repeat a unique value. */
export const collectionCheck =
  ({ unique = [], record: description }: { readonly unique?: readonly string[]; readonly record: Descriptor }): Check =>
  (pairs) => {
    const values = unique.map((field) => ({ field, seen: new Set<unknown>() }));
    for (const [id, record] of pairs) {
      // A deleted object is null.
      if (record === null) continue;
      if (!isRecord(record) || record.id !== id)
        return `has an entry ${JSON.stringify(id)} that is not an object with this id`;
      const why = objectionToRecord(record, description);
      if (why) return `is wrong in ${JSON.stringify(id)}: ${why}`;
      for (const { field, seen } of values) {
        const value = record[field];
        if (value === null || value === undefined) continue;
        if (seen.has(value)) return `has two objects with the same ${field}`;
        seen.add(value);
      }
    }
    return undefined;
  };
