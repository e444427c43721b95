import { type IdsPath, idPrefixes } from '../identifiers.js';
import type { VaryingField, VaryingParam } from './dialect.js';

// The vocabulary in which the service is written down. Plain objects: no code runs but these literals, so a client that
// describes a hundred operations costs a fraction of a millisecond to load and names no schema library in its types.

declare const value: unique symbol;
declare const absent: unique symbol;
declare const fields: unique symbol;

/** Bounds of a caller-owned map. */
export interface MapBounds {
  readonly keys: number;
  readonly keyLength: number;
  readonly valueLength: number;
}

/** A field as the codec reads it. */
export interface Descriptor {
  readonly kind:
    | 'string'
    | 'number'
    | 'integer'
    | 'boolean'
    | 'constant'
    | 'unknown'
    | 'map'
    | 'array'
    | 'model'
    | 'tagged';
  /** May be absent. */
  readonly optional?: true;
  /** May be null; when absent it reads as null unless it is optional too. */
  readonly nullable?: true;
  /** Some objects have it and others do not: what has none may be null or absent. */
  readonly some?: true;
  /** Wire name, where it is not the snake_case of the field's name. */
  readonly wireName?: string;
  /** Wire name that depends on the dialect. */
  readonly varies?: VaryingField | VaryingParam;
  /** The values of a closed string or integer. */
  readonly known?: readonly string[];
  /** No value but the known ones is accepted; for requests. */
  readonly closed?: true;
  /** The one value of a constant. */
  readonly constant?: string;
  /** Least and greatest value of a number, or number of items of an array. */
  readonly min?: number;
  readonly max?: number;
  readonly bounds?: MapBounds;
  /** JSON types allowed as values of a map; any when not given. */
  readonly values?: readonly string[];
  readonly format?: 'timestamp' | 'url' | 'email' | 'id';
  /** How the value begins, where it is an id and that is known. */
  readonly prefixes?: readonly string[] | undefined;
  readonly element?: Descriptor;
  readonly model?: AnyModel;
  /** Sibling wire field whose value picks the description, and those to pick from. */
  readonly tag?: { readonly by: string; readonly fields: Readonly<Record<string, Descriptor>> };
  /** The value is a secret: never printed, in whatever text it turns up. */
  readonly secret?: true;
  /** An answer without it is refused, because a decision hangs on it. */
  readonly essential?: true;
  /** Wire field beside which it is not essential. */
  readonly unless?: string;
}

/** A described field: `T` is what callers read, `Absent` says that it may be missing. */
export interface Field<T, Absent extends boolean = false> extends Descriptor {
  readonly [value]: T;
  readonly [absent]: Absent;
}

type AnyField = Field<unknown, boolean>;
/** Field names as callers see them, each with its description. */
export type Shape = Readonly<Record<string, AnyField>>;

/**
 * A resource or body described once. A name means that the resource carries `object` with that value. What callers may
 * leave out they may also pass as one of `Unsaid`.
 */
export interface Model<Name extends string | null = string | null, S extends Shape = Shape, Unsaid = never> {
  readonly name: Name;
  readonly shape: S;
  /** Carries the type only; never set. */
  readonly [fields]: FieldsOf<Name, S, Unsaid>;
}
/** Any model, whatever its fields. */
export type AnyModel = Pick<Model, 'name' | 'shape'>;

type OptionalKeys<S> = { [K in keyof S]: S[K] extends Field<unknown, true> ? K : never }[keyof S];
type Value<F> = F extends Field<infer T, boolean> ? T : never;
// `Pick` keeps each field's comment in the hover; renaming keys with `as` would lose it.
type FieldsOf<Name, S, Unsaid> = (Name extends string ? { object: Name } : {}) & {
  [K in keyof Pick<S, Exclude<keyof S, OptionalKeys<S>>>]: Value<S[K]>;
} & { [K in keyof Pick<S, OptionalKeys<S>>]?: Value<S[K]> | Unsaid };

/** The fields of a model as an object type; `interface Organization extends Fields<typeof organization> {}`. */
export type Fields<M> = M extends { readonly [fields]: infer F } ? F : never;

const field = <T, A extends boolean = false>(descriptor: Descriptor): Field<T, A> =>
  // The two symbols exist for the type checker only.
  descriptor as Field<T, A>;

/** A resource whose `object` is `name`, or with `null` one that carries no such field. */
export const model = <const Name extends string | null, S extends Shape>(name: Name, shape: S): Model<Name, S> =>
  ({ name, shape }) as Model<Name, S>;
/** An object that is part of another, or an answer other than a resource. */
export const part = <S extends Shape>(shape: S): Model<null, S> => model(null, shape);
/** What a request sends. A field that may be absent may also be undefined, which leaves it out. */
export const body = <S extends Shape>(shape: S): Model<null, S, undefined> =>
  // What is left out is never written, so that the description needs no word for it.
  model(null, shape) as Model<null, S, undefined>;
/** The query of a list or address. A parameter that may be absent may also be undefined or null, which leave it out. */
export const query = <S extends Shape>(shape: S): Model<null, S, undefined | null> =>
  model(null, shape) as Model<null, S, undefined | null>;

