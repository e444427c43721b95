import { type IdsPath, idPrefixes } from '../identifiers.js';
import type { VaryingField, VaryingParam } from './dialect.js';

// The vocabulary that describes the service. Descriptions are plain object literals, so a hundred operations load in a fraction
// of a millisecond, and the types need no schema library.

declare const value: unique symbol;
declare const absent: unique symbol;
declare const fields: unique symbol;

/** Limits of a caller-owned map. */
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
  /** May be null; if absent, it reads as null unless it is also optional. */
  readonly nullable?: true;
  /** Exists on some objects only; null or absent on the others. */
  readonly some?: true;
  /** Wire name, if it is not the field's name in snake_case. */
  readonly wireName?: string;
  /** Wire name that depends on the dialect. */
  readonly varies?: VaryingField | VaryingParam;
  /** Allowed values of a closed string or integer. */
  readonly known?: readonly string[];
  /** Only the known values are accepted; for requests. */
  readonly closed?: true;
  /** Value of a constant. */
  readonly constant?: string;
  /** Minimum and maximum of a number; `max` is also the maximum number of items of an array. */
  readonly min?: number;
  readonly max?: number;
  readonly bounds?: MapBounds;
  /** JSON types allowed as values of a map; default: any. */
  readonly values?: readonly string[];
  readonly format?: 'timestamp' | 'url' | 'email' | 'id';
  /** The value is JSON text. Callers pass the value that it contains. */
  readonly json?: true;
  /** Callers pass the field in an object of this name. */
  readonly inside?: string;
  /** A sibling field and its value. With this value, `inside` does not apply to the items of an array. */
  readonly flatWith?: readonly [field: string, value: string];
  /** Prefixes of the value, if it is an id with known prefixes. */
  readonly prefixes?: readonly string[] | undefined;
  readonly element?: Descriptor;
  readonly model?: AnyModel;
  /** Sibling wire field that selects the description, and the descriptions by its value. */
  readonly tag?: { readonly by: string; readonly fields: Readonly<Record<string, Descriptor>> };
  /** The value is a secret and must never appear in messages or logs. */
  readonly secret?: true;
  /** A response without it is rejected, because a decision depends on it. */
  readonly essential?: true;
  /** Null is rejected instead of counting as missing, because a decision about access depends on it. */
  readonly decisive?: true;
}

/** A described field: `T` is the type that callers read, `Absent` is true if it may be missing. */
export interface Field<T, Absent extends boolean = false> extends Descriptor {
  readonly [value]: T;
  readonly [absent]: Absent;
}

type AnyField = Field<unknown, boolean>;
/** Descriptions by field name, as callers see it. */
export type Shape = Readonly<Record<string, AnyField>>;

/**
 * The description of a resource or body. If it has a name, the resource has an `object` field with that value. `Omitted` is set for
 * requests: callers may pass optional fields as `Omitted` too, and lists as readonly.
 */
export interface Model<Name extends string | null = string | null, S extends Shape = Shape, Omitted = never> {
  readonly name: Name;
  readonly shape: S;
  /** Only holds the type; never set. */
  readonly [fields]: FieldsOf<Name, S, Omitted>;
}
/** A model with any fields. */
export type AnyModel = Pick<Model, 'name' | 'shape'>;

type OptionalKeys<S> = { [K in keyof S]: S[K] extends Field<unknown, true> ? K : never }[keyof S];
type Value<F, Omitted> = F extends Field<infer T, boolean> ? ([Omitted] extends [never] ? T : Accepted<T>) : never;
/** The type that callers may pass for a value: its list is only read. */
export type Accepted<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;
// `Pick` keeps each field's comment in the hover; renaming keys with `as` would lose it.
type FieldsOf<Name, S, Omitted> = (Name extends string ? { object: Name } : {}) & {
  [K in keyof Pick<S, Exclude<keyof S, OptionalKeys<S>>>]: Value<S[K], Omitted>;
} & { [K in keyof Pick<S, OptionalKeys<S>>]?: Value<S[K], Omitted> | Omitted };

/** The fields of a model as an object type: `interface Organization extends Fields<typeof organization> {}`. */
export type Fields<M> = M extends { readonly [fields]: infer F } ? F : never;

const field = <T, A extends boolean = false>(descriptor: Descriptor): Field<T, A> =>
  // The two symbols exist only for the type checker.
  descriptor as Field<T, A>;

/** Describe a resource with `name` as its `object`, or without an `object` field if `name` is null. */
export const model = <const Name extends string | null, S extends Shape>(name: Name, shape: S): Model<Name, S> =>
  ({ name, shape }) as Model<Name, S>;
/** Describe an object inside another, or a response that is not a resource. */
export const part = <S extends Shape>(shape: S): Model<null, S> => model(null, shape);
/** Describe a request body. Optional fields may also be undefined, which omits them. */
export const body = <S extends Shape>(shape: S): Model<null, S, undefined> =>
  // Undefined fields are never written, so only the type mentions them.
  model(null, shape) as Model<null, S, undefined>;
/** Describe the query of a list or URL. Optional parameters may also be undefined or null, which omits them. */
export const query = <S extends Shape>(shape: S): Model<null, S, undefined | null> =>
  model(null, shape) as Model<null, S, undefined | null>;

