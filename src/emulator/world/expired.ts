import type { Collection } from './collection.js';
import type { CollectionItem } from './selection.js';
import type { World } from './world.js';

/** Drop what has run out of a collection whose records all live equally long, so that the oldest run out first. */
export function dropExpired<T extends CollectionItem & { readonly expiresAt: string }>(
  world: World,
  all: Collection<T>,
): void {
  for (let { first } = all; first && world.isPast(first.expiresAt); { first } = all) all.delete(first.id);
}

/** How many records that are spent a collection remembers at least, so that whoever comes late is told why. */
export const fewestSpent = 5_000;

/** The sizes at which collections are looked through next. */
const dueAt = new WeakMap<object, number>();

/**
 * Drop the oldest records that nobody can use any more: those that are spent, but for the newest of them. It is asked before
 * a record is added, and looks through all of them only when there are twice as many as last time.
 */
export function dropSpent<T extends CollectionItem>(
  all: Collection<T>,
  isSpent: (record: T) => boolean,
  drop: (record: T) => void = ({ id }) => all.delete(id),
): void {
  if (all.size < (dueAt.get(all) ?? 2 * fewestSpent)) return;
  for (const record of all.filter(isSpent).slice(0, -fewestSpent)) drop(record);
  dueAt.set(all, 2 * Math.max(fewestSpent, all.size));
}
