import { describe, expect, test } from 'vitest';
import { Collection } from '../../../src/emulator/store/collection.js';
import type { ListQuery } from '../../../src/emulator/store/selection.js';
import { noKeeper } from '../../../src/emulator/store/store.js';
import { createClock } from '../../../src/emulator/world/clock.js';
import { createIds } from '../../../src/emulator/world/ids.js';
import fc from '../../runner/property.js';

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly code: string | null;
  readonly owner: string;
  readonly tags: readonly string[];
}

const clock = createClock('2026-01-01T00:00:00.000Z');
const collection = () =>
  new Collection<Thing>(
    { object: 'thing', prefix: 'thing', unique: ['code'], index: ['owner', 'tags'] },
    createIds(clock, 1),
    noKeeper,
  );
const thing = (id: string, more: Partial<Thing> = {}) => ({ id, name: id, code: null, owner: 'o', tags: [], ...more });
const filled = (...ids: string[]) => {
  const things = collection();
  for (const id of ids) things.insert(thing(id));
  return things;
};
const list = (more: Partial<ListQuery> = {}): ListQuery => ({ limit: 2, order: 'desc', ...more });
const ids = (page: { readonly data: readonly Thing[] }) => page.data.map(({ id }) => id);

describe('a collection', () => {
  test("gives a new object an id with the collection's prefix, and finds the object by the id", () => {
    const things = collection();

    const { id } = things.insert({ name: 'a', code: null, owner: 'o', tags: [] });

    expect(id).toMatch(/^thing_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(things.get(id).name).toBe('a');
  });

  test('throws an error that names the object type and the id if the id is unknown', () => {
    expect(() => filled('a').get('b')).toThrow(
      expect.objectContaining({
        status: 404,
        code: 'entity_not_found',
        message: 'No thing has the id "b".',
      }),
    );
  });

  test('replaces an object on update, and does not change the old object', () => {
    const things = filled('a');
    const before = things.get('a');

    const after = things.update('a', { name: 'new' });

    expect(after).toEqual({ id: 'a', name: 'new', code: null, owner: 'o', tags: [] });
    expect(before.name).toBe('a');
    expect(() => Object.assign(after, { name: 'broken' })).toThrow(TypeError);
  });

  test('finds objects by unique fields, even after updates and deletions', () => {
    const things = filled('a', 'b');
    things.update('a', { code: 'x' });

    expect(things.by('code', 'x')?.id).toBe('a');
    things.update('a', { code: 'y' });
    expect(things.by('code', 'x')).toBeUndefined();
    things.remove('a');
    expect(things.by('code', 'y')).toBeUndefined();
  });

  test('rejects a duplicate unique value, but allows null for any number of objects', () => {
    const things = filled('a', 'b');
    things.update('a', { code: 'x' });

    expect(() => things.update('b', { code: 'x' })).toThrow(/share the same code/);
    expect(() => things.insert(thing('a'))).toThrow(/is already a thing/);
    expect(things.get('b').code).toBeNull();
  });

  test('finds objects by indexed fields, and by each item of an indexed array', () => {
    const things = filled('a', 'b');
    things.insert(thing('c', { owner: 'p', tags: ['x', 'y'] }));

    expect(
      things
        .where('owner', 'o')
        .values()
        .map(({ id }) => id),
    ).toEqual(['a', 'b']);
    expect(things.where('tags', 'y').find(() => true)?.id).toBe('c');
    things.update('c', { owner: 'o', tags: ['x'] });
    expect(things.where('owner', 'o').size).toBe(3);
    expect(things.where('tags', 'y').size).toBe(0);
  });

  test('throws if the requested index is not declared', () => {
    expect(() => filled('a').where('name', 'a')).toThrow('thing.name is not declared as an index.');
    expect(() => filled('a').by('name', 'a')).toThrow('thing.name is not declared as unique.');
  });
});

describe('the pages of a collection', () => {
  const things = filled('a', 'b', 'c', 'd', 'e');

  test('list objects from newest to oldest, and the last page has a null cursor', () => {
    const first = things.page(list());
    const second = things.page(list({ after: 'd' }));
    const third = things.page(list({ after: 'b' }));

    expect([ids(first), ids(second), ids(third)]).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(first.listMetadata).toEqual({ before: null, after: 'd' });
    expect(second.listMetadata).toEqual({ before: 'c', after: 'b' });
    expect(third.listMetadata).toEqual({ before: 'a', after: null });
  });

  test('have no cursor to an empty page', () => {
    const page = filled('a', 'b').page(list());

    expect(ids(page)).toEqual(['b', 'a']);
    expect(page.listMetadata).toEqual({ before: null, after: null });
  });

  test('with `before` contain the items directly before the cursor', () => {
    expect(ids(things.page(list({ before: 'a' })))).toEqual(['c', 'b']);
    expect(things.page(list({ before: 'a' })).listMetadata).toEqual({ before: 'c', after: 'b' });
    expect(ids(things.page(list({ before: 'd' })))).toEqual(['e']);
    expect(things.page(list({ before: 'd' })).listMetadata).toEqual({ before: null, after: 'e' });
    expect(ids(things.page(list({ before: 'e', order: 'asc' })))).toEqual(['c', 'd']);
    expect(ids(things.page(list({ before: 'e' })))).toEqual([]);
  });

  test('with `after` and `before` contain the first items between the two cursors', () => {
    const page = things.page(list({ after: 'e', before: 'a' }));

    expect(ids(page)).toEqual(['d', 'c']);
    expect(page.listMetadata).toEqual({ before: null, after: 'c' });
    expect(ids(things.page(list({ after: 'c', before: 'a' })))).toEqual(['b']);
    expect(things.page(list({ after: 'c', before: 'a' })).listMetadata.after).toBeNull();
    expect(ids(things.page(list({ after: 'a', before: 'e' })))).toEqual([]);
  });

  test('continue after a cursor whose object was deleted', () => {
    const own = filled('a', 'b', 'c', 'd');
    own.remove('c');

    expect(ids(own.page(list({ after: 'c' })))).toEqual(['b', 'a']);
    expect(ids(own.page(list({ before: 'c' })))).toEqual(['d']);
  });

  test('do not repeat an object, and omit an object inserted between two pages', () => {
    const own = filled('a', 'b', 'c', 'd');
    const first = own.page(list());
    own.insert(thing('e'));
    const second = own.page(list({ after: first.listMetadata.after ?? undefined }));

    expect([ids(first), ids(second)]).toEqual([
      ['d', 'c'],
      ['b', 'a'],
    ]);
  });

  test('contain only objects that match the filter, and end with the last match', () => {
    const own = collection();
    for (const id of ['a', 'b', 'c', 'd', 'e']) own.insert(thing(id, { owner: id < 'd' ? 'p' : 'o' }));

    const page = own.page(list(), {}, ({ owner }) => owner === 'p');

    expect(ids(page)).toEqual(['c', 'b']);
    expect(page.listMetadata).toEqual({ before: null, after: 'b' });
    expect(own.page(list({ after: 'b' }), {}, ({ owner }) => owner === 'p').listMetadata.after).toBeNull();
    expect(ids(own.where('owner', 'p').page(list({ after: 'e' })))).toEqual(['c', 'b']);
  });

  test.each(['after', 'before'] as const)('cannot be requested with an unknown id in `%s`', (name) => {
    expect(() => things.page(list({ [name]: 'z' }))).toThrow(
      expect.objectContaining({
        status: 422,
        code: 'invalid_cursor',
        fields: { errors: [expect.objectContaining({ field: name, code: 'invalid_cursor' })] },
      }),
    );
  });

  test('are as few as the limit allows, and contain every object exactly once in both directions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.constantFrom('after' as const, 'before' as const),
        (count, limit, order, way) => {
          const names = Array.from({ length: count }, (_, at) => `t${at}`);
          const own = filled(...names);
          const seen: string[] = [];
          let pages = 0;
          // A backwards walk starts before the last item.
          const last = way === 'before' ? (order === 'asc' ? names.at(-1) : names[0]) : undefined;
          if (last !== undefined) seen.push(last);
          let cursor = last;
          for (;;) {
            const page = own.page({ limit, order, ...(cursor === undefined ? {} : { [way]: cursor }) });
            pages++;
            if (way === 'after') seen.push(...ids(page));
            else seen.unshift(...ids(page));
            const next = way === 'after' ? page.listMetadata.after : page.listMetadata.before;
            if (next === null) break;
            cursor = next;
          }

          expect(seen).toEqual(order === 'asc' ? names : [...names].reverse());
          expect(pages).toBe(Math.max(1, Math.ceil((way === 'after' ? count : count - 1) / limit)));
        },
      ),
    );
  });
});