export const string: Field<string> = field({ kind: 'string' });
export const boolean: Field<boolean> = field({ kind: 'boolean' });
export const integer: Field<number> = field({ kind: 'integer' });
/** A number that need not be whole. */
export const number: Field<number> = field({ kind: 'number' });
/** ISO 8601 in UTC with milliseconds. */
export const timestamp: Field<string> = field({ kind: 'string', format: 'timestamp' });
export const url: Field<string> = field({ kind: 'string', format: 'url' });
export const email: Field<string> = field({ kind: 'string', format: 'email' });
/** An id that the caller chooses. */
export const chosenId: Field<string> = field({ kind: 'string', format: 'id' });
/** The id of what stands under a path. Ids are opaque, but one that is plainly another resource's is refused before it is sent. */
export const idOf = (path: IdsPath): Field<string> => field({ kind: 'string', prefixes: idPrefixes[path] });
/** Caller-owned labels: the keys are data and are never renamed. */
export const labels: Field<Record<string, string>> = field({ kind: 'map', values: ['string'] });
/** A change of caller-owned labels: null takes a label away, and what is not named stays. */
export const labelChanges: Field<Record<string, string | null>> = field({ kind: 'map', values: ['string', 'null'] });
/** Caller-owned values of a query: the keys are data and are never renamed. */
export const scalars: Field<Record<string, string | number | boolean>> = field({
  kind: 'map',
  values: ['string', 'number', 'boolean'],
});
/** A map owned by the caller or a provider: passed through untouched at every depth. */
export const opaque: Field<Record<string, unknown>> = field({ kind: 'map' });
/** An opaque map with a hand-written type. */
export const opaqueAs = <T extends object>(): Field<T> => field({ kind: 'map' });

/** A value with a hand-written type, checked by whoever takes it. */
export const valueAs = <T>(): Field<T> => field({ kind: 'unknown' });

/** An integer between two bounds, both included. */
export const between = (min: number, max: number): Field<number> => field({ kind: 'integer', min, max });
/** A map with bounded keys and values. */
export const boundedMap = (bounds: MapBounds): Field<Record<string, string | number | boolean>> =>
  field({ kind: 'map', values: ['string', 'number', 'boolean'], bounds });
/** A string that always has this value. */
export const constant = <const V extends string>(only: V): Field<V> => field({ kind: 'constant', constant: only });
/** A string whose known values are typed and whose unknown values still parse. */
export const open = <K extends string>(): Field<K | (string & {})> => field({ kind: 'string' });
/** A string of which only these values are accepted; for requests. */
export const oneOf = <const K extends string>(...known: [K, ...K[]]): Field<K> =>
  field({ kind: 'string', known, closed: true });
/** One of these integers; for requests. */
export const oneOfNumbers = <const N extends number>(...numbers: [N, ...N[]]): Field<N> =>
  field({ kind: 'integer', known: numbers.map(String), closed: true });

/** A list of these; at most `max` entries when sent. */
export const array = <T>(element: Field<T>, options: { readonly max?: number } = {}): Field<T[]> =>
  field({ kind: 'array', element, ...options });
/** Another model by its short name: `ref<OrganizationDomain>(organizationDomain)`, so that hovers stay short. */
export const ref = <T extends object>(target: AnyModel & { readonly [fields]: T }): Field<T> =>
  field({ kind: 'model', model: target });
/**
 * An object whose description is picked by the value of a sibling field. One that does not fit is kept as it came: the
 * sibling is then `unknown`, and another one, `problem`, has its value and says what is wrong.
 */
export const tagged = (by: string, fields: Readonly<Record<string, Descriptor>>): Field<Record<string, unknown>> =>
  field({ kind: 'tagged', tag: { by, fields } });

/** May be absent. */
export const optional = <T>(of: Field<T>): Field<T, true> => field({ ...of, optional: true });
/**
 * What a decision hangs on: an answer without it is refused, unless it has the wire field that an earlier form has in its place. Ids
 * and secrets need no such word.
 */
export const essential = <T, A extends boolean>(of: Field<T, A>, options?: { unless: string }): Field<T, A> =>
  field({ ...of, essential: true, ...options });
/** Always there, perhaps null; an absent one reads as null. */
export const nullable = <T>(of: Field<T>): Field<T | null> => field({ ...of, nullable: true });
/** There for some objects only; reads as null for the others. */
export const forSome = <T>(of: Field<T>): Field<T | null> => field({ ...of, nullable: true, some: true });
/** May be absent or null. */
export const maybe = <T>(of: Field<T>): Field<T | null, true> => field({ ...of, optional: true, nullable: true });
/** A field whose wire name is not the snake_case of its name. */
export const wire = <T, A extends boolean>(wireName: string, of: Field<T, A>): Field<T, A> =>
  field({ ...of, wireName });
/** A field whose wire name depends on the dialect. */
export const varies = <T, A extends boolean>(by: VaryingField | VaryingParam, of: Field<T, A>): Field<T, A> =>
  field({ ...of, varies: by });
/** A field whose value is a secret. */
export const secret = <T, A extends boolean>(of: Field<T, A>): Field<T, A> => field({ ...of, secret: true });
