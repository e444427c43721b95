import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { State } from '../../../src/emulator/state/state.js';
import type { Change } from '../../../src/emulator/store/store.js';
import { change, opened, stateFolder, worldIn } from './folder.js';

const newFile = stateFolder();

/** Opens a state file and writes one change. */
async function inUse(file: string) {
  const { state, said } = await opened(file);
  const note = state.follow('staging');
  state.begin();
  note(change('user', 'ada', 1));
  await state.flush();
  return { state, said, note };
}

/** Replaces the world, so that the whole file is written. */
async function writeWhole(state: State): Promise<(change: Change) => void> {
  const note = state.follow('staging');
  state.begin();
  await state.flush();
  return note;
}

const ways: readonly (readonly [did: string, tamper: (file: string) => void])[] = [
  ['removed', (file) => rmSync(file)],
  ['replaced', (file) => renameSync(file, `${file}.moved`)],
  ['replaced', (file) => writeFileSync(`${file}.other`, 'another file\n')],
  ['changed', (file) => truncateSync(file, 10)],
  ['changed', (file) => truncateSync(file)],
  ['changed', (file) => appendFileSync(file, '[["staging"')],
];
const moved = ways.map(([did, tamper], at): readonly [did: string, at: number, tamper: (file: string) => void] => [
  did,
  at,
  (file) => {
    tamper(file);
    if (did !== 'replaced') return;
    if (existsSync(`${file}.other`)) renameSync(`${file}.other`, file);
    else copyFileSync(`${file}.moved`, file);
  },
]);

describe('a state file that another program changes while it is used', () => {
  test.each(moved)(
    '(%s, %i) is written as a whole with the next change, and is reported once',
    async (did, _, tamper) => {
      const file = newFile();
      const { state, said, note } = await inUse(file);

      tamper(file);
      for (const key of ['grace', 'edsger']) {
        note(change('user', key, 2));
        await state.flush();
      }
      const first = [...said];
      await state.close();

      expect(first).toEqual([
        `Another program ${did} the state file ${file} while the emulator was using it. The emulator rewrites the whole file.`,
      ]);
      expect(said).toEqual(first);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(await worldIn(file)).toEqual({
        user: [
          ['ada', 1],
          ['grace', 2],
          ['edsger', 2],
        ],
      });
    },
  );

  test.each(moved)('(%s, %i) is written as a whole when the emulator is closed', async (_did, _, tamper) => {
    const file = newFile();
    const { state, said } = await inUse(file);

    tamper(file);
    await state.close();

    expect(said).toHaveLength(1);
    expect(await worldIn(file)).toEqual({ user: [['ada', 1]] });
  });

  test('is written as a whole when the process ends', async () => {
    const file = newFile();
    const program = `
      import { rmSync } from 'node:fs';
      import { openState } from './src/emulator/state/open.ts';
      const file = process.argv[1];
      const state = await openState(file, { print: () => undefined, objectionTo: () => undefined });
      const note = state.follow('staging');
      state.begin();
      note({ store: 'user', key: 'ada', value: 1 });
      await state.flush();
      rmSync(file);
      note({ store: 'user', key: 'grace', value: 2 });
      process.exit();`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, file], {
      stdio: 'inherit',
    });
    await once(child, 'exit');

    expect(await worldIn(file)).toEqual({
      user: [
        ['ada', 1],
        ['grace', 2],
      ],
    });
  });

  test('and cannot be written then is written as soon as it can be', async () => {
    const file = newFile();
    const { state, said, note } = await inUse(file);
    rmSync(file);
    mkdirSync(file);
    note(change('user', 'grace', 2));
    await expect(state.flush()).rejects.toMatchObject({ code: 'state_not_written' });
    rmdirSync(file);

    await state.flush();
    await state.close();

    expect(said).toEqual([
      expect.stringContaining('Another program replaced the state file'),
      expect.stringContaining('The state can no longer be written'),
      `The state can be written to ${file} again.`,
    ]);
    expect((await worldIn(file))?.user).toHaveLength(2);
  });
});

test('a change that comes after a file could not be written smaller is in the file once it can be', async () => {
  const file = newFile();
  const { state, note } = await inUse(file);
  const text = 'x'.repeat(1_000);
  for (let n = 0; n < 9_000; n++) note(change('user', `user_${n % 3_000}`, text));
  const work = state.flush();
  work.catch(() => undefined);
  for (let turn = 0; turn < 100_000 && !existsSync(`${file}.new`); turn++) await new Promise(setImmediate);
  rmSync(file);
  mkdirSync(file);
  await expect(work).rejects.toMatchObject({ code: 'state_not_written' });
  rmdirSync(file);

  note(change('user', 'grace', 2));
  await state.close();

  expect((await worldIn(file))?.user).toHaveLength(3_002);
});

test('all changes of a process that ends while it writes many are in the file', async () => {
  const file = newFile();
  const program = `
    import { openState } from './src/emulator/state/open.ts';
    const state = await openState(process.argv[1], { print: () => undefined, objectionTo: () => undefined });
    const note = state.follow('staging');
    state.begin();
    await state.flush();
    for (let n = 0; n < 3000; n++) note({ store: 'user', key: 'user_' + n, value: n });
    void state.flush();
    await undefined;
    process.exit();`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, file], {
    stdio: 'inherit',
  });
  await once(child, 'exit');

  expect((await worldIn(file))?.user).toHaveLength(3_000);
});

describe('a symbolic link next to a state file is not followed', () => {
  test('FILE.new, when the file is written as a whole', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    const { state } = await inUse(file);
    writeFileSync(elsewhere, 'precious', { mode: 0o644 });
    symlinkSync(elsewhere, `${file}.new`);

    const note = await writeWhole(state);
    note(change('user', 'grace', 2));
    await state.close();

    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await worldIn(file)).toEqual({ user: [['grace', 2]] });
  });

  test('FILE.last, when the process ends', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    const program = `
      import { symlinkSync } from 'node:fs';
      import { openState } from './src/emulator/state/open.ts';
      const [, file, elsewhere] = process.argv;
      const state = await openState(file, { print: () => undefined, objectionTo: () => undefined });
      state.follow('staging');
      symlinkSync(elsewhere, file + '.last');
      state.begin();
      process.exit();`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, file, elsewhere], {
      stdio: 'inherit',
    });
    await once(child, 'exit');

    expect(existsSync(elsewhere)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await worldIn(file)).toEqual({});
  });

  test('FILE.lock and FILE.lock.PID, when the file is locked', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    symlinkSync(elsewhere, `${file}.lock.${process.pid}`);
    symlinkSync(elsewhere, `${file}.lock`);

    const { state } = await inUse(file);
    const mode = statSync(`${file}.lock`).mode & 0o777;
    await state.close();

    expect(existsSync(elsewhere)).toBe(false);
    expect(mode).toBe(0o600);
  });

  test('FILE itself, when it takes the place of the file later', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    const { state, note } = await inUse(file);
    writeFileSync(elsewhere, 'precious');
    rmSync(file);
    symlinkSync(elsewhere, file);

    note(change('user', 'grace', 2));
    await state.close();

    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
    expect((await worldIn(file))?.user).toHaveLength(2);
  });
});
