import type { Descriptor, Field, Fields, Model } from '../../service/describe/define.js';
import type { Memory, Slot } from '../world/memory.js';
import type { Path } from './problems.js';

/** Runs one step of planting. If it is refused, reports the problem with its path and returns `undefined`. */
export type Try = <T>(path: Path, act: () => T | Promise<T>) => Promise<T | undefined>;

/** A collection of any records. */
type AnyCollection = Slot<{
  values(): readonly unknown[];
  where(field: never, value: never): { values(): readonly unknown[] };
}>;

/** A reference to another child of the same entry, such as a directory user's groups. */
export interface Sibling {
  readonly collection: AnyCollection;
  /** Its name in messages. */
  readonly label: string;
}

/** Identifiers and references of entries. */
interface NameOptions<E> {
  /** Collection of the records that entries become. It declares which fields refer to other records. Ids are unique in it. */
  readonly collection?: AnyCollection;
  /** Field that references may use instead of `id`. */
  readonly alias?: keyof E & string;
  /** Another field whose values must be unique. */
  readonly unique?: keyof E & string;
  /** Fields that refer to another child of the same entry. */
  readonly siblings?: { readonly [K in keyof E]?: Sibling };
}

/** Nested entries in a field, planted after their parent; `O` is the record of the parent. */
interface ChildOptions<E, O> extends NameOptions<E> {
  plant(memory: Memory, child: E, owner: O): unknown;
  /** Return the children of a record, to export their described fields; default: the records of the collection that refer to it. */
  export?(memory: Memory, owner: O): unknown;
  /** Return fields that the record has under other names, or that must be exported even if null or empty. */
  exportedFields?(memory: Memory, record: never): Partial<E>;
}

type ItemOf<T> = NonNullable<T> extends readonly (infer Item)[] ? Item : NonNullable<T>;
type ChildrenOf<E, O> = { readonly [K in keyof E]?: ChildOptions<ItemOf<E[K]>, O> };

interface SectionOptions<E> extends NameOptions<E> {
  /** Name of the section in camelCase. */
  readonly name: string;
  /** Description of an entry. */
  readonly entry: Field<E>;
}

/** Nested entries of any type. */
export interface Child extends Pick<NameOptions<never>, 'collection'> {
  readonly alias?: string;
  readonly unique?: string;
  readonly siblings?: Readonly<Record<string, Sibling>>;
  plant(memory: Memory, child: unknown, owner: unknown): unknown;
  export?(memory: Memory, owner: unknown): unknown;
  readonly exportedFields?: (memory: Memory, record: unknown) => object;
}

declare const becomes: unique symbol;

/** A section of a seed: the description of an entry, and how to plant and export entries. `R` is the record of an entry. */
export interface Section<R = unknown> extends Omit<Child, 'plant' | 'export'> {
  readonly name: string;
  readonly entry: Descriptor;
  readonly children: Readonly<Record<string, Child>>;
  /** Plant one entry. Its children are planted next. */
  readonly plant?: (memory: Memory, entry: unknown) => R | Promise<R>;
  /** Plant all entries together, if they cannot be planted one by one. */
  readonly plantAll?: (memory: Memory, entries: readonly unknown[], attempt: Try) => Promise<void>;
  /** Return the records of a world that belong to the section; default: all of the collection. */
  readonly export?: (memory: Memory) => readonly unknown[];
  /** Whether the section is a single entry instead of a list. */
  readonly isOne?: boolean;
  /** Type only; never set. */
  readonly [becomes]?: R;
}

/** Fields that a room adds to the entries of another room's section. */
export interface Addition {
  readonly to: Section;
  readonly fields: Model<null>;
  readonly children: Readonly<Record<string, Child>>;
}

/** A part of the seed that a room declares. */
export type SeedPart = Section | Addition;

// The casts below are safe: each function's signature keeps the types of a section consistent. A list of sections of different
// types cannot express that.

/** Declare a section whose entries are planted one by one, each followed by its children. */
export const section = <E, R>(
  options: SectionOptions<E> & {
    plant(memory: Memory, entry: NoInfer<E>): R | Promise<R>;
    export?(memory: Memory): readonly NoInfer<NonNullable<Awaited<R>>>[];
    exportedFields?(memory: Memory, record: NoInfer<NonNullable<Awaited<R>>>): Partial<NoInfer<E>>;
    readonly children?: ChildrenOf<NoInfer<E>, NonNullable<Awaited<R>>>;
  },
): Section<NonNullable<Awaited<R>>> => ({ children: {}, ...options }) as unknown as Section<NonNullable<Awaited<R>>>;

/** Declare a section whose entries are planted together. If `entry` is a map, the section is that map. */
export const batchSection = <E>(
  options: SectionOptions<E> & {
    plantAll(memory: Memory, entries: readonly E[], attempt: Try): Promise<void>;
    export(memory: Memory): readonly (E | object)[];
  },
): Section => ({ children: {}, ...options }) as unknown as Section;

/** Declare a section that is a single entry instead of a list. */
export const singleSection = <E>(
  options: Pick<SectionOptions<E>, 'name' | 'entry'> & {
    plant(memory: Memory, entry: NoInfer<E>): void;
    /** Return the entry of a world; empty if there is nothing to export. */
    export(memory: Memory): readonly NoInfer<E>[];
  },
): Section =>
  ({
    ...options,
    children: {},
    isOne: true,
    plantAll: async (memory: Memory, [entry]: readonly [E], attempt: Try) => {
      await attempt([], () => options.plant(memory, entry));
    },
  }) as unknown as Section;

/** Add fields to the entries of another section. They are planted after that section's children. */
export const addition = <R, M extends Model<null>>(
  to: Section<R>,
  fields: M,
  children: ChildrenOf<Fields<M>, R>,
): Addition => ({ to, fields, children }) as unknown as Addition;
