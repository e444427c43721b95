/** What a header field of Node's may be. */
export type FieldValue = number | string | readonly string[];

/** Header fields that can be changed: those of a response, or a map. */
export interface Fields {
  get(name: string): FieldValue | undefined;
  set(name: string, value: FieldValue): unknown;
  delete(name: string): unknown;
  keys(): Iterable<string>;
}

/** Header fields by their names in lower case. */
export class FieldMap extends Map<string, FieldValue> implements Fields {
  override set(name: string, value: FieldValue): this {
    return super.set(name.toLowerCase(), value);
  }
}

/** The values of a field, one by one. */
export const valuesOf = (value: FieldValue | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat().map(String);

/**
 * Sets header fields in whichever form Node takes them: an object, a list of names and values in turn, or a list of pairs. They
 * are only read, for they may be frozen, or belong to other answers too.
 */
export function setFields(fields: Fields, given: unknown): void {
  const seen = new Set<string>();
  for (const [name, value] of entriesOf(given)) {
    const key = name.toLowerCase();
    fields.set(name, seen.has(key) ? [...valuesOf(fields.get(key)), ...valuesOf(value)] : value);
    seen.add(key);
  }
}

function entriesOf(given: unknown): readonly (readonly [string, FieldValue])[] {
  if (!Array.isArray(given)) return Object.entries(Object(given));
  if (Array.isArray(given[0])) return given;
  return given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]] as const] : []));
}
