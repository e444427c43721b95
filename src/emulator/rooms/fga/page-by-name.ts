import { unprocessableField } from '../../store/refusal.js';
import type { ListQuery, Page } from '../../store/selection.js';

/**
 * Return one page of results, sorted by id. It computes the results of this page only, and looks for a result before and after it.
 * A cursor works even if its result no longer exists.
 */
export function pageByName<C extends { readonly id: string }, T extends { readonly id: string }>(
  candidates: readonly C[],
  { limit, order, after, before }: ListQuery,
  resultOf: (candidate: C) => T | undefined,
): Page<T> {
  for (const [field, cursor] of Object.entries({ after, before }))
    if (cursor !== undefined && !/^[^:#@\s]+:[^:#@\s]+#[^:#@\s]+$/.test(cursor))
      throw unprocessableField(field, 'invalid_cursor', 'must be a cursor from list_metadata');
  const isBefore = (id: string, cursor: string): boolean => (order === 'asc' ? id < cursor : id > cursor);
  const all = candidates.toSorted((one, other) => (isBefore(one.id, other.id) ? -1 : 1));
  const range = all.filter(
    ({ id }) => (after === undefined || isBefore(after, id)) && (before === undefined || isBefore(id, before)),
  );
  const backwards = after === undefined && before !== undefined;
  const data: T[] = [];
  for (const candidate of backwards ? range.toReversed() : range) {
    if (data.length === limit) break;
    const result = resultOf(candidate);
    if (result) data.push(result);
  }
  if (backwards) data.reverse();
  const [first, last] = [data[0]?.id, data.at(-1)?.id];
  const hasResult = (one: C): boolean => resultOf(one) !== undefined;
  return {
    data,
    listMetadata: {
      before: first !== undefined && all.findLast((one) => isBefore(one.id, first) && hasResult(one)) ? first : null,
      after: last !== undefined && all.find((one) => isBefore(last, one.id) && hasResult(one)) ? last : null,
    },
  };
}
