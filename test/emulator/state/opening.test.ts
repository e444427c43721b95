import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { change, opened, stateFolder, worldIn, write } from './folder.js';

const newFile = stateFolder();

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('a state file', () => {
  test('is readable by its owner only, also after a rewrite', async () => {
    const file = newFile();
    await write(file, [change('user', 'ada', 1)]);
    const first = modeOf(file);
    await write(
      file,
      Array.from({ length: 3_000 }, (_, n) => change('user', 'ada', `${n}${'x'.repeat(1_000)}`)),
    );

    expect([first, modeOf(file)]).toEqual(['600', '600']);
  });

  test('that others may read becomes its owner’s alone, and that is said', async () => {
    const file = newFile();
    await write(file, [change('user', 'ada', 1)]);
    chmodSync(file, 0o644);

    const { state, said } = await opened(file);
    await state.close();

    expect(modeOf(file)).toBe('600');
    expect(said).toEqual([`The state file ${file} was readable by other users (mode 644). Its mode is now 600.`]);
  });

  test('may be there with nothing in it', async () => {
    const file = newFile();
    writeFileSync(file, '');
    const { state } = await opened(file);
    const { isNew } = state;
    state.follow('staging');
    state.begin();
    await state.close();

    expect(isNew).toBe(true);
    expect(modeOf(file)).toBe('600');
    expect(await worldIn(file)).toEqual({});
  });

  test('is written where a link leads', async () => {
    const [file, link] = [newFile(), newFile()];
    await write(file, [change('user', 'ada', 1)]);
    symlinkSync(file, link);

    await write(link, [change('user', 'grace', 2)]);

    expect((await worldIn(file))?.user).toEqual([
      ['ada', 1],
      ['grace', 2],
    ]);
  });

  test.each([
    ['a seed', 'users:\n  - email: ada@example.com\n', /is not a state file of the emulator/],
    ['other JSON', '{"name":"an application"}\n', /is not a state file of the emulator/],
    ['one long line', 'x'.repeat(3_000_000), /is not a state file of the emulator/],
    ['its first line cut', '{"format":"sallyport-state","version":1}', /is not a state file of the emulator/],
    ['a later format', '{"format":"sallyport-state","version":2}\n[]\n', /has format 2\. .* reads format 1/],
    ['an earlier format', '{"format":"sallyport-state","version":0}\n[]\n', /has format 0\. .* reads format 1/],
  ])('that holds something else, %s, is refused and left as it is', async (_, text, message) => {
    const file = newFile();
    writeFileSync(file, text, { mode: 0o644 });

    await expect(opened(file)).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'invalid_state',
      message: expect.stringMatching(message),
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(modeOf(file)).toBe('644');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('cannot be a folder, nor be in a folder that does not exist', async () => {
    const folder = newFile();
    mkdirSync(folder);

    await expect(opened(folder)).rejects.toMatchObject({ code: 'invalid_state', message: /It is not a file/ });
    await expect(opened(`${folder}/none/here`)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('The folder does not exist'),
    });
  });
});

describe('a second emulator on a state file', () => {
  const lockOf = (file: string, holder: object): void =>
    writeFileSync(`${file}.lock`, JSON.stringify({ host: hostname(), began: null, ...holder }));
  const holderOf = (file: string): object => JSON.parse(readFileSync(`${file}.lock`, 'utf8'));
  const thisProcess = { pid: process.pid, host: hostname() };

  test('is refused while the first has it, and welcome after', async () => {
    const file = newFile();
    const { state } = await opened(file);

    await expect(opened(file)).rejects.toMatchObject({ name: 'EmulatorError', code: 'state_in_use' });
    await state.close();
    const second = await opened(file);
    await second.state.close();

    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('is refused while another process has it, by its number, and takes over when that has been killed', async () => {
    const file = newFile();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
    lockOf(file, { pid: other.pid });

    await expect(opened(file)).rejects.toMatchObject({
      code: 'state_in_use',
      message: expect.stringContaining(`It is used by process ${other.pid}`),
    });
    other.kill('SIGKILL');
    await once(other, 'exit');
    const { state } = await opened(file);
    expect(holderOf(file)).toMatchObject(thisProcess);
    await state.close();
  });

  test('takes over the lock of a dead process whose number is in use again', async () => {
    const file = newFile();
    lockOf(file, { pid: process.ppid, began: 'another boot 1' });
    const parent = await opened(file);
    expect(holderOf(file)).toMatchObject(thisProcess);
    await parent.state.close();
    lockOf(file, { pid: process.pid, began: 'another boot 1' });
    const same = await opened(file);
    expect(holderOf(file)).toMatchObject(thisProcess);
    expect(holderOf(file)).not.toMatchObject({ began: 'another boot 1' });
    await same.state.close();
  });

  test('takes over the lock of another machine only if it is stale', async () => {
    const file = newFile();
    lockOf(file, { pid: 1, host: 'elsewhere' });

    await expect(opened(file)).rejects.toMatchObject({ message: expect.stringContaining('process 1 on elsewhere') });
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(`${file}.lock`, longAgo, longAgo);
    const { state } = await opened(file);
    expect(holderOf(file)).toMatchObject(thisProcess);
    await state.close();
  });

  test('takes over an empty lock', async () => {
    const file = newFile();
    writeFileSync(`${file}.lock`, '');

    const { state } = await opened(file);
    expect(holderOf(file)).toMatchObject(thisProcess);
    await state.close();
  });
});
