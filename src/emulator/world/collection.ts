import { notFound, unprocessableField } from './refusal.js';

/** Anything that a collection holds. */
export interface CollectionItem {
  readonly id: string;
}

/** Which part of a list is asked for. */
export interface ListQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** One page of a list; a cursor that is null means that the list ends there. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
  /** Further fields of the answer, by their wire names. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The same page with every item turned into something else. */
export const mapPage = <T, U>(page: Page<T>, each: (item: T) => U): Page<U> => ({ ...page, data: page.data.map(each) });

/** What a collection keeps of one object. */
interface Entry<T> {
  /** Its place in the order of creation. */
  readonly sequence: number;
  record: T;
}

type Where<T> = (record: T) => boolean;
type Locate = (name: 'after' | 'before', id: string | undefined) => number | undefined;

/** Records in the order of their creation: a whole collection, or the part of it that shares an indexed value. */
export class Selection<T extends CollectionItem> {
  readonly #entries: Entry<T>[] = [];
  readonly #locate: Locate;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The oldest record. */
  get first(): T | undefined {
    return this.#entries[0]?.record;
  }

  /** All records, oldest first; a copy, so that records may be deleted on the way. */
  values(): T[] {
    return this.#entries.map((entry) => entry.record);
  }

  /** The first record, in order of creation, for which this holds. */
  find(where: Where<T>): T | undefined {
    return this.#entries.find((entry) => where(entry.record))?.record;
  }

  /** All records for which this holds, oldest first. */
  filter(where: Where<T>): T[] {
    return this.values().filter(where);
  }

  /**
   * One page by order of creation. `after` starts behind its object; `before` alone gives the items right in front of its
   * object; both give the start of what lies between. A cursor may name an object that has been deleted since.
   */
  page({ limit, order, after, before }: ListQuery, where: Where<T> = () => true): Page<T> {
    const start = this.#locate('after', after);
    const end = this.#locate('before', before);
    // Where the list may begin and end, in order of creation; `high` is the first entry outside.
    const [lowest, highest] = order === 'asc' ? [start, end] : [end, start];
    const low = lowest === undefined ? 0 : this.#firstBehind(lowest);
    const high = highest === undefined ? this.#entries.length : this.#firstFrom(highest);
    const backwards = after === undefined && before !== undefined;
    // Entries are walked away from the cursor: upwards when ascending, downwards when looking back at what precedes.
    const upwards = (order === 'asc') !== backwards;
    const pageItems: T[] = [];
    let at = upwards ? low : high - 1;
    const step = upwards ? 1 : -1;
    for (; at >= low && at < high && pageItems.length < limit; at += step) {
      const { record } = this.#entries[at]!;
      if (where(record)) pageItems.push(record);
    }
    const more = this.#any(at, upwards ? high : low - 1, step, where);
    // What lies on the near side of the page; inside a window that is nothing.
    const window = after !== undefined && before !== undefined;
    const less = window
      ? false
      : this.#any(upwards ? low - 1 : high, upwards ? -1 : this.#entries.length, -step, where);
    if (backwards) pageItems.reverse();
    const first = pageItems[0]?.id ?? null;
    const last = pageItems.at(-1)?.id ?? null;
    return {
      data: pageItems,
      listMetadata: {
        before: (backwards ? more : less) ? first : null,
        after: (backwards ? less : more) ? last : null,
      },
    };
  }

  /** Take an entry in at its place. */
  add(entry: Entry<T>): void {
    const last = this.#entries.at(-1);
    if (last === undefined || last.sequence < entry.sequence) this.#entries.push(entry);
    else this.#entries.splice(this.#firstFrom(entry.sequence), 0, entry);
  }

