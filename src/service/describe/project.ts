import { type Codec, isObject } from './codec.js';
import type { Descriptor } from './define.js';

/** A caller's value as the wire has it, with only the described fields: what the description does not name cannot leak. */
export function project(codec: Codec, field: Descriptor, value: unknown): unknown {
  if (field.kind === 'array' && Array.isArray(value)) {
    const element = field.element!;
    return value.map((item) => project(codec, element, item));
  }
  if (field.kind !== 'model' || !isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const { key, descriptor, written } of codec.plan(field.model!).steps) {
    const own = value[key] === undefined ? absent(codec, descriptor) : value[key];
    if (own === undefined || (own === null && !codec.dialect.nullForAbsent && mayBeLeftOut(descriptor))) continue;
    const projected = project(codec, descriptor.kind === 'tagged' ? modelOf(descriptor, value) : descriptor, own);
    for (const name of written) out[name] = projected;
  }
  return out;
}

const mayBeLeftOut = ({ optional, some }: Descriptor): boolean => optional || some || false;

/** What an absent field is written as, if it is written. */
const absent = ({ dialect }: Codec, field: Descriptor): unknown => {
  if (field.optional) return undefined;
  if (field.kind === 'constant') return field.constant;
  // Where null says that there is nothing, what is absent is what has no null.
  return field.nullable && !dialect.nullForAbsent ? null : undefined;
};

/** What a sibling names; a map where it names none, which is passed through. */
function modelOf(field: Descriptor, siblings: Record<string, unknown>): Descriptor {
  const { by, fields } = field.tag!;
  const name = siblings[by];
  return typeof name === 'string' && Object.hasOwn(fields, name) ? fields[name]! : { kind: 'map' };
}
