import type { AnyModel } from '../../service/describe/define.js';
import type { Memory } from './memory.js';

/** Drop undefined and unchanged fields. Returns undefined if nothing changes. */
export function realChanges<T extends object, C extends { readonly [K in keyof C]?: unknown }>(
  before: T,
  changes: C,
): { [K in keyof C]?: Exclude<C[K], undefined> } | undefined {
  const real = Object.entries(changes).filter(
    ([key, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(before[key as keyof T]),
  );
  // Object.entries loses the types; undefined values are filtered out above.
  return real.length === 0 ? undefined : (Object.fromEntries(real) as { [K in keyof C]?: Exclude<C[K], undefined> });
}

/** Return the previous values of the changed fields by wire name, for an event's `previous_attributes`. */
export function previousAttributes(
  memory: Memory,
  model: AnyModel,
  before: object,
  changes: object,
): Record<string, unknown> {
  const previous = Object.fromEntries(Object.entries(before).filter(([key]) => key in changes && key in model.shape));
  // Encoding a model returns an object.
  return memory.codec.encode({ kind: 'model', model }, previous) as Record<string, unknown>;
}
