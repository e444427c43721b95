import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { worldsAt } from 'sallyport/emulator';
import { type NewTestWorld, type TestWorld, testWorlds } from 'sallyport/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { stage } from '../stage.js';

afterEach(() => {
  vi.useRealTimers();
});

const slot: NewTestWorld = { name: 'w0', apiKey: 'sk_test_w0', clientId: 'client_w0' };

/** Starts an emulator on a port, and returns functions that create worlds in it. */
async function shared() {
  const { emulator } = await stage({ clock: undefined, listen: true });
  const where = { url: emulator.url, adminKey: emulator.adminKey };
  const worlds = testWorlds(where);

  /** Runs a fixture of this process, and returns the result of its test. */
  const inFixture = async <T>(options: NewTestWorld, act: (world: TestWorld) => T | Promise<T>): Promise<T> => {
    let result: { readonly value: T } | undefined;
    await worlds.fixture(options)({}, async (world) => {
      result = { value: await act(world) };
    });
    return result!.value;
  };

  /** Starts a worker in another process, with a fixture that keeps its world until it is killed. */
  const startWorker = async () => {
    const program = `
      import { testWorlds } from './src/testing/index.ts';
      const worlds = testWorlds(${JSON.stringify(where)});
      await worlds.fixture(${JSON.stringify(slot)})({}, () => {
        console.log('ready');
        return new Promise(() => setInterval(() => {}, 1000));
      });`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(createInterface(child.stdout), 'line');
    return child;
  };

  /** Creates a world as a fixture of this process would, but with another owner. */
  const leaveBehind = async (change: object, options: NewTestWorld = { name: 'w0' }) => {
    const owner = await inFixture({}, async ({ name }) => (await admin.get(name)).owner!);
    return admin.create({ ...options, redirectUris: undefined, owner: { ...owner, ...change } });
  };
  const admin = worldsAt({ baseUrl: emulator.url, adminKey: emulator.adminKey });
  return { worlds, inFixture, startWorker, leaveBehind };
}

const nameTaken = (message: RegExp) =>
  expect.objectContaining({ status: 409, code: 'name_taken', message: expect.stringMatching(message) });

describe('a fixture', () => {
  test('replaces the world of a killed worker, but not the world of a running worker', async () => {
    const { inFixture, startWorker } = await shared();
    const worker = await startWorker();
    const takeOver = () => inFixture(slot, ({ name, credentials }) => [name, credentials.apiKey]);

    await expect(takeOver()).rejects.toEqual(
      nameTaken(
        new RegExp(
          `^There is already a world w0\\. Process ${worker.pid} on \\S+ has used it since 20\\d\\d-.*Z\\. Delete it`,
        ),
      ),
    );
    worker.kill('SIGKILL');
    await once(worker, 'exit');

    expect(await takeOver()).toEqual(['w0', 'sk_test_w0']);
  });

  test('replaces abandoned worlds that use the name or API key of the fixture', async () => {
    const { inFixture, leaveBehind } = await shared();
    await leaveBehind({ pid: 999_999 });
    await leaveBehind({ pid: 999_998 }, { apiKey: 'sk_test_w0', clientId: 'client_w0' });

    expect(await inFixture(slot, ({ name }) => name)).toBe('w0');
  });

  test('does not replace a world that was created manually', async () => {
    const { inFixture, worlds } = await shared();
    await worlds.create(slot);

    await expect(inFixture(slot, ({ name }) => name)).rejects.toEqual(nameTaken(/a world w0\. Delete it first/));
  });

  test('replaces the world of a process that has ended even if the process id is reused', async () => {
    const { inFixture, leaveBehind } = await shared();
    await leaveBehind({ pid: process.ppid, start: '1' });

    expect(await inFixture(slot, ({ name }) => name)).toBe('w0');
  });

  test('replaces the world of a zombie process', async () => {
    const { inFixture, leaveBehind } = await shared();
    const parent = spawn('sh', ['-c', 'sleep 100 & echo $!; exec sleep 100']);
    onTestFinished(() => void parent.kill());
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const stat = () => readFileSync(`/proc/${line}/stat`, 'utf8').split(') ')[1]!.split(' ');
    // From here on, the parent is a program that does not wait for its child.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(Number(line), 'SIGKILL');
    await expect.poll(() => stat()[0]).toBe('Z');
    await leaveBehind({ pid: Number(line), start: stat()[19] });

    expect(await inFixture(slot, ({ name }) => name)).toBe('w0');
  });

  test.each([{ host: 'ci-2' }, { system: 'another container' }])(
    'replaces the world of a remote process (%j) after a minute without requests',
    async (elsewhere) => {
      const { inFixture, leaveBehind } = await shared();
      const startedAt = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
      const { apiKey, baseUrl } = await leaveBehind({ pid: 999_999, ...elsewhere });
      const takeOver = () => inFixture(slot, ({ name }) => name);

      vi.setSystemTime(startedAt + 59_000);
      await expect(takeOver()).rejects.toEqual(nameTaken(/Process 999999 on/));
      await fetch(`${baseUrl}/organizations`, { headers: { authorization: `Bearer ${apiKey}` } });
      vi.setSystemTime(startedAt + 118_000);
      await expect(takeOver()).rejects.toEqual(nameTaken(/Process 999999 on/));
      vi.setSystemTime(startedAt + 119_000);

      expect(await takeOver()).toBe('w0');
    },
  );

  test("does not delete a new world that has replaced the fixture's world", async () => {
    const { worlds, inFixture, leaveBehind } = await shared();
    const options = { name: 'w1' };

    await inFixture(options, async (lost) => {
      await lost.forget();
      await leaveBehind({ pid: 999_999 }, options);
    });

    await expect(worlds.create(options)).rejects.toEqual(nameTaken(/Process 999999 on/));
  });

  test('replaces an abandoned world only once if two fixtures start simultaneously', async () => {
    const { inFixture, leaveBehind } = await shared();
    await leaveBehind({ pid: 999_999 });
    let release = () => {};
    const isRefused = new Promise<void>((resolve) => (release = resolve));
    const act = async ({ name }: TestWorld) => {
      await isRefused;
      return name;
    };

    const [one, other] = await Promise.all(
      [1, 2].map(() =>
        inFixture({ name: 'w0' }, act).catch((error: { readonly code: string }) => {
          release();
          return error.code;
        }),
      ),
    );

    expect([one, other].sort()).toEqual(['name_taken', 'w0']);
  });
});

test('the beforeAll hook replaces the world of a process that has ended', async () => {
  const { worlds, leaveBehind } = await shared();
  await leaveBehind({ pid: 999_999 });
  const hooks: (() => Promise<void>)[] = [];
  const add = (act: () => Promise<void>) => hooks.push(act);

  const world = worlds.during({ beforeAll: add, afterAll: add }, slot);
  await hooks[0]!();

  expect(world().name).toBe('w0');
});
