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
import { change, followedWorld, openFile, stateFolder, worldIn } from './folder.js';

const newFile = stateFolder();

/** Open a state file and write one change. */
async function openWithChange(file: string) {
  const { state, messages } = await openFile(file);
  const note = followedWorld(state);
  note(change('user', 'ada', 1));
  await state.flush();
  return { state, messages, note };
}

/** Run a program that opens a state file, and wait until it exits. */
async function run(program: string, ...files: readonly string[]): Promise<void> {
  const start = `
    import { symlinkSync } from 'node:fs';
    import { openState } from './src/emulator/state/open.ts';
    const [, file, elsewhere] = process.argv;
    const state = await openState(file, { print: () => undefined, objectionTo: () => undefined });
    let note;
    state.follow('staging', { save: () => ({}), onChange: (listener) => { note = listener; } });
    state.begin();`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', start + program, ...files], {
    stdio: 'inherit',
  });
  await once(child, 'exit');
}

const ways: readonly (readonly [did: string, tamper: (file: string) => void])[] = [
  ['removed', (file) => rmSync(file)],
  ['replaced', (file) => renameSync(file, `${file}.moved`)],
  ['replaced', (file) => writeFileSync(`${file}.other`, 'another file\n')],
  ['changed', (file) => truncateSync(file, 10)],
  ['changed', (file) => truncateSync(file)],
  ['changed', (file) => appendFileSync(file, '[["staging"')],
];
const howChanged = [
  'deletes the file',
  'replaces the file with a copy',
  'replaces the file with a different file',
  'truncates the file to ten bytes',
  'empties the file',
  'appends to the file',
];
const moved = ways.map(([did, tamper], at): readonly [how: string, tamper: (file: string) => void] => [
  howChanged[at]!,
  (file) => {
    tamper(file);
    if (did !== 'replaced') return;
    if (existsSync(`${file}.other`)) renameSync(`${file}.other`, file);
    else copyFileSync(`${file}.moved`, file);
  },
]);

describe('a state file in use', () => {
  const contentOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

  test.each(moved)(
    'is no longer written after another program %s, and the emulator reports the problem once',
    async (_how, tamper) => {
      const file = newFile();
      const { state, messages, note } = await openWithChange(file);

      tamper(file);
      const before = contentOf(file);
      for (const key of ['grace', 'edsger']) {
        note(change('user', key, 2));
        await expect(state.flush()).rejects.toMatchObject({
          code: 'state_not_written',
          message: expect.stringContaining('Another program changed, replaced or removed it'),
        });
      }
      followedWorld(state, 'staging', {});
      await expect(state.close()).rejects.toMatchObject({ code: 'state_not_written' });

      expect(messages).toEqual([expect.stringContaining('Another program changed, replaced or removed it')]);
      expect(contentOf(file)).toBe(before);
    },
  );

  test('that another program deletes is not created again when the process exits', async () => {
    const file = newFile();

    await run(
      `
      import { rmSync } from 'node:fs';
      await state.flush();
      rmSync(file);
      note({ store: 'user', key: 'grace', value: 2 });
      process.exit();`,
      file,
    );

    expect(existsSync(file)).toBe(false);
  });
});

test('the emulator retries a failed rewrite of the state file at the next flush', async () => {
  const file = newFile();
  const { state, messages } = await openWithChange(file);
  mkdirSync(`${file}.new`);
  const note = followedWorld(state, 'staging', {});
  note(change('user', 'grace', 2));
  await expect(state.flush()).rejects.toMatchObject({ code: 'state_not_written' });
  note(change('user', 'edsger', 3));
  rmdirSync(`${file}.new`);

  await state.flush();
  await state.close();

  expect(messages).toEqual([
    expect.stringContaining('The state can no longer be written'),
    `The state can be written to ${file} again.`,
  ]);
  expect(await worldIn(file)).toEqual({
    user: [
      ['grace', 2],
      ['edsger', 3],
    ],
  });
});

test('a process that exits during many writes still writes all changes to the state file', async () => {
  const file = newFile();

  await run(
    `
    await state.flush();
    for (let n = 0; n < 3000; n++) note({ store: 'user', key: 'user_' + n, value: n });
    void state.flush();
    await undefined;
    process.exit();`,
    file,
  );

  expect((await worldIn(file))?.user).toHaveLength(3_000);
});

describe('the emulator does not follow a symbolic link', () => {
  test('at FILE.new during a rewrite of the state file', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    const { state } = await openWithChange(file);
    writeFileSync(elsewhere, 'precious', { mode: 0o644 });
    symlinkSync(elsewhere, `${file}.new`);

    const note = followedWorld(state, 'staging', {});
    note(change('user', 'grace', 2));
    await state.close();

    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await worldIn(file)).toEqual({ user: [['grace', 2]] });
  });

  test('at FILE.new when the process exits', async () => {
    const [file, elsewhere] = [newFile(), newFile()];

    await run("symlinkSync(elsewhere, file + '.new'); process.exit();", file, elsewhere);

    expect(existsSync(elsewhere)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await worldIn(file)).toEqual({});
  });

  test('at FILE.lock or FILE.lock.PID while locking the state file', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    symlinkSync(elsewhere, `${file}.lock.${process.pid}`);
    symlinkSync(elsewhere, `${file}.lock`);

    const { state } = await openWithChange(file);
    const mode = statSync(`${file}.lock`).mode & 0o777;
    await state.close();

    expect(existsSync(elsewhere)).toBe(false);
    expect(mode).toBe(0o600);
  });

  test('that replaces a state file in use', async () => {
    const [file, elsewhere] = [newFile(), newFile()];
    const { state, note } = await openWithChange(file);
    writeFileSync(elsewhere, 'precious');
    rmSync(file);
    symlinkSync(elsewhere, file);

    note(change('user', 'grace', 2));
    await expect(state.close()).rejects.toMatchObject({ code: 'state_not_written' });

    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
  });
});
