import { describe, expect, test } from 'vitest';
import { seedFolder } from '../seed/file.js';
import { clientId, signingIn } from '../sign-in/signing-in.js';

const fileOf = seedFolder();

const acme = { organizations: [{ id: 'org_acme', name: 'Acme' }] };
const tailspin = { organizations: [{ id: 'org_tailspin', name: 'Tailspin' }] };

/** An emulator with one organization, and a function that lists the names of its organizations. */
async function startWithAcme() {
  const started = await signingIn({ seed: acme });
  const names = async (headers = {}): Promise<string[]> => {
    const { body } = await started.send('GET /organizations', undefined, headers);
    return body.data.map(({ name }: { readonly name: string }) => name);
  };
  return { ...started, names };
}

describe('a reset with a new seed', () => {
  test('loads the new seed immediately and at later resets', async () => {
    const { emulator, send, names } = await startWithAcme();

    await emulator.reset({ seed: tailspin });
    expect(await names()).toEqual(['Tailspin']);
    await send('DELETE /organizations/org_tailspin');
    await emulator.reset();

    expect(await names()).toEqual(['Tailspin']);
  });

  test('can load the seed from a file', async () => {
    const { emulator, names } = await startWithAcme();

    await emulator.reset({ seed: fileOf('organizations: [{ name: Tailspin }]') });

    expect(await names()).toEqual(['Tailspin']);
  });

  test('ends sessions, sets the clock back and keeps the signing keys', async () => {
    const { emulator, send, user, byPassword, refresh } = await startWithAcme();
    const keys = async () => (await send(`GET /sso/jwks/${clientId}`)).body;
    const before = await keys();
    await user('ada@acme.test');
    const { body } = await byPassword('ada@acme.test');
    await emulator.clock.advance('1d');

    await emulator.reset({ seed: tailspin });

    expect((await refresh(body.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect(emulator.clock.iso()).toBe('2026-01-01T00:00:00.000Z');
    expect(await keys()).toEqual(before);
  });

  test('in production does not change the seed of staging', async () => {
    const { emulator, names } = await startWithAcme();
    const live = { authorization: `Bearer ${emulator.production.credentials.apiKey}` };

    await emulator.production.reset({ seed: tailspin });

    expect([await names(), await names(live)]).toEqual([['Acme'], ['Tailspin']]);
  });

  test.each([
    [
      'has an unknown section',
      { organisations: [] },
      'organisations is not a known section; did you mean organizations?',
    ],
    [
      'cannot be applied',
      { organizations: [{ name: 'A', domain_data: [{ domain: 'gmail.com', state: 'verified' }] }] },
      'organizations[0].domain_data[0].domain',
    ],
  ])('is rejected without any change if the seed %s', async (_what, seed, message) => {
    const { emulator, send, names } = await startWithAcme();
    await send('POST /organizations', { name: 'Northwind' });
    await emulator.clock.advance('1d');

    // JavaScript callers may pass anything.
    const inProcess = emulator.reset({ seed: seed as object });
    await expect(inProcess).rejects.toMatchObject({ status: 422, code: 'invalid_seed' });
    await expect(inProcess).rejects.toThrow(message);
    const { status, body } = await send('POST /_emulator/reset', { seed });

    expect([status, body.code]).toEqual([422, 'invalid_seed']);
    expect(body.message).toContain(message);
    expect(await names()).toEqual(['Northwind', 'Acme']);
    expect(emulator.clock.iso()).toBe('2026-01-02T00:00:00.000Z');
    await emulator.reset();
    expect(await names()).toEqual(['Acme']);
  });

  test('over HTTP does not read the seed from a file', async () => {
    const { send, names } = await startWithAcme();

    const { status, body } = await send('POST /_emulator/reset', { seed: 'package.json' });

    expect([status, body.errors[0].field]).toEqual([422, 'seed']);
    expect(await names()).toEqual(['Acme']);
  });
});
