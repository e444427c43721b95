/** A header value in Node. */
export type FieldValue = number | string | readonly string[];

/** Mutable headers: those of a response, or a map. */
export interface HeaderFields {
  get(name: string): FieldValue | undefined;
  set(name: string, value: FieldValue): unknown;
  delete(name: string): unknown;
  keys(): Iterable<string>;
}

/** Headers by lower-case name. */
export class HeaderFieldMap extends Map<string, FieldValue> implements HeaderFields {
  override set(name: string, value: FieldValue): this {
    return super.set(name.toLowerCase(), value);
  }
}

/** List the values of a header. */
export const valuesOf = (value: FieldValue | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat().map(String);

/**
 * Set headers from any form that Node accepts: an object, a flat list of names and values, or a list of pairs. The input is not
 * changed: it may be frozen or shared between responses.
 */
export function setFields(fields: HeaderFields, input: unknown): void {
  const seen = new Set<string>();
  for (const [name, value] of entriesOf(input)) {
    const key = name.toLowerCase();
    fields.set(name, seen.has(key) ? [...valuesOf(fields.get(key)), ...valuesOf(value)] : value);
    seen.add(key);
  }
}

function entriesOf(input: unknown): readonly (readonly [string, FieldValue])[] {
  if (!Array.isArray(input)) return Object.entries(Object(input));
  if (Array.isArray(input[0])) return input;
  return input.flatMap((name, at) => (at % 2 === 0 ? [[name, input[at + 1]] as const] : []));
}
