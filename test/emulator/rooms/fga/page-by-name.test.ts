import { expect, test } from 'vitest';
import { pageByName } from '../../../../src/emulator/rooms/fga/page-by-name.js';
import fc, { runs } from '../../../runner/property.js';

const reports = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => ({ id: `report:${letter}#viewer` }));
const [a, b, c, d, e, f, g] = reports;

/** Returns one page of the reports that a user can see, and the reports it has checked. */
function pageOf(visible: readonly unknown[], list: Partial<Parameters<typeof pageByName>[1]>) {
  const checked: unknown[] = [];
  const { data, listMetadata } = pageByName(
    [g!, e!, c!, a!, f!, d!, b!],
    { limit: 2, order: 'asc', after: undefined, before: undefined, ...list },
    (report) => {
      checked.push(report);
      return visible.includes(report) ? report : undefined;
    },
  );
  return { data, ...listMetadata, checked };
}

test('a page of warrant query results is sorted by name, and has a cursor for each direction with more results', () => {
  const visible = [a, c, d, f, g];

  expect(pageOf(visible, {})).toMatchObject({ data: [a, c], before: null, after: c!.id });
  expect(pageOf(visible, { after: c!.id })).toMatchObject({ data: [d, f], before: d!.id, after: f!.id });
  expect(pageOf(visible, { after: f!.id })).toMatchObject({ data: [g], before: g!.id, after: null });
  expect(pageOf(visible, { before: f!.id })).toMatchObject({ data: [c, d], before: c!.id, after: d!.id });
  expect(pageOf(visible, { before: f!.id, limit: 10 })).toMatchObject({ data: [a, c, d], before: null, after: d!.id });
  expect(pageOf(visible, { order: 'desc' })).toMatchObject({ data: [g, f], before: null, after: f!.id });
  expect(pageOf([], {})).toMatchObject({ data: [], before: null, after: null });
});

test('a warrant query checks only as many candidates as the page of results and the cursors require', () => {
  expect(pageOf([a, b, c, d, e, f, g], { after: c!.id }).checked).toEqual([d, e, c, f]);
  expect(pageOf([a, d], { after: c!.id }).checked).toEqual([d, e, f, g, c, b, a, e, f, g]);
});

test('the pages of a warrant query contain each result exactly once for any order and limit', () => {
  fc.assert(
    fc.property(
      fc.subarray(reports),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('asc', 'desc'),
      (visible, limit, order) => {
        const seen: unknown[] = [];
        for (let after: string | undefined | null; after !== null; ) {
          const page = pageOf(visible, { limit, order, after });
          seen.push(...page.data);
          after = page.after;
        }
        expect(seen).toEqual(order === 'asc' ? visible : visible.toReversed());
      },
    ),
    { numRuns: runs(200) },
  );
});
