import { describe, expect, test } from 'vitest';
import { seedFolder } from '../seed/file.js';
import { clientId, signingIn } from '../sign-in/signing-in.js';

const fileOf = seedFolder();

const acme = { organizations: [{ id: 'org_acme', name: 'Acme' }] };
const tailspin = { organizations: [{ id: 'org_tailspin', name: 'Tailspin' }] };

/** An emulator of one organization, and the names of those it has. */
async function world() {
  const place = await signingIn({ seed: acme });
  const names = async (headers = {}): Promise<string[]> => {
    const { body } = await place.send('GET /organizations', undefined, headers);
    return body.data.map(({ name }: { readonly name: string }) => name);
  };
  return { ...place, names };
}

describe('a reset with another seed', () => {
  test('starts over with it, now and at later resets', async () => {
    const { emulator, send, names } = await world();

    await emulator.reset({ seed: tailspin });
    expect(await names()).toEqual(['Tailspin']);
    await send('DELETE /organizations/org_tailspin');
    await emulator.reset();

    expect(await names()).toEqual(['Tailspin']);
  });

  test('takes a file', async () => {
    const { emulator, names } = await world();

    await emulator.reset({ seed: fileOf('organizations: [{ name: Tailspin }]') });

    expect(await names()).toEqual(['Tailspin']);
  });

  test('ends sessions, sets the clock back and leaves the keys that sign', async () => {
    const { emulator, send, user, byPassword, refresh } = await world();
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

  test('leaves production with its own', async () => {
    const { emulator, names } = await world();
    const live = { authorization: `Bearer ${emulator.production.credentials.apiKey}` };

    await emulator.production.reset({ seed: tailspin });

    expect([await names(), await names(live)]).toEqual([['Acme'], ['Tailspin']]);
  });

  test.each([
    [
      'what no seed can say',
      { organisations: [] },
      'organisations is not a known section; did you mean organizations?',
    ],
    [
      'what cannot be planted',
      { organizations: [{ name: 'A', domain_data: [{ domain: 'gmail.com', state: 'verified' }] }] },
      'organizations[0].domain_data[0].domain',
    ],
  ])('is refused with %s, and everything stays as it is', async (_what, seed, message) => {
    const { emulator, send, names } = await world();
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

  test('over HTTP reads no file', async () => {
    const { send, names } = await world();

    const { status, body } = await send('POST /_emulator/reset', { seed: 'package.json' });

    expect([status, body.errors[0].field]).toEqual([422, 'seed']);
    expect(await names()).toEqual(['Acme']);
  });
});
