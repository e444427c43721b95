import { testWorlds } from 'sallyport/testing';
import { afterAll, expect, test } from 'vitest';

const worlds = testWorlds({
  emulator: { dialect: 'workos' },
  listen: true,
  seed: {
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
  },
});
const world = await worlds.create();
Object.assign(process.env, world.env);
const { account } = await import('./account.js');
afterAll(() => worlds.close());

test('the account shows the organizations of the user', async () => {
  const { headers } = await world.signInAs('user_ada');

  const response = await account(new Request('http://app.test/account', { headers }));

  expect(await response.json()).toEqual(['Acme']);
});
