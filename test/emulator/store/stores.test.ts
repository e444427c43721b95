import { describe, expect, test } from 'vitest';
import type { Change, SavedWorld } from '../../../src/emulator/store/store.js';
import { createClock } from '../../../src/emulator/world/clock.js';
import { setAsSaved } from '../../../src/emulator/world/clock-store.js';
import { createIds } from '../../../src/emulator/world/ids.js';
import { collection, type Memory, slot, table, value } from '../../../src/emulator/world/memory.js';
import {
  maybe,
  nullable,
  number,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../src/service/describe/define.js';
import fc from '../../runner/property.js';
import { emptyWorld } from '../world/empty-world.js';
import { savedAfter } from './saved-after.js';

interface Thing {
  readonly id: string;
  readonly code: string | null;
  readonly owner?: string | undefined;
}

const things = collection<Thing>({
  object: 'thing',
  prefix: 'thing',
  unique: ['code'],
  index: ['owner'],
  record: ref<Thing>(part({ id: string, code: nullable(string), owner: optional(string) })),
});
interface Part {
  readonly id: string;
  readonly whole: string | null;
}
const recordOfPart = ref<Part>(part({ id: string, whole: nullable(string) }));
const wheels = collection<Part>({
  object: 'wheel',
  prefix: 'wheel',
  belongsTo: { whole: 'thing' },
  record: recordOfPart,
});
const spokes = collection<Part>({
  object: 'spoke',
  prefix: 'spoke',
  belongsTo: { whole: 'wheel' },
  record: recordOfPart,
});
const bells = collection<Part>({ object: 'bell', prefix: 'bell', belongsTo: { whole: 'thing' }, record: recordOfPart });
const notes = table<string>('note', string);
const colour = value<string>('colour', 'green', string);

const start = '2026-01-01T00:00:00.000Z';
const worldOf = (saved?: SavedWorld): Memory => emptyWorld(start, saved);
const throughJson = <T>(data: T): T => JSON.parse(JSON.stringify(data));
const recordChanges = (memory: Memory): Change[] => {
  const changes: Change[] = [];
  memory.onChange((change) => changes.push(change));
  return changes;
};

describe('a listener for changes to a world', () => {
  test('is called after an object is created, updated or deleted', () => {
    const memory = worldOf();
    const seen: unknown[] = [];
    memory.onChange(({ store, key, value }) => seen.push([store, key, value, memory.of(things).find(key)]));

    const made = memory.of(things).insert({ id: 'a', code: 'x' });
    const updated = memory.of(things).update('a', { code: 'y' });
    memory.delete(things, 'a');

    expect(seen).toEqual([
      ['thing', 'a', made, made],
      ['thing', 'a', updated, updated],
      ['thing', 'a', null, undefined],
    ]);
  });

  test('receives a removal and a creation if a deleted object is created again', () => {
    const memory = worldOf();
    for (const id of ['a', 'b']) memory.of(things).insert({ id, code: null });
    memory.delete(things, 'a');
    const before = memory.save();
    const changes = recordChanges(memory);

    memory.of(things).insert({ id: 'a', code: null });

    expect(changes).toEqual([
      { store: 'thing', key: 'a', value: undefined },
      { store: 'thing', key: 'a', value: { id: 'a', code: null } },
    ]);
    expect(savedAfter(before, changes).thing?.map(([key]) => key)).toEqual(['b', 'a']);
  });

  test('receives changes to tables and single values', () => {
    const memory = worldOf();
    const changes = recordChanges(memory);

    memory.of(notes).set('a', 'one');
    memory.of(notes).set('a', 'two');
    memory.of(notes).delete('a');
    memory.of(notes).delete('a');
    memory.of(colour).set('red');

    expect(changes).toEqual([
      { store: 'note', key: 'a', value: 'one' },
      { store: 'note', key: 'a', value: 'two' },
      { store: 'note', key: 'a', value: undefined },
      { store: 'colour', key: '', value: 'red' },
    ]);
  });

  test('receives no changes after the listener is removed', () => {
    const memory = worldOf();
    const changes: Change[] = [];
    const stop = memory.onChange((change) => changes.push(change));

    stop();
    memory.of(colour).set('red');

    expect(changes).toEqual([]);
  });

  test('receives the removal of the oldest deleted object after 10,000 later deletions', () => {
    const memory = worldOf();
    for (let at = 0; at <= 10_000; at++) memory.of(things).insert({ id: `t${at}`, code: null });
    for (let at = 0; at < 10_000; at++) memory.delete(things, `t${at}`);
    const changes = recordChanges(memory);

    memory.delete(things, 't10000');

    expect(changes).toEqual([
      { store: 'thing', key: 't10000', value: null },
      { store: 'thing', key: 't0', value: undefined },
    ]);
  });
});

describe('a saved world', () => {
  test('contains the state of a seeded or unseeded id generator', async () => {
    const memory = worldOf();
    const made = [memory.ids('org'), memory.ids.token(5), memory.ids('org')];
    const again = worldOf(throughJson(memory.save()));

    expect([again.ids('org'), again.ids.token(8), again.ids.digits(6)]).toEqual([
      memory.ids('org'),
      memory.ids.token(8),
      memory.ids.digits(6),
    ]);
    expect(again.ids('org') > made[2]!).toBe(true);

    const clock = createClock(start);
    const first = createIds(clock);
    const last = first('org');
    const next = createIds(clock, undefined, { saved: throughJson(first.save()), notify: () => undefined });
    expect(next('org') > last).toBe(true);
    // The end of an unseeded id is a counter, which may carry.
    expect(next('org').slice(0, 20)).toBe(last.slice(0, 20));
  });

  test('is updated once for several ids that are generated in the same tick', async () => {
    const memory = worldOf();
    const changes = recordChanges(memory);

    memory.ids('org');
    memory.ids('user');
    await undefined;

    expect(changes).toEqual([{ store: 'ids', key: '', value: memory.save().ids?.[0]?.[1] }]);
  });

  test('is restored with added API keys, but without keys from the previous options', () => {
    const memory = worldOf();
    memory.keys.add({ value: 'sk_more', name: 'more', deny: ['DELETE *'] });
    const actor = (one: Memory, value: string) => one.keys.actorOf({ value })?.id;
    const saved: SavedWorld = throughJson({
      ...memory.save(),
      'API key': [
        ...memory.save()['API key']!,
        ['sk_old', { value: 'sk_old', actorId: 'api_key_old', isOption: true }],
      ],
    });

    const again = worldOf(saved);

    expect(again.keys.all.map(({ value }) => value)).toEqual(['sk_test_sallyport_emulator', 'sk_more']);
    for (const value of ['sk_test_sallyport_emulator', 'sk_more'])
      expect(actor(again, value)).toBe(actor(memory, value));
    expect(() => again.keys.check('Bearer sk_more', 'DELETE', '/users')).toThrow(/may not DELETE/);
    again.keys.add({ value: 'sk_third' });
    expect(new Set(again.keys.all.map(({ value }) => actor(again, value))).size).toBe(3);
  });

  test('contains all messages, and records which messages were already returned', async () => {
    const memory = worldOf();
    const mail = (code: string) =>
      memory.mail({ kind: 'magic_auth', to: 'ada@example.com', subject: '', text: '', code });
    for (const code of ['1', '2']) mail(code);
    await memory.inbox.waitFor();

    const { inbox } = worldOf(throughJson(memory.save()));

    expect(inbox.messages).toEqual(memory.inbox.messages);
    expect((await inbox.waitFor()).code).toBe('2');
  });

  test('contains the clock time, or the offset of the clock from real time', async () => {
    const memory = worldOf();
    const changes = recordChanges(memory);
    await memory.clock.advance('1d');
    expect(changes.at(-1)).toEqual({ store: 'clock', key: '', value: { standsAt: '2026-01-02T00:00:00.000Z' } });

    const other = createClock('2020-01-01T00:00:00.000Z', () => 1_000_000);
    setAsSaved(other, throughJson(memory.save().clock));
    expect(other.iso()).toBe('2026-01-02T00:00:00.000Z');

    const following = createClock(undefined, () => 1_000_000);
    await following.advance('1h');
    expect(following.save()).toEqual({ aheadMs: 3_600_000 });
    other.restore(following.save());
    expect(other.now()).toBe(4_600_000);
    other.reset();
    expect(other.iso()).toBe('2020-01-01T00:00:00.000Z');
  });
});

describe('a saved world', () => {
  test('omits empty stores', () => {
    const memory = worldOf();
    memory.of(things).values();
    memory.of(notes).set('a', 'one');
    memory.of(notes).clear();

    expect(Object.keys(memory.save()).sort()).toEqual(['API key', 'clock']);
  });

  test('contains all records in order, and shares the record objects with the running world', () => {
    const memory = worldOf();
    const a = memory.of(things).insert({ id: 'a', code: 'x' });
    memory.of(things).insert({ id: 'b', code: null });
    memory.of(things).insert({ id: 'c', code: null });
    memory.delete(things, 'b');
    memory.of(notes).set('n', 'one');
    memory.of(colour).set('red');

    const saved = memory.save();

    expect(saved).toMatchObject({
      thing: [
        ['a', { id: 'a', code: 'x' }],
        ['b', null],
        ['c', { id: 'c', code: null }],
      ],
      note: [['n', 'one']],
      colour: [['', 'red']],
    });
    expect(saved.thing?.[0]?.[1]).toBe(a);
  });

  test('can be loaded into two worlds that do not share later changes', () => {
    const first = worldOf();
    first.of(things).insert({ id: 'a', code: 'x', owner: 'ada' });
    first.of(notes).set('n', 'one');
    first.of(colour).set('red');

    const second = worldOf(throughJson(first.save()));
    const third = worldOf(first.save());
    third.of(things).update('a', { code: 'z' });

    expect(second.of(things).by('code', 'x')).toEqual({ id: 'a', code: 'x', owner: 'ada' });
    expect(second.of(things).where('owner', 'ada').size).toBe(1);
    expect([second.of(notes).get('n'), second.of(colour).get()]).toEqual(['one', 'red']);
    expect(first.of(things).get('a').code).toBe('x');
    expect(() => Object.assign(second.of(things).get('a'), { code: 'y' })).toThrow(TypeError);
    expect(() => second.of(things).insert({ code: 'x' })).toThrow(/share the same code/);
  });

  test('is parsed store by store, at the first use of each store', () => {
    const saved = throughJson<SavedWorld>({ thing: [['a', { id: 'a', code: null }]], note: [['n', 'one']] });
    const memory = worldOf(saved);

    memory.onDelete(things, () => undefined);
    memory.of(notes);

    expect(memory.save().thing).toBe(saved.thing);
    expect(memory.save().note).toBe(saved.note);
    expect(memory.of(things).size).toBe(1);
    expect(memory.save().thing).not.toBe(saved.thing);
  });
});

test('cursors to deleted objects stay valid after a saved world is restored', () => {
  const memory = worldOf();
  for (const id of ['a', 'b', 'c']) memory.of(things).insert({ id, code: null });
  memory.delete(things, 'b');

  const again = worldOf(throughJson(memory.save())).of(things);

  expect(again.page({ limit: 5, order: 'asc', after: 'b' }).data).toEqual([{ id: 'c', code: null }]);
  expect(() => again.page({ limit: 5, order: 'asc', after: 'd' })).toThrow(/ever had the id "d"/);
});

describe('the timestamps of a record', () => {
  interface Dated {
    readonly id: string;
    readonly size: number;
    readonly createdAt: string;
    readonly updatedAt: string;
  }
  const dated = collection<Dated>({
    object: 'dated',
    prefix: 'dated',
    record: ref<Dated>(part({ id: string, size: number, createdAt: timestamp, updatedAt: timestamp })),
  });
  const made = collection<Omit<Dated, 'updatedAt'>>({
    object: 'made',
    prefix: 'made',
    record: ref<Omit<Dated, 'updatedAt'>>(part({ id: string, size: number, createdAt: timestamp })),
  });
  type Undated = Pick<Dated, 'id' | 'size'> & {
    readonly createdAt?: string | null;
    readonly updatedAt?: string | null;
  };
  const undated = collection<Undated>({
    object: 'undated',
    prefix: 'undated',
    record: ref<Undated>(part({ id: string, size: number, createdAt: maybe(timestamp), updatedAt: maybe(timestamp) })),
  });
  const later = '2026-01-01T00:01:00.000Z';

  test('are set when the record is created and updated', async () => {
    const memory = worldOf();
    const before = memory.of(dated).insert({ id: 'a', size: 1 });
    memory.of(made).insert({ id: 'b', size: 1 });
    await memory.clock.advance(60_000);

    expect(before).toEqual({ id: 'a', size: 1, createdAt: start, updatedAt: start });
    expect(memory.of(dated).update('a', { size: 2 })).toEqual({ id: 'a', size: 2, createdAt: start, updatedAt: later });
    expect(memory.of(made).update('b', { size: 2 })).toEqual({ id: 'b', size: 2, createdAt: start });
  });

  test('can be set by the caller', () => {
    const memory = worldOf();
    memory.of(dated).insert({ id: 'a', size: 1, createdAt: later });

    expect(memory.of(dated).get('a')).toEqual({ id: 'a', size: 1, createdAt: later, updatedAt: later });
    expect(memory.of(dated).update('a', { size: 2, updatedAt: later }).updatedAt).toBe(later);
  });

  test('are not set automatically in optional fields or during a restore', () => {
    const memory = worldOf();
    memory.of(undated).insert({ id: 'a', size: 1 });
    memory.of(dated).insert({ id: 'a', size: 1, createdAt: later, updatedAt: later });

    expect(memory.of(undated).update('a', { size: 2 })).toEqual({ id: 'a', size: 2 });
    expect(worldOf(throughJson(memory.save())).of(dated).get('a').updatedAt).toBe(later);
  });
});

describe('the deletion of objects', () => {
  test("runs the delete hooks with the actor's view of the world, before an object is removed", () => {
    const memory = worldOf();
    for (const id of ['a', 'b']) memory.of(things).insert({ id, code: null });
    const seen: unknown[] = [];
    memory.onDelete(things, ({ id }, view) => seen.push([view.of(things).find(id)?.id, view]));
    const view = memory.as({ id: 'key_1', source: 'api', name: null });

    view.delete(things, 'a');

    expect(seen).toEqual([['a', view]]);
    expect(memory.of(things).values()).toEqual([{ id: 'b', code: null }]);
    expect(() => memory.delete(things, 'a')).toThrow('No thing has the id "a".');
  });

  test('by an indexed value runs the delete hooks for each deleted object', () => {
    const memory = worldOf();
    const owners = { a: 'ada', b: 'grace', c: 'ada' };
    for (const [id, owner] of Object.entries(owners)) memory.of(things).insert({ id, code: null, owner });
    const seen: unknown[] = [];
    memory.onDelete(things, ({ id }) => seen.push(id));

    memory.deleteWhere(things, 'owner', 'ada');
    memory.deleteWhere(things, 'owner', 'nobody');

    expect(seen).toEqual(['a', 'c']);
    expect(
      memory
        .of(things)
        .values()
        .map(({ id }) => id),
    ).toEqual(['b']);
  });

  test("runs an object's hooks, and then deletes the object's parts in reverse order", () => {
    const memory = worldOf();
    for (const id of ['a', 'b']) memory.of(things).insert({ id, code: null });
    for (const [id, whole] of Object.entries({ w1: 'a', w2: 'a', w3: 'b', w4: null }))
      memory.of(wheels).insert({ id, whole });
    for (const [id, whole] of Object.entries({ s1: 'w1', s2: 'w3' })) memory.of(spokes).insert({ id, whole });
    memory.of(bells).insert({ id: 'b1', whole: 'a' });
    const changes = recordChanges(memory);
    const sizes: number[] = [];
    const deleters: unknown[] = [];
    memory.onDelete(things, (_, view) => sizes.push(view.of(wheels).size));
    memory.onDelete(wheels, (_, view) => deleters.push(view));
    const view = memory.as({ id: 'key_1', source: 'api', name: null });

    view.delete(things, 'a');

    expect(changes.map(({ store, key, value }) => [store, key, value])).toEqual([
      ['bell', 'b1', null],
      ['wheel', 'w2', null],
      ['spoke', 's1', null],
      ['wheel', 'w1', null],
      ['thing', 'a', null],
    ]);
    expect([sizes, deleters]).toEqual([[4], [view, view]]);
    expect(memory.of(wheels).where('whole', 'b').size).toBe(1);
  });

  test('allows hooks to delete further objects', () => {
    const memory = worldOf();
    for (const id of ['a', 'b']) memory.of(things).insert({ id, code: null });
    memory.onDelete(things, ({ id }, view) => {
      if (id === 'a') view.delete(things, 'b');
    });

    memory.delete(things, 'a');

    expect(memory.of(things).size).toBe(0);
  });
});

test('two slots in a world cannot have the same name', () => {
  expect(() => table('thing', string)).toThrow('Two slots have the name thing.');
  expect(() => collection({ object: 'event', prefix: 'e', record: ref(part({ id: string })) })).toThrow(
    'Two slots have the name event.',
  );
  expect(() => slot('note', 'it is asked for in a test', () => 1)).toThrow('Two slots have the name note.');
});

type Step = (memory: Memory) => void;
const at = fc.nat({ max: 40 });
const nth = <T>(all: readonly T[], index: number): T | undefined => all[index % all.length];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ at, owner: fc.constantFrom('ada', 'grace', undefined) }).map(({ at, owner }) => (memory: Memory) => {
    if (!memory.of(things).find(`t${at}`)) memory.of(things).insert({ id: `t${at}`, code: `c${at}`, owner });
  }),
  fc.record({ at, owner: fc.constantFrom('ada', 'grace', undefined) }).map(({ at, owner }) => (memory: Memory) => {
    const one = nth(memory.of(things).values(), at);
    if (one) memory.of(things).update(one.id, { owner });
  }),
  at.map((at) => (memory: Memory) => {
    const one = nth(memory.of(things).values(), at);
    if (one) memory.delete(things, one.id);
  }),
  fc.record({ at, text: fc.string() }).map(
    ({ at, text }) =>
      (memory: Memory) =>
        memory.of(notes).set(`n${at}`, text),
  ),
  at.map((at) => (memory: Memory) => memory.of(notes).delete(nth(memory.of(notes).keys(), at) ?? '')),
  fc.string().map((text) => (memory: Memory) => memory.of(colour).set(text)),
);

test('applying the recorded changes to a saved world produces the next saved world', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(step, { maxLength: 60 }), (earlier, later) => {
      const memory = worldOf();
      for (const act of earlier) act(memory);
      const before = throughJson(memory.save());
      const changes = recordChanges(memory);
      for (const act of later) act(memory);

      const after = throughJson(memory.save());
      expect(throughJson(savedAfter(before, changes.map(throughJson)))).toEqual(after);

      const again = worldOf(after);
      for (const act of later) {
        act(memory);
        act(again);
      }
      expect(throughJson(again.save())).toEqual(throughJson(memory.save()));
      for (const owner of ['ada', 'grace'])
        expect(again.of(things).where('owner', owner).values()).toEqual(
          throughJson(memory.of(things).where('owner', owner).values()),
        );
      for (const [id] of after.thing ?? [])
        expect(again.of(things).page({ limit: 3, order: 'desc', after: id })).toEqual(
          throughJson(memory.of(things).page({ limit: 3, order: 'desc', after: id })),
        );
    }),
  );
});
