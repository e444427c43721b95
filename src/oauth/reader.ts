import { isRecord } from '../http/json.js';

/** A field that is passed on as it comes. */
export const asItIs = 'as it is';
/** A field that is null where it does not come. */
export const orNull = 'or null';

/**
 * How every field of an answer is read. The compiler names each field that the service's description has and a reader lacks,
 * or reads otherwise; a list of objects cannot be read yet.
 */
export type Reader<T> = { readonly [Name in keyof T as Named<T, Name>]-?: Reading<T, Name> };

/** Whether a field needs a reader: not where it is passed on as it comes, under the same name. */
type Named<T, Name extends keyof T> =
  Reading<T, Name> extends typeof asItIs ? (Name extends Lowercase<Name & string> ? never : Name) : Name;

type Reading<T, Name extends keyof T> =
  Nested<NonNullable<T[Name]>> extends true
    ? Reader<NonNullable<T[Name]>>
    : Nested<NonNullable<T[Name]>> extends 'list'
      ? never
      : null extends T[Name]
        ? {} extends Pick<T, Name>
          ? typeof asItIs
          : typeof orNull
        : typeof asItIs;

/** Whether a value has fields of its own; the keys of a map belong to somebody else. */
type Nested<T> = T extends readonly object[]
  ? 'list'
  : T extends readonly unknown[]
    ? false
    : T extends object
      ? string extends keyof T
        ? false
        : true
      : false;

/** The name that a field has on the wire, `first_name` for `firstName`. */
export const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A field of this name would be the prototype of whatever the fields are copied to. */
const prototype = '__proto__';

/** The fields of a wire object by their names in this package. What the reader does not name keeps the name it came with. */
export function read<T>(reader: Reader<T>, wire: Readonly<Record<string, unknown>>): T {
  const fields: Record<string, unknown> = { ...wire };
  for (const [name, how] of Object.entries<unknown>(reader)) {
    const { [wireName(name)]: value = how === orNull ? null : undefined } = wire;
    // What a stranger says under a name of ours is not the field.
    delete fields[wireName(name)];
    delete fields[name];
    // What is read otherwise than by a word has a reader of its own.
    if (value !== undefined)
      fields[name] = isRecord(how) && isRecord(value) ? read(how as Reader<unknown>, value) : value;
  }
  delete fields[prototype];
  // Types are not looked at here: whoever relies on a field checks it.
  return fields as T;
}
