import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createEmulator, type Snapshot } from '../../../src/emulator/index.js';
import { sender } from '../../servers/send.js';
import { damagedRecordsOf } from '../store/damaged-records.js';
import { stateFolder } from './folder.js';

const newFile = stateFolder();

const options = {
  clock: '2026-01-01T00:00:00.000Z',
  ids: 'records',
  seed: {
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
    api_keys: [{ value: 'sk_test_reports' }],
    faults: [{ operation: 'organizations.list', status: 503 as const }],
  },
};

/** A state file, and a snapshot of its emulator from before it was closed. */
async function writeState(): Promise<{ readonly file: string; readonly snapshot: Snapshot }> {
  const file = newFile();
  const emulator = await createEmulator({ ...options, state: file });
  const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
  await emulator.close();
  return { file, snapshot };
}

/** Add a change to a state file. */
const append = (file: string, ...entry: readonly unknown[]): void =>
  writeFileSync(file, `${JSON.stringify([entry])}\n`, { flag: 'a' });

describe('a state file', () => {
  test.each([
    ['staging', 'fault', 'fault_1', null, 'in staging, "fault" has a key without a value'],
    ['staging', 'API key', 'sk_test_reports', null, 'in staging, "API key" has a key without a value'],
    ['staging', 'signing keys', '', [null], 'in staging, "signing keys" is wrong in entry 1: 0 must be an object'],
    ['staging', 'ids', '', { last: 'no ULID', numbers: 1 }, 'in staging, "ids" is wrong in entry 1: last must be'],
    ['staging', 'user', 'user_ada', { id: 'user_ada' }, 'in staging, "user" is wrong in "user_ada": email is required'],
    ['production', 'clock', '', { standsAt: 'soon' }, 'in production, "clock" has an invalid time'],
    ['staging', 'ships', 'a', {}, 'in staging, "ships" is not the name of a store'],
    ['', 'environment', 'staging', null, '"environment" is wrong in "staging": it must be true'],
    ['', 'emulator', 'adminKey', null, '"emulator" is wrong in "adminKey": it must be a string'],
  ])(
    'with a damaged record is rejected (environment %j, store %j, key %j)',
    async (environment, store, key, value, why) => {
      const { file } = await writeState();
      append(file, environment, store, key, value);
      const before = readFileSync(file);

      await expect(createEmulator({ ...options, state: file })).rejects.toMatchObject({
        name: 'ConfigurationError',
        code: 'invalid_state',
        message: expect.stringContaining(`The state file ${file} is damaged: ${why}`),
      });

      expect(readFileSync(file)).toEqual(before);
    },
  );

  test('with a damaged field never causes an internal error', async () => {
    const { file, snapshot } = await writeState();
    const good = readFileSync(file);
    const failures: string[] = [];
    let refused = 0;
    for (const { store, key, damage, value } of damagedRecordsOf(snapshot.worlds.staging!, [null, {}])) {
      writeFileSync(file, good);
      append(file, 'staging', store, key, value);
      try {
        const emulator = await createEmulator({ ...options, state: file });
        const send = sender(emulator.fetch, emulator.url, 'sk_test_sallyport_emulator');
        for (const path of ['/_emulator/export', '/user_management/users', '/events'])
          if ((await send(`GET ${path}`)).body.code === 'emulator_error')
            failures.push(`${store}: ${damage}: GET ${path}`);
        await emulator.close();
      } catch (error) {
        refused++;
        if (Object(error).code !== 'invalid_state') failures.push(`${store}: ${damage}: ${error}`);
      }
    }

    expect(failures).toEqual([]);
    expect(refused).toBeGreaterThan(100);
  }, 60_000);

  test('with undamaged records is restored completely', async () => {
    const { file, snapshot } = await writeState();

    const emulator = await createEmulator({ ...options, state: file });

    expect(JSON.parse(JSON.stringify(emulator.snapshot()))).toEqual(snapshot);
    await emulator.close();
  });
});
