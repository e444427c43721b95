import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { requires } from '../runner/requirements.js';

const run = promisify(execFile);

requires('python3')('a Python client that uses only the standard library', () => {
  test('completes a tour of all features over HTTP', async () => {
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    await emulator.listen();
    const { stdout, stderr } = await run('python3', ['examples/python/tour.py', emulator.url, emulator.adminKey], {
      timeout: 60_000,
    });

    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      'world: tour with 0 users, for browsers at tour.localhost',
      'set up: Acme with ada@acme.test as editor',
      'hosted page: Sign in > Enter your password > back to work as ada@acme.test',
      'mail: a code of 6 digits signs in ada@acme.test',
      'control: session True, role editor, 3 sessions',
      expect.stringMatching(/^clock: it is \S+Z; the token has expired: True; same session: True$/),
      'old refresh token: 400 invalid_grant',
      'directory: Grace, Linus in Harbour',
      'webhooks: dsync.activated, dsync.group.user_added, dsync.group.user_added, dsync.user.created, dsync.user.created, each with a valid signature',
      'deliveries: 5 of 5 delivered',
      'fga: Ada as viewer of the report: authorized',
      'faults: 429, 200, 503',
      'requests: 23 logged, the first to users.list; 1 user.created',
      'signed out: 400 invalid_grant',
      'restored: ada@acme.test is signed in again',
      'copy: ada@acme.test is in copy too: True',
      'forgotten: 401 unknown_api_key',
      expect.stringMatching(/^done: in \d+\.\d s$/),
    ]);
    expect(emulator.worlds.list()).toEqual([]);
    // The requests to pages of the world, and one with the key of a deleted world.
    expect((await emulator.requests.list()).map(({ status }) => status)).toEqual([302, 302, 401]);
    expect(existsSync('examples/python/__pycache__')).toBe(false);
  });

  test("prints the service's error if the API key is wrong", async () => {
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    await emulator.listen();

    const outcome = run('python3', ['examples/python/tour.py', emulator.url, 'ak_wrong']);

    await expect(outcome).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Refused: status 401') });
  });
});
