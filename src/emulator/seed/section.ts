import type { Descriptor, Field, Fields, Model } from '../../service/describe/define.js';
import type { World } from '../world/world.js';
import type { Path } from './problems.js';

/** Does one thing that a seed asks for; a refusal is noted with its place, and gives `undefined`. */
export type Attempt = <T>(path: Path, act: () => T | Promise<T>) => Promise<T | undefined>;

/** A name of another entry inside the same one: only the groups of its own directory can be a person's. */
export interface Sibling {
  readonly sibling: string;
  /** What it is called in a message. */
  readonly label: string;
}

/** How entries are called and what they name. */
interface NameOptions<E> {
  /** What one is called, `connection`. An `id` stands once only among all of the same noun. */
  readonly noun?: string;
  /** Field by which others may name one, beside `id`. */
  readonly alias?: keyof E & string;
  /** Another field of which every value stands once only. */
  readonly unique?: keyof E & string;
  /** Fields that name another entry, each with the noun of that one. */
  readonly refersTo?: { readonly [K in keyof E]?: string | Sibling };
}

/** What stands in a field of an entry and is planted after it; `O` is what the entry has become. */
interface ChildOptions<E, O> extends NameOptions<E> {
  plant(world: World, child: E, owner: O): unknown;
  /** What an owner has of it: records, of which the fields that the entry describes are taken. Left out where another field says it. */
  export?(world: World, owner: O): unknown;
  /** The fields of an entry that its record has under other names, or that must be said even if they are null or empty. */
  said?(world: World, record: never): Partial<E>;
}

type ItemOf<T> = NonNullable<T> extends readonly (infer Item)[] ? Item : NonNullable<T>;
type ChildrenOf<E, O> = { readonly [K in keyof E]?: ChildOptions<ItemOf<E[K]>, O> };

interface SectionOptions<E> extends NameOptions<E> {
  /** Name of the section, as callers would write it. */
  readonly name: string;
  /** What an entry looks like. */
  readonly entry: Field<E>;
}

/** What stands in a field, whatever it is. */
export interface Child extends Omit<NameOptions<never>, 'alias' | 'unique' | 'refersTo'> {
  readonly alias?: string;
  readonly unique?: string;
  readonly refersTo?: Readonly<Record<string, string | Sibling>>;
  plant(world: World, child: unknown, owner: unknown): unknown;
  export?(world: World, owner: unknown): unknown;
  readonly said?: (world: World, record: unknown) => object;
}

declare const becomes: unique symbol;

/** A section of a seed: what an entry looks like, and how entries come into a world. `R` is what an entry becomes. */
export interface Section<R = unknown> extends Omit<Child, 'plant' | 'export'> {
  readonly name: string;
  readonly entry: Descriptor;
  readonly children: Readonly<Record<string, Child>>;
  /** Plant one entry; its children follow. */
  readonly plant?: (world: World, entry: unknown) => R | Promise<R>;
  /** Plant all entries at once, where one by one will not do. */
  readonly plantAll?: (world: World, entries: readonly unknown[], attempt: Attempt) => Promise<void>;
  /** The records of a world that the section is about. */
  readonly export: (world: World) => readonly unknown[];
  /** Whether it is one entry, and no list. */
  readonly isOne?: boolean;
  /** Carries the type only; never set. */
  readonly [becomes]?: R;
}

/** Fields that a room adds to the entries of a section below. */
export interface Addition {
  readonly to: Section;
  readonly fields: Model<null>;
  readonly children: Readonly<Record<string, Child>>;
}

/** What a room says of seeds. */
export type SeedPart = Section | Addition;

// Below, what a section was declared with and what is done with it agree because both have one type; a list of sections of all
// types cannot say so.

/** A section whose entries are planted one after the other, each followed by what stands in its fields. */
export const section = <E, R>(
  options: SectionOptions<E> & {
    plant(world: World, entry: NoInfer<E>): R | Promise<R>;
    export(world: World): readonly NoInfer<NonNullable<Awaited<R>>>[];
    said?(world: World, record: NoInfer<NonNullable<Awaited<R>>>): Partial<NoInfer<E>>;
    readonly children?: ChildrenOf<NoInfer<E>, NonNullable<Awaited<R>>>;
  },
): Section<NonNullable<Awaited<R>>> => ({ children: {}, ...options }) as unknown as Section<NonNullable<Awaited<R>>>;

/** A section whose entries are planted together; one whose entry is a map is that map itself. */
export const sectionAtOnce = <E>(
  options: SectionOptions<E> & {
    plantAll(world: World, entries: readonly E[], attempt: Attempt): Promise<void>;
    export(world: World): readonly (E | object)[];
  },
): Section => ({ children: {}, ...options }) as unknown as Section;

/** A section that is one entry, and no list. */
export const sectionOnce = <E>(
  options: Pick<SectionOptions<E>, 'name' | 'entry'> & {
    plant(world: World, entry: NoInfer<E>): void;
    /** The entry for a world; none where there is nothing to say. */
    export(world: World): readonly NoInfer<E>[];
  },
): Section =>
  ({
    ...options,
    children: {},
    isOne: true,
    plantAll: async (world: World, [entry]: readonly [E], attempt: Attempt) => {
      await attempt([], () => options.plant(world, entry));
    },
  }) as unknown as Section;

/** Fields that entries of a section have as well, planted after those that it has itself. */
export const addition = <R, M extends Model<null>>(
  to: Section<R>,
  fields: M,
  children: ChildrenOf<Fields<M>, R>,
): Addition => ({ to, fields, children }) as unknown as Addition;
