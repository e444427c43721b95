import type { Descriptor } from '../../service/describe/define.js';
import { Parser } from './parser.js';

/** What is wrong with a value, by the path to the field: `fault.share must be a number`; undefined for nothing. */
export type Objection<V> = (value: V) => string | undefined;

/** Stored records have their fields under the names that the code uses. */
const parser = new Parser({ readNames: (key) => [key] });

/** Says where a stored value differs from its description: `left must be an integer`; undefined if it does not. */
export function objectionToRecord(value: unknown, description: Descriptor): string | undefined {
  const read = parser.body(description, { value, texts: false });
  if ('errors' in read) {
    const [{ field, message } = { field: '', message: 'is wrong' }] = read.errors;
    return `${field || 'it'} ${message}`;
  }
  // A field that may be null is optional in requests. Records always have it.
  for (const [name, { nullable, optional }] of Object.entries(description.model?.shape ?? {}))
    if (nullable && !optional && Object(value)[name] === undefined) return `${name} is required`;
  return undefined;
}
