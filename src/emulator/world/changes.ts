import type { AnyModel } from '../../service/describe/define.js';
import type { World } from './world.js';

/** The changes that are given and change something; undefined when nothing is left. */
export function realChanges<T extends object, C extends { readonly [K in keyof C]?: unknown }>(
  before: T,
  changes: C,
): { [K in keyof C]?: Exclude<C[K], undefined> } | undefined {
  const real = Object.entries(changes).filter(
    ([key, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(before[key as keyof T]),
  );
  // Entries carry no types of their own; none is undefined any more.
  return real.length === 0 ? undefined : (Object.fromEntries(real) as { [K in keyof C]?: Exclude<C[K], undefined> });
}

/** What the changed fields held before, by their wire names, as events carry it. */
export function previousAttributes(
  world: World,
  model: AnyModel,
  before: object,
  changes: object,
): Record<string, unknown> {
  const previous = Object.fromEntries(Object.entries(before).filter(([key]) => key in changes && key in model.shape));
  // A model is written as an object.
  return world.codec.encode({ kind: 'model', model }, previous) as Record<string, unknown>;
}
