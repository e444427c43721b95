import type { Descriptor, Field } from '../../service/describe/define.js';
import { Entries, type Entry, FieldIndex } from './entries.js';
import { conflict, notFound, unprocessableField } from './refusal.js';
import { type CollectionItem, type ListQuery, type Locate, type Page, Selection, type Where } from './selection.js';
import type { Keeper, SavedStore, Store } from './store.js';

/** Value to look up in a field; for an array field, one of its items. */
export type FieldValue<F> = F extends readonly (infer Item)[] ? Item : F;

/** Required values of unique or indexed fields. Undefined values are ignored. */
export type Filter<T> = { readonly [K in keyof T]?: FieldValue<T[K]> | undefined };

/** Names of collections by the fields that hold ids of their objects. */
type References<T> = Readonly<Partial<Record<keyof T & string, string>>>;

/** Declaration of a collection. */
export interface CollectionPlan<T> {
  /** Name of the store, and of its objects in messages: `organization`. */
  readonly object: string;
  /** Prefix of the objects' ids, without the underscore. */
  readonly prefix: string;
  /** Fields whose values must be unique, for `by`. Null and absent values may repeat. */
  readonly unique?: readonly (keyof T & string)[];
  /** Fields for `where`; an array is indexed by each of its items. */
  readonly index?: readonly (keyof T & string)[];
  /** Fields with the id of an owner, and the name of its collection: an object is deleted with its owner. They are indexed. */
  readonly belongsTo?: References<T>;
  /** Fields with the id of another object, and the name of its collection. They are indexed. */
  readonly refersTo?: References<T>;
  /** Unique field with a token that requests send without naming their world: a link, or the id of a session. */
  readonly publicToken?: keyof T & string;
  /** Description of a record, to check snapshots and state files against. */
  readonly record: Field<T>;
}

/** Names of other collections by the fields of a collection that hold ids of their objects. */
export const referencesOf = <T>({ belongsTo, refersTo }: Pick<CollectionPlan<T>, 'belongsTo' | 'refersTo'>) =>
  ({ ...belongsTo, ...refersTo }) as Readonly<Record<string, string>>;

/** Index of one field. */
interface Lookup<T> {
  readonly field: string;
  readonly isUnique: boolean;
  readonly index: FieldIndex<T>;
}

/** Records and their indexes. */
interface Contents<T> {
  readonly byId: Map<string, Entry<T>>;
  /** Sequence numbers of deleted objects, in order of deletion, so that cursors to them still work. */
  readonly deleted: Map<string, number>;
  readonly all: Entries<T>;
  readonly lookups: readonly Lookup<T>[];
  sequence: number;
}

/** Times that a collection sets itself if the description of its records requires them. */
const times = ['createdAt', 'updatedAt'] as const;
type Time = (typeof times)[number];
type NewItem<T> = Omit<T, 'id' | Time> &
  Partial<Pick<T, Extract<keyof T, Time>>> & { readonly id?: string | undefined };

/** Plan of a collection, without a description if it has no times and is never saved. */
type Plan<T> = Omit<CollectionPlan<T>, 'record'> & { readonly record?: Field<T> };

/** Maximum number of deleted objects that a collection remembers for cursors. Beyond it, those deleted first are forgotten. */
const maxDeleted = 10_000;

/**
 * All objects of one kind, in order of creation.
 *
 * Records are frozen, and `update` replaces them as a whole.
 * Every change goes through `#change`, which keeps the order and the indexes consistent. The cost of a change or a page
 * hardly grows with the number of objects. Saved records are indexed on first use.
 */
export class Collection<T extends CollectionItem> implements Store {
  readonly #plan: Plan<T>;
  readonly #newId: (prefix: string) => string;
  readonly #keeper: Keeper;
  readonly #times: readonly Time[];
  #contents: Contents<T> | undefined;
  #saved: SavedStore | undefined;

  constructor(plan: Plan<T>, newId: (prefix: string) => string, keeper: Keeper) {
    this.#plan = plan;
    this.#newId = newId;
    this.#keeper = keeper;
    const shape: Readonly<Record<string, Descriptor>> = plan.record?.model?.shape ?? {};
    this.#times = times.filter((time) => shape[time] && !shape[time].optional);
    this.#saved = keeper.saved;
  }

  get size(): number {
    return this.#loaded.all.size;
  }

  /** The oldest object. */
  get first(): T | undefined {
    return this.#loaded.all.first?.record;
  }

