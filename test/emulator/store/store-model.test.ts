import { expect, test } from 'vitest';
import { Collection, type Filter } from '../../../src/emulator/store/collection.js';
import type { ListQuery, Page } from '../../../src/emulator/store/selection.js';
import { noKeeper } from '../../../src/emulator/store/store.js';
import { createClock } from '../../../src/emulator/world/clock.js';
import { createIds } from '../../../src/emulator/world/ids.js';
import fc from '../../runner/property.js';

// These tests compare a collection with a model: an array of all objects that ever existed, searched linearly.

interface Thing {
  readonly id: string;
  readonly code: string | null;
  readonly owner: string;
  readonly tags: readonly string[];
}

interface Modelled {
  thing: Thing;
  isGone: boolean;
}

const holds = (own: Thing[keyof Thing], value: string): boolean =>
  typeof own === 'object' && own !== null ? own.includes(value) : own === value;

class Model {
  readonly all: Modelled[] = [];

  page({ limit, order, after, before }: ListQuery, filter: Filter<Thing>): Page<Thing> {
    const ordered = order === 'asc' ? [...this.all] : [...this.all].reverse();
    const placeOf = (id: string) => ordered.findLastIndex(({ thing }) => thing.id === id);
    const fits = ({ thing, isGone }: Modelled) =>
      !isGone &&
      Object.entries(filter).every(
        ([field, value]) => value === undefined || holds(thing[field as keyof Thing], value as string),
      );
    const from = after === undefined ? 0 : placeOf(after) + 1;
    const to = before === undefined ? ordered.length : placeOf(before);
    const backwards = after === undefined && before !== undefined;
    const matches = ordered.slice(from, Math.max(from, to)).filter(fits);
    const shown = backwards ? matches.slice(-limit) : matches.slice(0, limit);
    const isCut = matches.length > shown.length;
    const isWindow = after !== undefined && before !== undefined;
    // Objects before the cursor, or after it if the page goes backwards, and the object of the cursor itself.
    const behind = !isWindow && (backwards ? ordered.slice(to) : ordered.slice(0, from)).some(fits);
    return {
      data: shown.map(({ thing }) => thing),
      listMetadata: {
        before: (backwards ? isCut : behind) ? (shown[0]?.thing.id ?? null) : null,
        after: (backwards ? behind : isCut) ? (shown.at(-1)?.thing.id ?? null) : null,
      },
    };
  }
}

const owner = fc.constantFrom('ada', 'grace', 'edsger');
const tags = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'));
const hasCode = fc.boolean();
/** Selects one of the present or former objects. */
const some = fc.nat();

type Step = (things: Collection<Thing>, model: Model) => void;
const living = ({ all }: Model) => all.filter(({ isGone }) => !isGone);
const oneOf = <T>(all: readonly T[], at: number): T | undefined => all[at % all.length];

const insert = fc.record({ owner, tags, hasCode }).map(
  ({ hasCode, ...fields }): Step =>
    (things, model) => {
      const id = `t${model.all.length}`;
      model.all.push({ thing: things.insert({ id, ...fields, code: hasCode ? `code ${id}` : null }), isGone: false });
      expect(model.all.at(-1)!.thing).toEqual({ id, ...fields, code: hasCode ? `code ${id}` : null });
    },
);
const update = fc.record({ some, owner, tags, hasCode }).map(
  ({ some, hasCode, ...fields }): Step =>
    (things, model) => {
      const target = oneOf(living(model), some);
      if (!target) return;
      const { id } = target.thing;
      target.thing = { id, ...fields, code: hasCode ? `other code ${id}` : null };
      things.update(id, { ...fields, code: target.thing.code });
    },
);
const remove = some.map(
  (some): Step =>
    (things, model) => {
      const target = oneOf(living(model), some);
      if (!target) return;
      target.isGone = true;
      things.remove(target.thing.id);
    },
);
const insertMany = fc.record({ count: fc.integer({ min: 300, max: 1500 }), owner }).map(
  ({ count, owner }): Step =>
    (things, model) => {
      for (let made = 0; made < count; made++) {
        const thing = { id: `t${model.all.length}`, code: null, owner, tags: made % 2 ? ['x'] : [] };
        model.all.push({ thing, isGone: false });
        things.insert(thing);
      }
    },
);
const removeMany = fc.record({ every: fc.integer({ min: 1, max: 3 }), from: some }).map(
  ({ every, from }): Step =>
    (things, model) => {
      const targets = living(model)
        .slice(from % (model.all.length + 1))
        .slice(0, 900);
      for (const [at, target] of targets.entries())
        if (at % every === 0) {
          target.isGone = true;
          things.remove(target.thing.id);
        }
    },
);
const cursor = fc.option(some, { nil: undefined });
const list = fc
  .record({
    limit: fc.integer({ min: 1, max: 100 }),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    after: cursor,
    before: cursor,
    owner: fc.option(owner, { nil: undefined }),
    tag: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
  })
  .map(
    ({ limit, order, after, before, owner, tag }): Step =>
      (things, model) => {
        const named = (at: number | undefined) => (at === undefined ? undefined : oneOf(model.all, at)?.thing.id);
        const query = { limit, order, after: named(after), before: named(before) };
        const filter = { owner, tags: tag };
        expect(things.page(query, filter)).toEqual(model.page(query, filter));
        expect(things.size).toBe(living(model).length);
      },
  );
const lookUp = fc.record({ some, owner }).map(
  ({ some, owner }): Step =>
    (things, model) => {
      expect(things.where('owner', owner).values()).toEqual(
        living(model)
          .filter(({ thing }) => thing.owner === owner)
          .map(({ thing }) => thing),
      );
      const target = oneOf(model.all, some);
      if (!target) return;
      expect(things.find(target.thing.id)).toEqual(target.isGone ? undefined : target.thing);
      if (target.thing.code !== null)
        expect(things.by('code', target.thing.code)).toEqual(target.isGone ? undefined : target.thing);
    },
);

test('a collection lists the same objects as a plain array for any changes, filters and cursors', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(insert, insert, update, remove, insertMany, removeMany, list, list, lookUp), {
        minLength: 1,
        maxLength: 60,
      }),
      (steps) => {
        const things = new Collection<Thing>(
          { object: 'thing', prefix: 'thing', unique: ['code'], index: ['owner', 'tags'] },
          createIds(createClock('2026-01-01T00:00:00.000Z'), 1),
          noKeeper,
        );
        const model = new Model();
        for (const step of steps) step(things, model);
      },
    ),
    { numRuns: 60 },
  );
});

test('a cursor can name a deleted object until ten thousand more objects are deleted', () => {
  const things = new Collection<Thing>(
    { object: 'thing', prefix: 'thing' },
    createIds(createClock('2026-01-01T00:00:00.000Z'), 1),
    noKeeper,
  );
  for (let at = 0; at <= 10_001; at++) things.insert({ id: `t${at}`, code: null, owner: 'ada', tags: [] });
  for (let at = 0; at < 10_000; at++) things.remove(`t${at}`);

  expect(things.page({ limit: 1, order: 'asc', after: 't0' }).data).toMatchObject([{ id: 't10000' }]);
  things.remove('t10000');
  expect(() => things.page({ limit: 1, order: 'asc', after: 't0' })).toThrow(
    expect.objectContaining({ code: 'invalid_cursor' }),
  );
  expect(things.page({ limit: 1, order: 'asc', after: 't1' }).data).toMatchObject([{ id: 't10001' }]);
});
