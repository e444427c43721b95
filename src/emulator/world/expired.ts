import type { Collection } from '../store/collection.js';
import type { CollectionItem } from '../store/selection.js';
import type { Memory, Slot } from './memory.js';

/** Delete expired records. All records of the collection must live equally long, so that the oldest expire first. */
export function dropExpired<T extends CollectionItem & { readonly expiresAt: string }>(
  memory: Memory,
  from: Slot<Collection<T>>,
): void {
  const all = memory.of(from);
  for (let { first } = all; first && memory.isPast(first.expiresAt); { first } = all) memory.delete(from, first.id);
}

/** Number of used or expired records to keep, so that late requests get a specific error. */
const minSpent = 5_000;

/** Size of each collection that triggers its next scan. */
const dueAt = new WeakMap<object, number>();

/**
 * Delete all but the newest 5,000 records that are used or expired. Call it before you add a record. It only scans the
 * collection when its size has doubled since the last scan.
 */
export function dropSpent<T extends CollectionItem>(
  memory: Memory,
  from: Slot<Collection<T>>,
  isSpent: (record: T) => boolean,
): void {
  const all = memory.of(from);
  if (all.size < (dueAt.get(all) ?? 2 * minSpent)) return;
  for (const record of all.filter(isSpent).slice(0, -minSpent)) memory.delete(from, record.id);
  dueAt.set(all, 2 * Math.max(minSpent, all.size));
}
