import { type Codec, isObject } from './codec.js';
import type { Descriptor } from './define.js';
import type { EmulatedDialect } from './emulated-dialect.js';

/** Convert a caller's value to its wire form with only the described fields, so that nothing else can leak. */
export function project(codec: Codec<EmulatedDialect>, field: Descriptor, value: unknown): unknown {
  if (field.kind === 'array' && Array.isArray(value)) {
    const element = field.element!;
    return value.map((item) => project(codec, element, item));
  }
  if (field.kind !== 'model' || !isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const { key, descriptor, writtenNames } of codec.plan(field.model!).fieldPlans) {
    const fieldValue = value[key] === undefined ? absent(codec, descriptor) : value[key];
    if (fieldValue === undefined) continue;
    if (fieldValue === null && !codec.dialect.nullForAbsent && isOmittable(descriptor)) continue;
    const projected = project(
      codec,
      descriptor.kind === 'tagged' ? modelOf(descriptor, value) : descriptor,
      fieldValue,
    );
    for (const name of writtenNames) out[name] = projected;
  }
  return out;
}

const isOmittable = ({ optional, some }: Descriptor): boolean => optional || some || false;

/** Return the value to write for an absent field, or undefined to omit it. */
const absent = ({ dialect }: Codec<EmulatedDialect>, field: Descriptor): unknown => {
  if (field.optional) return undefined;
  if (field.kind === 'constant') return field.constant;
  // If the dialect writes null for an absent value, an absent nullable field is omitted.
  return field.nullable && !dialect.nullForAbsent ? null : undefined;
};

/** Return the description that a sibling selects, or a map, which is passed through unchanged. */
function modelOf(field: Descriptor, siblings: Record<string, unknown>): Descriptor {
  const { by, fields } = field.tag!;
  const name = siblings[by];
  return typeof name === 'string' && Object.hasOwn(fields, name) ? fields[name]! : { kind: 'map' };
}
