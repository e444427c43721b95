import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Change, SavedWorld } from '../../../src/emulator/store/store.js';
import fc from '../../runner/property.js';
import { change, followedWorld, openFile, stateFolder, worldAfter, worldIn, worldWith, write } from './folder.js';

const newFile = stateFolder();

const anyChange: fc.Arbitrary<Change> = fc.record({
  store: fc.constantFrom('user', 'session', 'password'),
  key: fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
  // JSON has no negative zero.
  value: fc.oneof(
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
    fc.constant(undefined),
  ),
});

/** The world after the first change, after the second, and so on. */
const historyOf = (changes: readonly Change[]): SavedWorld[] =>
  changes.map((_, at) => worldAfter(changes.slice(0, at + 1)));

describe('a state file', () => {
  test('reproduces the state and the order of records after random changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { maxLength: 60 }), fc.nat(60), async (changes, at) => {
        const file = newFile();
        await write(file, changes.slice(0, at));
        await write(file, changes.slice(at));

        // Each store is an array, so this compares the order of its records, too.
        expect((await worldIn(file)) ?? {}).toEqual(worldAfter(changes));
      }),
      { numRuns: 40 },
    );
  });

  test('that is cut off at any byte of the last writes still contains an earlier state', async () => {
    const changes = Array.from({ length: 2 }, (_, n) => change('user', `user_${n}`, { n, name: 'Zoë' }));
    const history = [{}, ...historyOf(changes)];
    const whole = newFile();
    const { state } = await openFile(whole);
    const note = followedWorld(state);
    await state.flush();
    const start = statSync(whole).size;
    for (const one of changes) {
      note(one);
      await state.flush();
    }
    await state.close();
    const bytes = readFileSync(whole);

    let least = 0;
    const file = newFile();
    for (let end = start; end <= bytes.length; end++) {
      writeFileSync(file, bytes.subarray(0, end));
      chmodSync(file, 0o600);
      const { state: cut, messages } = await openFile(file);
      const world = cut.savedWorld('staging') ?? {};
      const at = history.findIndex((one) => JSON.stringify(one) === JSON.stringify(world));
      const note = followedWorld(cut);
      note(change('user', 'user_next', {}));
      await cut.close();

      expect(at).toBeGreaterThanOrEqual(least);
      expect(messages.length).toBe(bytes[end - 1] === 10 ? 0 : 1);
      expect((await worldIn(file))?.user?.at(-1)?.[0]).toBe('user_next');
      least = at;
    }
    expect(least).toBe(changes.length);
  });

  test('with an incomplete last line is read without the line, and a message reports the loss', async () => {
    const file = newFile();
    await write(file, [change('user', 'ada', { age: 36 })]);
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, '[["staging","user","grace",{"age"', { flag: 'a' });

    const { state, messages } = await openFile(file);
    const world = state.savedWorld('staging');
    followedWorld(state);
    await state.close();

    expect(world).toEqual({ user: [['ada', { age: 36 }]] });
    expect(messages).toEqual([
      `The last line of the state file ${file} (33 bytes) was incomplete and was dropped: the emulator ended while writing it. Everything before it is intact.`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe(good);
  });

  test('with a broken line in the middle is rejected with the line number, and stays unchanged', async () => {
    const file = newFile();
    await write(file, [change('user', 'ada', 1)]);
    writeFileSync(file, `[["staging","us\n[["staging","user","grace",2]]\n`, { flag: 'a' });
    const before = readFileSync(file);

    await expect(openFile(file)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('Line 3 of the state file'),
    });
    expect(readFileSync(file)).toEqual(before);
  });

  test('keeps an entry for a deleted object until the entry itself is removed', async () => {
    const file = newFile();
    await write(file, [change('user', 'a', 1), change('user', 'b', 2), change('user', 'c', 3)]);
    await write(file, [change('user', 'a', null), change('user', 'b')]);

    expect(await worldIn(file)).toEqual({
      user: [
        ['a', null],
        ['c', 3],
      ],
    });
  });

  test('keeps staging and production data separate, even if a new world replaces the staging world', async () => {
    const file = newFile();
    await write(file, [change('user', 'a', 1)]);
    await write(file, [change('user', 'b', 2)], 'production');
    const { state } = await openFile(file);
    const production = followedWorld(state, 'production');
    const old = followedWorld(state);
    const fresh = worldWith({ user: [['seeded', true]] });
    state.follow('staging', fresh);
    fresh(change('user', 'early', 1));
    old(change('user', 'old', 1));
    production(change('user', 'c', 3));
    state.begin();
    old(change('user', 'too late', 1));
    fresh(change('user', 'late', 1));
    await state.close();

    expect(await worldIn(file)).toEqual({
      user: [
        ['seeded', true],
        ['early', 1],
        ['late', 1],
      ],
    });
    expect(await worldIn(file, 'production')).toEqual({
      user: [
        ['b', 2],
        ['c', 3],
      ],
    });
  });

  test('keeps values of the emulator, such as the cookie password', async () => {
    const file = newFile();
    const first = await openFile(file);
    followedWorld(first.state);
    const made = first.state.value('cookiePassword', () => 'made once');
    await first.state.close();
    const second = await openFile(file);
    const found = second.state.value('cookiePassword', () => 'made again');
    await second.state.close();

    expect([made, found]).toEqual(['made once', 'made once']);
  });

  test('receives a change within a second, without a call to flush', async () => {
    const file = newFile();
    const { state } = await openFile(file);
    const note = followedWorld(state);
    await state.flush();
    const began = performance.now();

    note(change('user', 'ada', 'as soon as possible'));

    await expect.poll(() => readFileSync(file, 'utf8'), { interval: 10 }).toContain('as soon as possible');
    expect(performance.now() - began).toBeLessThan(1_000);
    await state.close();
  });
});

