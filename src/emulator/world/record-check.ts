import type { Descriptor } from '../../service/describe/define.js';
import { Parser } from './parser.js';

/** What is wrong with a value, by the path to the field: `fault.share must be a number`; undefined for nothing. */
export type Objection<V> = (value: V) => string | undefined;

/** Records stand in stores under the names that the code has for their fields. */
const parser = new Parser({ readNames: (key) => [key] });

/** What is wrong with the first of these values that is not what the description says; undefined for nothing. */
export function objectionToValues<V>(
  values: readonly unknown[],
  description: Descriptor,
  objection?: Objection<V>,
): string | undefined {
  for (const [at, value] of values.entries()) {
    const read = parser.body(description, { value, texts: false });
    const [problem] = 'errors' in read ? read.errors : [];
    // What was described is of the type.
    const why = problem ? `${problem.field || 'it'} ${problem.message}` : objection?.(value as V);
    // Not by its key, which may be a secret.
    if (why) return `is wrong in entry ${at + 1}: ${why}`;
  }
  return undefined;
}