export const string: Field<string> = field({ kind: 'string' });
export const boolean: Field<boolean> = field({ kind: 'boolean' });
export const integer: Field<number> = field({ kind: 'integer' });
/** A number, possibly with a fraction. */
export const number: Field<number> = field({ kind: 'number' });
/** ISO 8601 in UTC with milliseconds. */
export const timestamp: Field<string> = field({ kind: 'string', format: 'timestamp' });
export const url: Field<string> = field({ kind: 'string', format: 'url' });
export const email: Field<string> = field({ kind: 'string', format: 'email' });
/** JSON text. Callers pass the value that it contains. */
export const jsonText: Field<string> = field({ kind: 'string', json: true });
/** An id that the caller chooses. */
export const chosenId: Field<string> = field({ kind: 'string', format: 'id' });
/**
 * The id of a resource, given its path. Ids are opaque, but an id with another resource's prefix is rejected before it
 * is sent.
 */
export const idOf = (path: IdsPath): Field<string> => field({ kind: 'string', prefixes: idPrefixes[path] });
/** Caller-owned labels: the keys are data and are never renamed. */
export const labels: Field<Record<string, string>> = field({ kind: 'map', values: ['string'] });
/** An update of caller-owned labels: null removes a label, and omitted labels are kept. */
export const labelChanges: Field<Record<string, string | null>> = field({ kind: 'map', values: ['string', 'null'] });
/** Caller-owned query values: the keys are data and are never renamed. */
export const scalars: Field<Record<string, string | number | boolean>> = field({
  kind: 'map',
  values: ['string', 'number', 'boolean'],
});
/** A map owned by the caller or a provider: passed through unchanged at any depth. */
export const opaque: Field<Record<string, unknown>> = field({ kind: 'map' });
/** An opaque map with a hand-written type. */
export const opaqueAs = <T extends object>(): Field<T> => field({ kind: 'map' });

/** A value with a hand-written type. The code that uses it has to check it. */
export const valueAs = <T>(): Field<T> => field({ kind: 'unknown' });

/** An integer between two inclusive bounds. */
export const between = (min: number, max: number): Field<number> => field({ kind: 'integer', min, max });
/** A map with limits on its keys and values. */
export const boundedMap = (bounds: MapBounds): Field<Record<string, string | number | boolean>> =>
  field({ kind: 'map', values: ['string', 'number', 'boolean'], bounds });
/** A string that always has this value. */
export const constant = <const V extends string>(only: V): Field<V> => field({ kind: 'constant', constant: only });
/** A string with known values in its type; other values are accepted too. */
export const open = <K extends string>(): Field<K | (string & {})> => field({ kind: 'string' });
/** A string that must be one of these values; for requests. */
export const oneOf = <const K extends string>(...known: [K, ...K[]]): Field<K> =>
  field({ kind: 'string', known, closed: true });
/** An integer that must be one of these values; for requests. */
export const oneOfNumbers = <const N extends number>(...numbers: [N, ...N[]]): Field<N> =>
  field({ kind: 'integer', known: numbers.map(String), closed: true });

/** A list; requests may have at most `max` entries. */
export const array = <T>(element: Field<T>, options: { readonly max?: number } = {}): Field<T[]> =>
  field({ kind: 'array', element, ...options });
/** Another model by its type name, which keeps hovers short: `ref<OrganizationDomain>(organizationDomain)`. */
export const ref = <T extends object>(target: AnyModel & { readonly [fields]: T }): Field<T> =>
  field({ kind: 'model', model: target });
/**
 * An object with a description that the value of a sibling field selects. If the object does not match, it is kept as
 * received, the sibling becomes `unknown`, and `problem` contains the sibling's value and the error message.
 */
export const tagged = (by: string, fields: Readonly<Record<string, Descriptor>>): Field<Record<string, unknown>> =>
  field({ kind: 'tagged', tag: { by, fields } });

/** May be absent. */
export const optional = <T>(of: Field<T>): Field<T, true> => field({ ...of, optional: true });
/** Required for a decision: a response without it is rejected. Ids and secrets are always essential. */
export const essential = <T, A extends boolean>(of: Field<T, A>): Field<T, A> => field({ ...of, essential: true });
/** May be missing from a response, but decides about access: null is rejected, and does not count as missing. */
export const decisive = <T>(of: Field<T>): Field<T> => field({ ...of, decisive: true });
/** May be null; if absent, it reads as null. */
export const nullable = <T>(of: Field<T>): Field<T | null> => field({ ...of, nullable: true });
/** Exists on some objects only; reads as null on the others. */
export const forSome = <T>(of: Field<T>): Field<T | null> => field({ ...of, nullable: true, some: true });
/** May be absent or null. */
export const maybe = <T>(of: Field<T>): Field<T | null, true> => field({ ...of, optional: true, nullable: true });
/** A field with a wire name that is not its name in snake_case. */
export const wire = <T, A extends boolean>(wireName: string, of: Field<T, A>): Field<T, A> =>
  field({ ...of, wireName });
/** A field with a wire name that depends on the dialect. */
export const varies = <T, A extends boolean>(by: VaryingField | VaryingParam, of: Field<T, A>): Field<T, A> =>
  field({ ...of, varies: by });
/** A field that callers pass in an object: `inside('resource', string)`. */
export const inside = <T, A extends boolean>(object: string, of: Field<T, A>): Field<T, A> =>
  field({ ...of, inside: object });
/** An array whose items callers pass as they are sent, if a sibling field has this value. */
export const flatWith = <T, A extends boolean>(sibling: string, value: string, of: Field<T, A>): Field<T, A> =>
  field({ ...of, flatWith: [sibling, value] });
/** A field with a secret value. */
export const secret = <T, A extends boolean>(of: Field<T, A>): Field<T, A> => field({ ...of, secret: true });