describe('a state file that has grown', () => {
  /** Changes of a few keys, so long that the file soon grows to several times the size of its data. */
  const updates = (count: number): Change[] =>
    Array.from({ length: count }, (_, n) => change('user', `user_${n % 20}`, { n, text: 'x'.repeat(1_000) }));

  test('is rewritten without outdated changes', async () => {
    const file = newFile();
    const { state } = await openFile(file);
    const note = followedWorld(state);
    const changes = updates(6_000);
    for (const [at, one] of changes.entries()) {
      note(one);
      if (at % 500 === 499) await state.flush();
    }
    await state.close();

    expect(statSync(file).size).toBeLessThan(1_300_000);
    expect(await worldIn(file)).toEqual(worldAfter(changes));
  });

  test('keeps each change made during a rewrite, even if a new world replaces the old world', async () => {
    for (const isReplaced of [false, true]) {
      const file = newFile();
      const { state } = await openFile(file);
      const note = followedWorld(state);
      const other = followedWorld(state, 'production');
      const many = Array.from({ length: 4_000 }, (_, n) => change('user', `user_${n}`, { n, text: 'x'.repeat(400) }));
      for (const one of many) note(one);
      await state.flush();
      // Write twice as much again, so that the file is due for a rewrite.
      const again = [...many, ...many].map(({ store, key }, n) => change(store, key, { n, text: 'y'.repeat(400) }));
      for (const one of again) note(one);
      const work = state.flush();
      const during: Change[] = [];
      let isDone = false;
      void work.then(() => (isDone = true));
      const fresh = worldWith();
      state.follow('staging', fresh);
      for (let n = 0; !isDone; n++) {
        const one = change('session', `session_${n}`, n);
        (isReplaced && n > 20 ? fresh : note)(one);
        other(one);
        if (isReplaced && n === 20) state.begin();
        during.push(one);
        await new Promise(setImmediate);
      }
      await state.close();

      expect(during.length).toBeGreaterThan(30);
      expect(await worldIn(file, 'production')).toEqual(worldAfter(during));
      expect(await worldIn(file)).toEqual(
        isReplaced ? worldAfter(during.slice(21)) : worldAfter([...many, ...again, ...during]),
      );
    }
  });

  test('is readable without the last byte, and after an unfinished rewrite', async () => {
    const file = newFile();
    await write(
      file,
      Array.from({ length: 200 }, (_, n) => change('user', `user_${n}`, 'x'.repeat(1_000))),
    );
    writeFileSync(`${file}.new`, '{"format":"sallyport-state"');
    truncateSync(file, statSync(file).size - 1);

    const world = await worldIn(file);

    expect(Object.keys(world ?? {})).toEqual(['user']);
    expect(() => statSync(`${file}.new`)).toThrow('ENOENT');
  });
});
