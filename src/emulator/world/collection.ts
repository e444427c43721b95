import type { Field } from '../../service/describe/define.js';
import { Entries, type Entry } from './entries.js';
import { FieldIndex } from './field-index.js';
import { noteRead } from './reads.js';
import { conflict, notFound, unprocessableField } from './refusal.js';
import { type CollectionItem, type ListQuery, type Locate, type Page, Selection, type Where } from './selection.js';
import { type Keeper, noKeeper, type SavedStore, type Store } from './store.js';

/** The value by which a field is looked up: of an array field, one of its items. */
type ValueOf<F> = F extends readonly (infer Item)[] ? Item : F;

/** Values that records are to have in fields declared as unique or as an index; what is undefined is not asked for. */
export type Filter<T> = { readonly [K in keyof T]?: ValueOf<T[K]> | undefined };

/** What a collection is made of. */
export interface CollectionPlan<T> {
  /** What its objects are called in messages, `organization`, and what the collection is called as a store. */
  readonly object: string;
  /** Prefix of their ids, without the underscore. */
  readonly prefix: string;
  /** Fields of which no two objects share a value, for `by`. Null and absent values are not looked at. */
  readonly unique?: readonly (keyof T & string)[];
  /** Fields for `where`; an array counts under each of its items. */
  readonly index?: readonly (keyof T & string)[];
  /** What a record is: those of a snapshot or a state file are checked by it. */
  readonly record: Field<T>;
}

/** A field by which objects are found. */
interface Lookup<T> {
  readonly field: string;
  readonly isUnique: boolean;
  readonly index: FieldIndex<T>;
}

/** What there is, and what it is found by. */
interface Contents<T> {
  readonly byId: Map<string, Entry<T>>;
  /** Places of deleted objects, so that cursors that name them still work; in the order of deletion. */
  readonly gone: Map<string, number>;
  readonly all: Entries<T>;
  readonly lookups: readonly Lookup<T>[];
  sequence: number;
}

type NewItem<T extends CollectionItem> = Omit<T, 'id'> & { readonly id?: string };

/** How many deleted objects a collection can place, for cursors that name them; beyond it the ones deleted first are forgotten. */
const mostGone = 10_000;

/**
 * All objects of one kind, in the order of their creation.
 *
 * Records are frozen and replaced as a whole by `update`: whoever holds one holds a snapshot, and a text made of it is good for as
 * long as the record is the object's. Whatever changes goes through `#change`, which keeps the order, the fields that objects are
 * found by and the version in step; what is to follow every change belongs there. Each of them costs the same however
 * many objects there are, and so does a page, wherever it begins. What was saved is put in order when somebody first looks.
 */
export class Collection<T extends CollectionItem> implements Store {
  readonly #plan: Omit<CollectionPlan<T>, 'record'>;
  readonly #newId: (prefix: string) => string;
  readonly #keeper: Keeper;
  readonly #onDelete: ((record: T) => void)[] = [];
  #contents: Contents<T> | undefined;
  #saved: SavedStore | undefined;
  #version = 0;

  constructor(plan: Omit<CollectionPlan<T>, 'record'>, newId: (prefix: string) => string, keeper = noKeeper) {
    this.#plan = plan;
    this.#newId = newId;
    this.#keeper = keeper;
    this.#saved = keeper.saved;
  }

  /** How often something in it has changed. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    noteRead(this);
    return this.#own.all.size;
  }

  /** The oldest object. */
  get first(): T | undefined {
    noteRead(this);
    return this.#own.all.first?.record;
  }

