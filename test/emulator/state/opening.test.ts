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
import { change, followed, opened, stateFolder, worldIn, write } from './folder.js';

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
    followed(state);
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

/** Pretend that a lock was last renewed so long ago. */
const renewedAgo = (file: string, ms: number): void => {
  const then = new Date(Date.now() - ms);
  utimesSync(`${file}.lock`, then, then);
};

describe('a second emulator on a state file', () => {
  test('is refused while the first has it, and welcome after', async () => {
    const file = newFile();
    const { state } = await opened(file);

    await expect(opened(file)).rejects.toMatchObject({ name: 'EmulatorError', code: 'state_in_use' });
    await state.close();
    const second = await opened(file);
    await second.state.close();

    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('is refused while another process renews the lock, on any host', async () => {
    const file = newFile();
    const renewing = `const [, path] = process.argv;
      fs.writeFileSync(path, 'another lock');
      setInterval(() => fs.utimesSync(path, new Date(), new Date()), 50);`;
    const other = spawn(process.execPath, ['-e', renewing, `${file}.lock`]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await expect.poll(() => existsSync(`${file}.lock`), { interval: 10 }).toBe(true);

    await expect(opened(file)).rejects.toMatchObject({
      code: 'state_in_use',
      message: expect.stringContaining('It has renewed its lock within the last second'),
    });
    other.kill('SIGKILL');
    await once(other, 'exit');

    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('another lock');
  });

  test.each(['', 'another lock', JSON.stringify({ pid: process.pid, host: hostname() })])(
    'takes over a lock that was not renewed for five seconds, whatever it contains: %j',
    async (content) => {
      const file = newFile();
      writeFileSync(`${file}.lock`, content);
      renewedAgo(file, 5_100);

      const { state } = await opened(file);
      const mode = statSync(`${file}.lock`).mode & 0o777;
      await state.close();

      expect(mode).toBe(0o600);
      expect(readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`))).toEqual([]);
    },
  );

  test('waits until the lock of a killed process is five seconds old', async () => {
    const file = newFile();
    writeFileSync(`${file}.lock`, 'of a killed process');
    renewedAgo(file, 1_000);
    let isOpen = false;

    const opening = opened(file).then(({ state }) => {
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

describe('an emulator whose lock another emulator has taken over', () => {
  async function suspended() {
    const file = newFile();
    const { state, said } = await opened(file);
    const note = followed(state);
    note(change('user', 'ada', 1));
    await state.flush();
    writeFileSync(`${file}.lock`, 'of another emulator');
    note(change('user', 'grace', 2));
    return { file, state, said };
  }

  test('writes nothing more to the file, and reports it once', async () => {
    const { file, state, said } = await suspended();
    const before = readFileSync(file, 'utf8');

    await expect(state.flush()).rejects.toMatchObject({
      code: 'state_not_written',
      message: expect.stringContaining('Another emulator uses it'),
    });
    rmSync(`${file}.lock`);
    await expect(state.close()).rejects.toMatchObject({ code: 'state_not_written' });

    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(said).toEqual([expect.stringContaining('did not renew its lock for five seconds')]);
  });

  test('leaves the lock of the other alone when it is closed', async () => {
    const { file, state } = await suspended();

    await state.close().catch(() => undefined);

    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('of another emulator');
    rmSync(`${file}.lock`);
  });
});

test('an emulator whose lock was deleted locks the file again with the next change', async () => {
  const file = newFile();
  const { state } = await opened(file);
  const note = followed(state);
  rmSync(`${file}.lock`);

  note(change('user', 'ada', 1));
  await state.flush();

  expect(existsSync(`${file}.lock`)).toBe(true);
  await state.close();
  expect(existsSync(`${file}.lock`)).toBe(false);
});
