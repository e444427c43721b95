import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { stage } from '../stage.js';

const run = promisify(execFile);

async function script(adminKey?: string) {
  const { emulator } = await stage({ dialect: 'workos', listen: true });
  const { PATH = '' } = process.env;
  const env = { PATH, EMULATOR_URL: emulator.url, ADMIN_KEY: adminKey ?? emulator.adminKey };
  return { emulator, printed: run('examples/testing/world.sh', [], { env }) };
}

test('the curl script in the documentation creates, uses and deletes a world', async () => {
  const { emulator, printed } = await script();

  const { stdout } = await printed;

  expect(stdout.trim().split('\n')).toEqual([
    'signed in: ada@acme.test in org_acme',
    'mail: You have been invited to Acme',
    'event: session.created',
    'clock: 2030-02-01T00:00:00.000Z',
  ]);
  expect(emulator.worlds.list()).toEqual([]);
});

test('the curl script in the documentation stops at the first rejected request', async () => {
  const { printed } = await script('ak_not_this_one');

  await expect(printed).rejects.toThrow();
});
