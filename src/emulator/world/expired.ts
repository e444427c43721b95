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
