import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { checkService } from '../../scripts/live/check-service.js';
import type { Fault } from '../../src/emulator/index.js';

/** Check an emulator. Returns the report, and the data that remains. */
async function checked(dialect: 'spec' | 'workos', faults: readonly Fault[] = []) {
  const emulator = await createEmulator({ dialect, faults });
  onTestFinished(() => emulator.close());
  const report = await checkService({ ...emulator.credentials, dialect, fetch: emulator.fetch });
  return { ...report, left: JSON.parse(await emulator.export({ format: 'json' })) };
}

test.each(['spec', 'workos'] as const)('a service that answers as described has no findings: %s', async (dialect) => {
  const { compared, findings, left } = await checked(dialect);

  expect(findings).toEqual([]);
  expect(compared.length).toBeGreaterThanOrEqual(40);
  expect([left.organizations ?? [], left.users ?? [], left.webhook_endpoints ?? []]).toEqual([[], [], []]);
});

test('a field that is not described is found, with its path', async () => {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init);
    if (!String(input instanceof Request ? input.url : input).includes('/auth/factors/')) return response;
    const factor = await response.json();
    return Response.json({ ...factor, shoe_size: 42, totp: { ...factor.totp, colour: 'red' } });
  };

  const { findings } = await checkService({ ...emulator.credentials, fetch });

  expect(findings).toContain('mfa.getFactor: shoe_size is not described');
  expect(findings).toContain('mfa.getFactor: totp.colour is not described');
});

test('a call that fails is found, the others are made, and everything is deleted', async () => {
  const { compared, findings, left } = await checked('spec', [{ operation: 'invitations.send', status: 403 }]);

  expect(findings).toEqual([expect.stringMatching(/^userManagement\.sendInvitation /)]);
  expect(compared).toContain('events.list');
  expect(left.organizations ?? []).toEqual([]);
});
