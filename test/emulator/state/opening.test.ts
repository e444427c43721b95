import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { change, followedWorld, openFile, stateFolder, worldIn, write } from './folder.js';

const newFile = stateFolder();

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('a state file', () => {
  test('is readable only by the owner, even after a rewrite', async () => {
    const file = newFile();
    await write(file, [change('user', 'ada', 1)]);
    const first = modeOf(file);
    await write(
      file,
      Array.from({ length: 3_000 }, (_, n) => change('user', 'ada', `${n}${'x'.repeat(1_000)}`)),
    );

    expect([first, modeOf(file)]).toEqual(['600', '600']);
  });

  test('that other users can read is made private, and a message reports the change', async () => {
    const file = newFile();
    await write(file, [change('user', 'ada', 1)]);
    chmodSync(file, 0o644);

    const { state, messages } = await openFile(file);
    await state.close();

    expect(modeOf(file)).toBe('600');
    expect(messages).toEqual([`The state file ${file} was readable by other users (mode 644). Its mode is now 600.`]);
  });

  test('can be an existing empty file', async () => {
    const file = newFile();
    writeFileSync(file, '');
    const { state } = await openFile(file);
    const { isNew } = state;
    followedWorld(state);
    await state.close();

    expect(isNew).toBe(true);
    expect(modeOf(file)).toBe('600');
    expect(await worldIn(file)).toEqual({});
  });

  test('can be a symbolic link, and changes are written to the target', async () => {
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
    ['unrelated JSON', '{"name":"an application"}\n', /is not a state file of the emulator/],
    ['one long line', 'x'.repeat(3_000_000), /is not a state file of the emulator/],
    ['an incomplete first line', '{"format":"sallyport-state","version":1}', /is not a state file of the emulator/],
    ['data in a later format', '{"format":"sallyport-state","version":2}\n[]\n', /has format 2\. .* reads format 1/],
    ['data in an earlier format', '{"format":"sallyport-state","version":0}\n[]\n', /has format 0\. .* reads format 1/],
  ])('that contains %s is rejected and stays unchanged', async (_, text, message) => {
    const file = newFile();
    writeFileSync(file, text, { mode: 0o644 });

    await expect(openFile(file)).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'invalid_state',
      message: expect.stringMatching(message),
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(modeOf(file)).toBe('644');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('cannot be a folder, or be in a folder that does not exist', async () => {
    const folder = newFile();
    mkdirSync(folder);

    await expect(openFile(folder)).rejects.toMatchObject({ code: 'invalid_state', message: /It is not a file/ });
    await expect(openFile(`${folder}/none/here`)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('The folder does not exist'),
    });
  });
});

/** Set the time of the last renewal of a lock to so many milliseconds ago. */
const renewedAgo = (file: string, ms: number): void => {
  const then = new Date(Date.now() - ms);
  utimesSync(`${file}.lock`, then, then);
};

describe('a second emulator on a state file', () => {
  test('is rejected while the first emulator uses the file, and accepted afterwards', async () => {
    const file = newFile();
    const { state } = await openFile(file);

    await expect(openFile(file)).rejects.toMatchObject({ name: 'EmulatorError', code: 'state_in_use' });
    await state.close();
    const second = await openFile(file);
    await second.state.close();

    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('is rejected while a process on any host renews the lock', async () => {
    const file = newFile();
    const renewing = `const [, path] = process.argv;
      fs.writeFileSync(path, 'another lock');
      setInterval(() => fs.utimesSync(path, new Date(), new Date()), 50);`;
    const other = spawn(process.execPath, ['-e', renewing, `${file}.lock`]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await expect.poll(() => existsSync(`${file}.lock`), { interval: 10 }).toBe(true);

    await expect(openFile(file)).rejects.toMatchObject({
      code: 'state_in_use',
      message: expect.stringContaining('It has renewed its lock within the last second'),
    });
    other.kill('SIGKILL');
    await once(other, 'exit');

    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('another lock');
  });

  test.each([
    ['an empty lock', ''],
    ['a lock that has unknown content', 'another lock'],
    ['a lock that names a process and a host', JSON.stringify({ pid: process.pid, host: hostname() })],
  ])('takes over %s after five seconds without renewal', async (_what, content) => {
    const file = newFile();
    writeFileSync(`${file}.lock`, content);
    renewedAgo(file, 5_100);

    const { state } = await openFile(file);
    const mode = statSync(`${file}.lock`).mode & 0o777;
    await state.close();

    expect(mode).toBe(0o600);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`))).toEqual([]);
  });

  test('waits until the lock of a killed process is five seconds old', async () => {
    const file = newFile();
    writeFileSync(`${file}.lock`, 'of a killed process');
    renewedAgo(file, 1_000);
    let isOpen = false;

    const opening = openFile(file).then(({ state }) => {
      isOpen = true;
      return state;
    });
    await new Promise(setImmediate);
    const before = isOpen;
    renewedAgo(file, 5_100);
    await (await opening).close();

    expect(before).toBe(false);
  });
});

describe('an emulator that has lost its lock to another emulator', () => {
  async function withLostLock() {
    const file = newFile();
    const { state, messages } = await openFile(file);
    const note = followedWorld(state);
    note(change('user', 'ada', 1));
    await state.flush();
    writeFileSync(`${file}.lock`, 'of another emulator');
    note(change('user', 'grace', 2));
    return { file, state, messages };
  }

  test('stops writing to the state file, and reports the problem once', async () => {
    const { file, state, messages } = await withLostLock();
    const before = readFileSync(file, 'utf8');

    await expect(state.flush()).rejects.toMatchObject({
      code: 'state_not_written',
      message: expect.stringContaining('Another emulator uses it'),
    });
    rmSync(`${file}.lock`);
    await expect(state.close()).rejects.toMatchObject({ code: 'state_not_written' });

    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(messages).toEqual([expect.stringContaining('did not renew its lock for five seconds')]);
  });

  test("does not delete the other emulator's lock on close", async () => {
    const { file, state } = await withLostLock();

    await state.close().catch(() => undefined);

    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('of another emulator');
    rmSync(`${file}.lock`);
  });
});

test('an emulator locks the state file again at the next change if the lock was deleted', async () => {
  const file = newFile();
  const { state } = await openFile(file);
  const note = followedWorld(state);
  rmSync(`${file}.lock`);

  note(change('user', 'ada', 1));
  await state.flush();

  expect(existsSync(`${file}.lock`)).toBe(true);
  await state.close();
  expect(existsSync(`${file}.lock`)).toBe(false);
});
