import { isRecord } from '../../http/json.js';
import { expectationOf } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { formats } from './parser.js';

/** Explains what is wrong with a value, starting with the path of the field: `fault.share must be a number`; undefined if valid. */
export type Objection<V> = (value: V) => string | undefined;

/**
 * Explain how a stored value violates its description: `left must be an integer`; undefined if it does not.
 *
 * Faster than a parser, which builds a copy: a state may hold a million records.
 */
export function objectionToRecord(value: unknown, description: Descriptor): string | undefined {
  const objection = objectionTo(value, description);
  if (objection) return objection.startsWith('.') ? objection.slice(1) : `it${objection}`;
  // A top-level nullable field must be present; nested ones may be absent, as in requests.
  for (const [name, { nullable, optional }] of Object.entries(description.model?.shape ?? {}))
    if (nullable && !optional && Object(value)[name] === undefined) return `${name} is required`;
  return undefined;
}

/** Like `objectionToRecord`, but the message starts with a path whose steps each follow a dot. */
function objectionTo(value: unknown, field: Descriptor): string | undefined {
  if (value === undefined) return field.optional || field.nullable ? undefined : ' is required';
  if (value === null && field.nullable) return undefined;
  if (field.kind === 'model' && isRecord(value)) {
    for (const name in field.model!.shape) {
      const objection = objectionTo(value[name], field.model!.shape[name]!);
      if (objection) return `.${name}${objection}`;
    }
    return undefined;
  }
  if (field.kind === 'array' && Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const objection = objectionTo(item, field.element!);
      if (objection) return `.${at}${objection}`;
    }
    return undefined;
  }
  if (!fits(value, field)) return ` must be ${expectationOf(field)}`;
  const format = typeof value === 'string' ? field.format && formats[field.format] : undefined;
  return format && !format.fits(value as string) ? ` ${format.message(value as string)}` : undefined;
}

/** Whether a value has the kind that its description names. */
function fits(value: unknown, { kind, closed, known, constant, values, min, max }: Descriptor): boolean {
  switch (kind) {
    case 'string':
      return typeof value === 'string' && (!closed || known!.includes(value));
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value) && (min === undefined || (Number(value) >= min && Number(value) <= max!));
    case 'constant':
      return value === constant;
    case 'map':
      return isRecord(value) && (!values || Object.values(value).every((item) => values.includes(jsonTypeOf(item))));
    case 'array':
    case 'model':
      return false;
    default:
      return true;
  }
}

const jsonTypeOf = (value: unknown): string => (value === null ? 'null' : typeof value);
