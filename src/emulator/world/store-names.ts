import type { Descriptor } from '../../service/describe/define.js';
import type { CollectionPlan } from './collection.js';
import { type Objection, objectionToValues } from './record-check.js';
import type { SavedStore } from './store.js';

/** What is wrong with what a store is said to hold; undefined for nothing. */
export type Check = (pairs: SavedStore) => string | undefined;

/** The names of all places in a world, and for those of stores how what they hold is checked. */
const checks = new Map<string, Check | undefined>();

/** Take a name for a place in every world; a store says how what it holds is checked. @throws {Error} It is taken. */
export function takeName(name: string, check?: Check): void {
  if (checks.has(name)) throw new Error(`Two places in a world are called ${name}.`);
  checks.set(name, check);
}

/** What is wrong with what somebody says a store of this name holds; undefined for nothing. */
export function objectionToStore(name: string, pairs: unknown): string | undefined {
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

/** Values by their keys are there, or they have no key; each is what the description says. */
export const tableCheck =
  <V>(description: Descriptor, objection?: Objection<V>): Check =>
  (pairs) =>
    pairs.some(([, value]) => value === null)
      ? 'has a key without a value'
      : objectionToValues(
          pairs.map(([, value]) => value),
          description,
          objection,
        );

/** A single value stands alone, and is what the description says. */
export const valueCheck =
  <V>(description: Descriptor, objection?: Objection<V>): Check =>
  (pairs) =>
    pairs.length > 1 || pairs.some(([key]) => key !== '')
      ? 'has more than a single value'
      : tableCheck(description, objection)(pairs);

/** Objects stand under their ids, no two share what only one can have, and what they are found and ordered by can be looked for. */
export const collectionCheck =
  ({
    unique = [],
    index = [],
    record: description,
  }: Pick<CollectionPlan<never>, 'unique' | 'index' | 'record'>): Check =>
  (pairs) => {
    const lookups: readonly string[] = [...unique, ...index];
    const values = unique.map((field: string) => ({ field, seen: new Set<unknown>() }));
    for (const [id, record] of pairs) {
      // Null stands in the place of an object that was deleted.
      if (record === null) continue;
      if (typeof record !== 'object' || (record as { readonly id?: unknown }).id !== id)
        return `has under ${JSON.stringify(id)} no object with this id`;
      const wrong = wrongFieldOf(record, lookups);
      if (wrong) return `has under ${JSON.stringify(id)} an object whose ${wrong}`;
      for (const { field, seen } of values) {
        const own = (record as Readonly<Record<string, unknown>>)[field];
        if (own === null || own === undefined) continue;
        if (seen.has(own)) return `has two objects with the same ${field}`;
        seen.add(own);
      }
    }
    const objects = pairs.flatMap(([, record]) => (record === null ? [] : [record]));
    return description && objectionToValues(objects, description);
  };

/** What is wrong with a field that objects are found by, or that says when something is or was; undefined for nothing. */
function wrongFieldOf(record: object, lookups: readonly string[]): string | undefined {
  for (const [field, value] of Object.entries(record)) {
    if (value === null || value === undefined) continue;
    if (lookups.includes(field) && ![value].flat().every((one) => typeof one === 'string' || typeof one === 'number'))
      return `${field} is neither a text nor a list of texts`;
    if (/[a-z]At$/.test(field) && Number.isNaN(typeof value === 'number' ? value : Date.parse(String(value))))
      return `${field} is no time`;
  }
  return undefined;
}