  /** Add an object. It gets a new id if it has none. The given object becomes the record. @throws {Refusal} 409 if the id is taken. */
  insert(fields: NewItem<T>): T {
    // Not a copy: engines give each copy of many fields a shape of its own, which takes more memory than the record. The id is
    // there from here on; the compiler cannot follow.
    const record = Object.assign(fields, { id: fields.id ?? this.#newId(this.#plan.prefix) }) as unknown as T;
    this.refuseTaken(record.id);
    return this.#change(undefined, record);
  }

  /** Refuse an id that an object has. @throws {Refusal} 409. */
  refuseTaken(id: string): void {
    if (!this.#own.byId.has(id)) return;
    const { object } = this.#plan;
    const article = /^[aeio]/i.test(object) ? 'an' : 'a';
    throw conflict(
      'id_already_used',
      `There already is ${article} ${object} with the id ${JSON.stringify(id)}. Choose another id, or leave it out`,
    );
  }

  /** The object with this id. @throws {Refusal} 404. */
  get(id: string): T {
    return this.#entry(id).record;
  }

  /** The object with this id, if there is one. */
  find(id: string): T | undefined {
    noteRead(this);
    return this.#own.byId.get(id)?.record;
  }

  /** The object with this value in a field declared as unique. */
  by<K extends keyof T & string>(field: K, value: T[K]): T | undefined {
    const lookup = this.#lookup(field);
    if (!lookup?.isUnique) throw new Error(`${this.#plan.object}.${field} is not declared as unique.`);
    return lookup.index.first(value)?.record;
  }

  /** Whether an object has this id, or had it, or has this value in a field declared as unique. */
  knows(value: string): boolean {
    const { byId, gone, lookups } = this.#own;
    if (byId.has(value) || gone.has(value)) return true;
    return lookups.some(({ isUnique, index }) => isUnique && index.sizeOf(value) > 0);
  }

  /** The objects with this value in a field declared as an index; of an array field, with this item. */
  where<K extends keyof T & string>(field: K, value: ValueOf<T[K]>): Selection<T> {
    const lookup = this.#lookup(field);
    if (!lookup) throw new Error(`${this.#plan.object}.${field} is not declared as an index.`);
    return new Selection(() => lookup.index.find(value), this.#locate);
  }

  /** The objects with these ids, as far as there are any. */
  among(ids: Iterable<string | undefined>): Selection<T> {
    noteRead(this);
    const entries = new Entries<T>();
    for (const id of new Set(ids)) {
      const entry = id === undefined ? undefined : this.#own.byId.get(id);
      if (entry) entries.add(entry);
    }
    return new Selection(() => entries, this.#locate);
  }

  /** Replace the given fields and nothing else. @throws {Refusal} 404. */
  update(id: string, changes: Partial<Omit<T, 'id'>>): T {
    const entry = this.#entry(id);
    return this.#change(entry, replaced(entry.record, changes, id));
  }

  /** Delete the object and, first, whatever `onDelete` says goes with it. @throws {Refusal} 404. */
  delete(id: string): T {
    const { record } = this.#entry(id);
    for (const hook of this.#onDelete) hook(record);
    const entry = this.#own.byId.get(id);
    // A hook may have deleted it in turn.
    if (entry) this.#change(entry, undefined);
    return record;
  }

  /** Delete the objects with this value in a field declared as an index, and whatever goes with each. */
  deleteWhere<K extends keyof T & string>(field: K, value: ValueOf<T[K]>): void {
    for (const { id } of this.where(field, value).values()) this.delete(id);
  }

  /** Called with every object that is about to be deleted, while it is still there. */
  onDelete(hook: (record: T) => void): void {
    this.#onDelete.push(hook);
  }

  /** All objects, oldest first. */
  values(): T[] {
    noteRead(this);
    return this.#own.all.records();
  }

  /** All objects for which this holds, oldest first. */
  filter(where: Where<T>): T[] {
    return this.values().filter(where);
  }

  /**
   * One page of all objects, or of those with these values and for which `where` holds. Of the values that are asked for, the one
   * that the fewest have is looked up, so that no page has to look at everybody.
   *
   * @throws {Refusal} 422 for a cursor never seen.
   */
  page(list: ListQuery, filter: Filter<T> = {}, where?: Where<T>): Page<T> {
    const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
    const candidates = conditions.map(([field, value]) => {
      const lookup = this.#lookup(field);
      if (!lookup) throw new Error(`${this.#plan.object}.${field} is not declared as an index.`);
      return { index: lookup.index, value, size: lookup.index.sizeOf(value) };
    });
    noteRead(this);
    const [narrowest] = candidates.sort((one, other) => one.size - other.size);
    const entries = narrowest ? narrowest.index.find(narrowest.value) : this.#own.all;
    const fits =
      conditions.length < 2
        ? where
        : (record: T) =>
            conditions.every(([field, value]) => has(record[field as keyof T], value)) && (where?.(record) ?? true);
    return new Selection(() => entries, this.#locate).page(list, fits);
  }

  /** Everything as data, in the order of creation. */
  save(): SavedStore {
    if (this.#saved) return this.#saved;
    const { all, gone } = this.#own;
    const places = [...gone].sort(([, one], [, other]) => one - other);
    const pairs: [string, T | null][] = [];
    let next = 0;
    for (const { sequence, record } of all.upwards()) {
      for (; next < places.length && places[next]![1] < sequence; next++) pairs.push([places[next]![0], null]);
      pairs.push([record.id, record]);
    }
    for (; next < places.length; next++) pairs.push([places[next]![0], null]);
    return pairs;
  }

  get #own(): Contents<T> {
    return this.#contents ?? this.#open();
  }

  /** Put what was saved in order. */
  #open(): Contents<T> {
    const { unique = [], index = [] } = this.#plan;
    const lookup = (isUnique: boolean) => (field: string) => ({ field, isUnique, index: new FieldIndex<T>() });
    const lookups = [...unique.map(lookup(true)), ...index.map(lookup(false))];
    const contents: Contents<T> = { byId: new Map(), gone: new Map(), all: new Entries(), lookups, sequence: 0 };
    const { byId, gone, all } = contents;
    // What a collection saved are its records.
    for (const [id, record] of (this.#saved ?? []) as readonly (readonly [string, T | null])[]) {
      const sequence = contents.sequence++;
      if (record === null) {
        gone.set(id, sequence);
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
    noteRead(this);
    const entry = this.#own.byId.get(id);
    if (!entry) throw notFound(this.#plan.object, id);
    return entry;
  }

  #lookup(field: string): Lookup<T> | undefined {
    noteRead(this);
    return this.#own.lookups.find((lookup) => lookup.field === field);
  }

  readonly #locate: Locate = (name, id) => {
    if (id === undefined) return undefined;
    const sequence = this.#own.byId.get(id)?.sequence ?? this.#own.gone.get(id);
    if (sequence !== undefined) return sequence;
    throw unprocessableField(
      name,
      'invalid_cursor',
      `must be the id of an object of this list; no ${this.#plan.object} ever had the id ${JSON.stringify(id)}`,
    );
  };

  /** Make, replace or delete an object: the one place in which anything changes. */
  #change(entry: Entry<T>, after: undefined): undefined;
  #change(entry: Entry<T> | undefined, after: T): T;
  #change(entry: Entry<T> | undefined, after: T | undefined): T | undefined {
    const before = entry?.record;
    if (after) {
      this.#checkUnique(after, entry);
      Object.freeze(after);
    }
    const { byId, gone, all, lookups } = this.#own;
    this.#version++;
    // Taken out of every lookup by the values it had, and in by those it has: where both are the same, it stays.
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
    const own: Entry<T> = entry ?? { sequence: this.#own.sequence++, record: after };
    own.record = after;
    if (!entry) {
      byId.set(after.id, own);
      // It comes last now, wherever it was.
      if (gone.delete(after.id)) this.#keeper.tell(after.id, undefined);
      all.add(own);
    }
    for (const { field, index } of moves) for (const value of valuesOf(after[field as keyof T])) index.add(value, own);
    this.#keeper.tell(after.id, after);
    return after;
  }

  #drop(entry: Entry<T>, id: string): void {
    const { byId, gone, all } = this.#own;
    all.remove(entry);
    byId.delete(id);
    gone.set(id, entry.sequence);
    this.#keeper.tell(id, null);
    for (const [longestGone] of gone) {
      if (gone.size <= mostGone) break;
      gone.delete(longestGone);
      this.#keeper.tell(longestGone, undefined);
    }
  }

  #checkUnique(record: T, self: Entry<T> | undefined): void {
    for (const { field, isUnique, index } of this.#own.lookups) {
      if (!isUnique) continue;
      const holder = index.first(record[field as keyof T]);
      if (holder && holder !== self)
        throw new Error(`Two objects of type ${this.#plan.object} would share the same ${field}.`);
    }
  }
}

/** A record with other values in some fields. Field by field, so that all records have one shape. */
function replaced<T extends CollectionItem>(record: T, changes: object, id: string): T {
  const after: Record<string, unknown> = {};
  for (const key in record) after[key] = record[key];
  Object.assign(after, changes);
  after.id = id;
  // Every field of the record is there, and every change is of one of them.
  return after as unknown as T;
}

const has = (own: unknown, value: unknown): boolean => (Array.isArray(own) ? own.includes(value) : own === value);

const none: readonly unknown[] = [];
const valuesOf = (value: unknown): Iterable<unknown> =>
  value === null || value === undefined
    ? none
    : !Array.isArray(value)
      ? [value]
      : value.length < 2
        ? value
        : new Set(value);
