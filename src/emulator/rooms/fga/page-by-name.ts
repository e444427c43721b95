import { unprocessableField } from '../../store/refusal.js';
import type { ListQuery, Page } from '../../store/selection.js';

/**
 * Return one page of items sorted by id, ascending. A cursor works even if its item no longer exists, because the items are
 * computed again for each page.
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