  /** Take an entry out. */
  remove(entry: Entry<T>): void {
    const at = this.#firstFrom(entry.sequence);
    if (this.#entries[at] !== entry) return;
    // Taking the oldest out is common, and engines do it without moving the rest.
    if (at === 0) this.#entries.shift();
    else this.#entries.splice(at, 1);
  }

  #any(from: number, to: number, step: number, where: Where<T>): boolean {
    for (let at = from; at !== to && at >= 0 && at < this.#entries.length; at += step)
      if (where(this.#entries[at]!.record)) return true;
    return false;
  }

  /** Index of the first entry of this sequence or a later one. */
  #firstFrom(sequence: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]!.sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #firstBehind(sequence: number): number {
    return this.#firstFrom(sequence + 1);
  }
}

/** What a collection is made of. */
export interface CollectionPlan<T> {
  /** What its objects are called in messages and on the wire, `organization`. */
  readonly object: string;
  /** Prefix of their ids, without the underscore. */
  readonly prefix: string;
  /** Fields of which no two objects share a value, for `by`. Null and absent values are not looked at. */
  readonly unique?: readonly (keyof T & string)[];
  /** Fields for `where`; an array counts under each of its items. */
  readonly index?: readonly (keyof T & string)[];
}

type Unique<T> = Iterable<readonly [string, Map<unknown, Entry<T>>]>;
type Indexes<T extends CollectionItem> = Iterable<readonly [string, Map<unknown, Selection<T>>]>;
type NewItem<T extends CollectionItem> = Omit<T, 'id'> & { readonly id?: string };

/**
 * All objects of one kind, in the order of their creation.
 *
 * Records are frozen and replaced as a whole by `update`: whoever holds one holds a snapshot.
 */
export class Collection<T extends CollectionItem> {
  readonly #plan: CollectionPlan<T>;
  readonly #newId: (prefix: string) => string;
  readonly #byId = new Map<string, Entry<T>>();
  /** Places of deleted objects, so that cursors that name them still work. */
  readonly #gone = new Map<string, number>();
  readonly #all: Selection<T>;
  readonly #unique = new Map<string, Map<unknown, Entry<T>>>();
  readonly #indexes = new Map<string, Map<unknown, Selection<T>>>();
  readonly #onDelete: ((record: T) => void)[] = [];
  #sequence = 0;

  constructor(plan: CollectionPlan<T>, newId: (prefix: string) => string) {
    this.#plan = plan;
    this.#newId = newId;
    this.#all = new Selection(this.#locate);
    for (const field of plan.unique ?? []) this.#unique.set(field, new Map());
    for (const field of plan.index ?? []) this.#indexes.set(field, new Map());
  }

  get size(): number {
    return this.#all.size;
  }

  /** The oldest object. */
  get first(): T | undefined {
    return this.#all.first;
  }

  /** Add an object; without an id it gets a new one. */
  insert(fields: NewItem<T>): T {
    // The id is there from here on; the compiler cannot follow the generic spread.
    const record = Object.freeze({ ...fields, id: fields.id ?? this.#newId(this.#plan.prefix) }) as unknown as T;
    if (this.#byId.has(record.id))
      throw new Error(`There already is a ${this.#plan.object} with the id ${JSON.stringify(record.id)}.`);
    this.#checkUnique(record, undefined);
    const entry: Entry<T> = { sequence: this.#sequence++, record };
    this.#byId.set(record.id, entry);
    this.#gone.delete(record.id);
    this.#all.add(entry);
    this.#enter(entry);
    return record;
  }

  /** The object with this id. @throws {Refusal} 404. */
  get(id: string): T {
    const entry = this.#byId.get(id);
    if (!entry) throw notFound(this.#plan.object, id);
    return entry.record;
  }

  /** The object with this id, if there is one. */
  find(id: string): T | undefined {
    return this.#byId.get(id)?.record;
  }

  /** The object with this value in a field declared as unique. */
  by<K extends keyof T & string>(field: K, value: T[K]): T | undefined {
    const index = this.#unique.get(field);
    if (!index) throw new Error(`${this.#plan.object}.${field} is not declared as unique.`);
    return index.get(value)?.record;
  }

  /** Whether an object has this id, or had it, or has this value in a field declared as unique. */
  knows(value: string): boolean {
    if (this.#byId.has(value) || this.#gone.has(value)) return true;
    return [...this.#unique.values()].some((index) => index.has(value));
  }

  /** The objects with this value in a field declared as an index; of an array field, with this item. */
  where<K extends keyof T & string>(field: K, value: T[K] extends readonly (infer I)[] ? I : T[K]): Selection<T> {
    const index = this.#indexes.get(field);
    if (!index) throw new Error(`${this.#plan.object}.${field} is not declared as an index.`);
    return index.get(value) ?? new Selection(this.#locate);
  }

  /** Replace the given fields and nothing else. @throws {Refusal} 404. */
  update(id: string, changes: Partial<Omit<T, 'id'>>): T {
    const entry = this.#byId.get(id);
    if (!entry) throw notFound(this.#plan.object, id);
    const record = Object.freeze({ ...entry.record, ...changes, id });
    this.#checkUnique(record, entry);
    const hasChanged = (field: string): boolean => entry.record[field as keyof T] !== record[field as keyof T];
    const unique = [...this.#unique].filter(([field]) => hasChanged(field));
    const indexes = [...this.#indexes].filter(([field]) => hasChanged(field));
    this.#leave(entry, unique, indexes);
    entry.record = record;
    this.#enter(entry, unique, indexes);
    return record;
  }

  /** Delete the object and, first, whatever `onDelete` says goes with it. @throws {Refusal} 404. */
  delete(id: string): T {
    const { record } = this.#byId.get(id) ?? { record: this.get(id) };
    for (const hook of this.#onDelete) hook(record);
    const entry = this.#byId.get(id);
    // A hook may have deleted it in turn.
    if (!entry) return record;
    this.#leave(entry);
    this.#all.remove(entry);
    this.#byId.delete(id);
    this.#gone.set(id, entry.sequence);
    return record;
  }

  /** Delete the objects with this value in a field declared as an index, and whatever goes with each. */
  deleteWhere<K extends keyof T & string>(field: K, value: T[K] extends readonly (infer I)[] ? I : T[K]): void {
    for (const { id } of this.where(field, value).values()) this.delete(id);
  }

  /** Called with every object that is about to be deleted, while it is still there. */
  onDelete(hook: (record: T) => void): void {
    this.#onDelete.push(hook);
  }

  /** All objects, oldest first. */
  values(): T[] {
    return this.#all.values();
  }

  /** All objects for which this holds, oldest first. */
  filter(where: Where<T>): T[] {
    return this.#all.filter(where);
  }

  /** One page of all objects, or of those for which `where` holds. @throws {Refusal} 422 for a cursor never seen. */
  page(list: ListQuery, where?: Where<T>): Page<T> {
    return this.#all.page(list, where);
  }

  readonly #locate: Locate = (name, id) => {
    if (id === undefined) return undefined;
    const sequence = this.#byId.get(id)?.sequence ?? this.#gone.get(id);
    if (sequence !== undefined) return sequence;
    throw unprocessableField(
      name,
      'invalid_cursor',
      `must be the id of an object of this list; no ${this.#plan.object} ever had the id ${JSON.stringify(id)}`,
    );
  };

  #checkUnique(record: T, self: Entry<T> | undefined): void {
    for (const [field, index] of this.#unique) {
      const holder = index.get(record[field as keyof T]);
      if (holder && holder !== self)
        throw new Error(`Two objects of type ${this.#plan.object} would share the same ${field}.`);
    }
  }

  #enter(entry: Entry<T>, unique: Unique<T> = this.#unique, indexes: Indexes<T> = this.#indexes): void {
    for (const [field, index] of unique) {
      const value = entry.record[field as keyof T];
      if (value !== null && value !== undefined) index.set(value, entry);
    }
    for (const [field, index] of indexes)
      for (const value of valuesOf(entry.record[field as keyof T])) {
        let selection = index.get(value);
        if (!selection) {
          selection = new Selection(this.#locate);
          index.set(value, selection);
        }
        selection.add(entry);
      }
  }

  #leave(entry: Entry<T>, unique: Unique<T> = this.#unique, indexes: Indexes<T> = this.#indexes): void {
    for (const [field, index] of unique) index.delete(entry.record[field as keyof T]);
    for (const [field, index] of indexes)
      for (const value of valuesOf(entry.record[field as keyof T])) {
        const selection = index.get(value);
        selection?.remove(entry);
        if (selection?.size === 0) index.delete(value);
      }
  }
}

const valuesOf = (value: unknown): Iterable<unknown> =>
  value === null || value === undefined ? [] : Array.isArray(value) ? new Set(value) : [value];