  /** Add an object. Sets its id and times, unless given. Takes ownership of `fields`. @throws {EmulatorRefusal} 409 if the id is taken. */
  insert(fields: NewItem<T>): T {
    // Not copied, because engines give each large copy a separate hidden class, which takes more memory than the record. Cast,
    // because the compiler cannot see that the id is set.
    const record = Object.assign(fields, { id: fields.id ?? this.#newId(this.#plan.prefix) }) as unknown as T &
      Partial<Record<Time, string>>;
    this.refuseTaken(record.id);
    // Set by name: if a computed key is added to a large object, V8 makes a hash table of it, which takes twice the memory.
    if (this.#times.includes('createdAt')) record.createdAt ??= this.#keeper.now();
    if (this.#times.includes('updatedAt')) record.updatedAt ??= record.createdAt ?? this.#keeper.now();
    return this.#change(undefined, record);
  }

  /** Refuse an id that is taken. @throws {EmulatorRefusal} 409. */
  refuseTaken(id: string): void {
    if (!this.#loaded.byId.has(id)) return;
    const { object } = this.#plan;
    const article = /^[aeio]/i.test(object) ? 'an' : 'a';
    throw conflict(
      'id_already_used',
      `There is already ${article} ${object} with the id ${JSON.stringify(id)}. Choose another id, or leave it out`,
    );
  }

  /** Get the object with this id. @throws {EmulatorRefusal} 404. */
  get(id: string): T {
    return this.#entry(id).record;
  }

  /** Find the object with this id. */
  find(id: string): T | undefined {
    return this.#loaded.byId.get(id)?.record;
  }

  /** Find the object with this value in a unique field. */
  by<K extends keyof T & string>(field: K, value: T[K]): T | undefined {
    const lookup = this.#lookup(field);
    if (!lookup?.isUnique) throw new Error(`${this.#plan.object}.${field} is not declared as unique.`);
    return lookup.index.first(value)?.record;
  }

  /** Whether an object has or had this id. */
  knows(id: string): boolean {
    return this.#loaded.byId.has(id) || this.#loaded.deleted.has(id);
  }

  /** Whether an object has or had this id, or has this value in a unique field. */
  hasValue(field: string, value: string): boolean {
    return field === 'id' ? this.knows(value) : this.by(field as 'id', value) !== undefined;
  }

  /** Select the objects with this value in an indexed field, or with this item if the field is an array. */
  where<K extends keyof T & string>(field: K, value: FieldValue<T[K]>): Selection<T> {
    const lookup = this.#lookup(field);
    if (!lookup) throw new Error(`${this.#plan.object}.${field} is not declared as an index.`);
    return new Selection(() => lookup.index.find(value), this.#locate);
  }

  /** Select the objects with these ids. Unknown ids are ignored. */
  among(ids: Iterable<string | undefined>): Selection<T> {
    const entries = new Entries<T>();
    for (const id of new Set(ids)) {
      const entry = id === undefined ? undefined : this.#loaded.byId.get(id);
      if (entry) entries.add(entry);
    }
    return new Selection(() => entries, this.#locate);
  }

  /** Replace the given fields, and the time of the update unless it is given. @throws {EmulatorRefusal} 404. */
  update(id: string, changes: Partial<Omit<T, 'id'>>): T {
    const entry = this.#entry(id);
    const time = this.#times.includes('updatedAt') && { updatedAt: this.#keeper.now() };
    return this.#change(entry, replaced(entry.record, time, changes, id));
  }

  /** Remove the object, but not its dependents; `Memory.delete` removes both. @throws {EmulatorRefusal} 404. */
  remove(id: string): void {
    this.#change(this.#entry(id), undefined);
  }

  /** Remove the object and its position, so that its id becomes an unknown cursor. @throws {EmulatorRefusal} 404. */
  drop(id: string): void {
    this.remove(id);
    this.#loaded.deleted.delete(id);
    this.#keeper.notify(id, undefined);
  }

  /** All objects, oldest first. */
  values(): T[] {
    return this.#loaded.all.records();
  }

  /** All objects that match, oldest first. */
  filter(where: Where<T>): T[] {
    return this.values().filter(where);
  }

  /**
   * Return one page of the objects that match `filter` and `where`. The index with the fewest matches is used, so a page
   * does not scan all objects.
   *
   * @throws {EmulatorRefusal} 422 if the cursor never was an id of this collection.
   */
  page(list: ListQuery, filter: Filter<T> = {}, where?: Where<T>): Page<T> {
    const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
    const candidates = conditions.map(([field, value]) => {
      const lookup = this.#lookup(field);
      if (!lookup) throw new Error(`${this.#plan.object}.${field} is not declared as an index.`);
      return { index: lookup.index, value, size: lookup.index.sizeOf(value) };
    });
    const [narrowest] = candidates.sort((one, other) => one.size - other.size);
    const entries = narrowest ? narrowest.index.find(narrowest.value) : this.#loaded.all;
    const fits =
      conditions.length < 2
        ? where
        : (record: T) =>
            conditions.every(([field, value]) => has(record[field as keyof T], value)) && (where?.(record) ?? true);
    return new Selection(() => entries, this.#locate).page(list, fits);
  }

  /** Return the contents as data, in order of creation. */
  save(): SavedStore {
    if (this.#saved) return this.#saved;
    const { all, deleted } = this.#loaded;
    const places = [...deleted].sort(([, one], [, other]) => one - other);
    const pairs: [string, T | null][] = [];
    let next = 0;
    for (const { sequence, record } of all.upwards()) {
      for (; next < places.length && places[next]![1] < sequence; next++) pairs.push([places[next]![0], null]);
      pairs.push([record.id, record]);
    }
    for (; next < places.length; next++) pairs.push([places[next]![0], null]);
    return pairs;
  }

  get #loaded(): Contents<T> {
    return this.#contents ?? this.#open();
  }

  /** Index the saved records. */
  #open(): Contents<T> {
    const { unique = [], index = [] } = this.#plan;
    const lookup = (isUnique: boolean) => (field: string) => ({ field, isUnique, index: new FieldIndex<T>() });
    const indexed = [...index, ...Object.keys(referencesOf(this.#plan))];
    const lookups = [...unique.map(lookup(true)), ...indexed.map(lookup(false))];
    const contents: Contents<T> = { byId: new Map(), deleted: new Map(), all: new Entries(), lookups, sequence: 0 };
    const { byId, deleted, all } = contents;
    // A collection saves its records, and null for deleted ones.
    for (const [id, record] of (this.#saved ?? []) as readonly (readonly [string, T | null])[]) {
      const sequence = contents.sequence++;
      if (record === null) {
        deleted.set(id, sequence);
        continue;
      }
      const entry: Entry<T> = { sequence, record: Object.freeze(record) };
      byId.set(id, entry);
      all.add(entry);
      for (const { field, index } of lookups)
        for (const value of valuesOf(record[field as keyof T])) index.add(value, entry);
    }
    this.#contents = contents;
    this.#saved = undefined;
    return contents;
  }

  #entry(id: string): Entry<T> {
    const entry = this.#loaded.byId.get(id);
    if (!entry) throw notFound(this.#plan.object, id);
    return entry;
  }

  #lookup(field: string): Lookup<T> | undefined {
    return this.#loaded.lookups.find((lookup) => lookup.field === field);
  }

  readonly #locate: Locate = (name, id) => {
    if (id === undefined) return undefined;
    const sequence = this.#loaded.byId.get(id)?.sequence ?? this.#loaded.deleted.get(id);
    if (sequence !== undefined) return sequence;
    throw unprocessableField(
      name,
      'invalid_cursor',
      `must be the id of an object in this list; no ${this.#plan.object} ever had the id ${JSON.stringify(id)}, or it has been dropped`,
    );
  };

  /** Insert, replace or delete an object. All changes go through here. */
  #change(entry: Entry<T>, after: undefined): undefined;
  #change(entry: Entry<T> | undefined, after: T): T;
  #change(entry: Entry<T> | undefined, after: T | undefined): T | undefined {
    const before = entry?.record;
    if (after) {
      this.#checkUnique(after, entry);
      Object.freeze(after);
    }
    const { byId, deleted, all, lookups } = this.#loaded;
    // Reindex only the fields that change.
    const moves = lookups.filter(
      ({ field }) => !before || !after || before[field as keyof T] !== after[field as keyof T],
    );
    if (entry && before)
      for (const { field, index } of moves)
        for (const value of valuesOf(before[field as keyof T])) index.remove(value, entry);
    if (!after) {
      if (entry && before) this.#drop(entry, before.id);
      return undefined;
    }
    const changed: Entry<T> = entry ?? { sequence: this.#loaded.sequence++, record: after };
    changed.record = after;
    if (!entry) {
      byId.set(after.id, changed);
      // A reused id moves to the end.
      if (deleted.delete(after.id)) this.#keeper.notify(after.id, undefined);
      all.add(changed);
    }
    for (const { field, index } of moves)
      for (const value of valuesOf(after[field as keyof T])) index.add(value, changed);
    this.#keeper.notify(after.id, after);
    return after;
  }

  #drop(entry: Entry<T>, id: string): void {
    const { byId, deleted, all } = this.#loaded;
    all.remove(entry);
    byId.delete(id);
    deleted.set(id, entry.sequence);
    this.#keeper.notify(id, null);
    for (const [oldest] of deleted) {
      if (deleted.size <= maxDeleted) break;
      deleted.delete(oldest);
      this.#keeper.notify(oldest, undefined);
    }
  }

  #checkUnique(record: T, self: Entry<T> | undefined): void {
    for (const { field, isUnique, index } of this.#loaded.lookups) {
      if (!isUnique) continue;
      const holder = index.first(record[field as keyof T]);
      if (holder && holder !== self)
        throw new Error(`Two objects of type ${this.#plan.object} would share the same ${field}.`);
    }
  }
}

/** Return a record with some fields replaced. Copies field by field, so that all records share a hidden class. */
function replaced<T extends CollectionItem>(record: T, time: object | false, changes: object, id: string): T {
  const after: Record<string, unknown> = {};
  for (const key in record) after[key] = record[key];
  Object.assign(after, time, changes);
  after.id = id;
  // It has every field of the record, and changes only replace some of them.
  return after as unknown as T;
}

const has = (stored: unknown, value: unknown): boolean =>
  Array.isArray(stored) ? stored.includes(value) : stored === value;

const none: readonly unknown[] = [];
const valuesOf = (value: unknown): Iterable<unknown> =>
  value === null || value === undefined
    ? none
    : !Array.isArray(value)
      ? [value]
      : value.length < 2
        ? value
        : new Set(value);
