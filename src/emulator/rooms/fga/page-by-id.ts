import { unprocessableField } from '../../world/refusal.js';
import type { ListQuery, Page } from '../../world/selection.js';

/**
 * One page of things that are sorted by their id, ascending. Cursors are ids, and work whether or not what they name is
 * still among them: things that are worked out anew for each page come and go between pages.
 */
export function pageByName<T extends { readonly id: string }>(
  sorted: readonly T[],
  { limit, order, after, before }: ListQuery,
): Page<T> {
  for (const [field, cursor] of Object.entries({ after, before }))
    if (cursor !== undefined && !/^[^:#@\s]+:[^:#@\s]+#[^:#@\s]+$/.test(cursor))
      throw unprocessableField(field, 'invalid_cursor', 'must be a cursor from list_metadata');
  const all = order === 'asc' ? sorted : sorted.toReversed();
  const isBehind = (id: string, cursor: string): boolean => (order === 'asc' ? id > cursor : id < cursor);
  const isAhead = (id: string, cursor: string): boolean => (order === 'asc' ? id < cursor : id > cursor);
  const from = all.filter(
    ({ id }) => (after === undefined || isBehind(id, after)) && (before === undefined || isAhead(id, before)),
  );
  const backwards = after === undefined && before !== undefined;
  const data = backwards ? from.slice(-limit) : from.slice(0, limit);
  const [first, last] = [data[0]?.id, data.at(-1)?.id];
  return {
    data,
    listMetadata: {
      before: first !== undefined && all[0]!.id !== first ? first : null,
      after: last !== undefined && all.at(-1)!.id !== last ? last : null,
    },
  };
}
