import { Sallyport } from 'sallyport';
import { testWorlds } from 'sallyport/testing';
import { test as base } from 'vitest';
import { membersOf } from './members.js';

export const worlds = testWorlds({
  emulator: { dialect: 'workos' },
  seed: {
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    users: [
      { id: 'user_ada', email: 'ada@acme.test', email_verified: true },
      { id: 'user_bob', email: 'bob@acme.test', email_verified: true },
    ],
    memberships: [
      { user_id: 'user_ada', organization_id: 'org_acme' },
      { user_id: 'user_bob', organization_id: 'org_acme' },
    ],
  },
});

export const test = base.extend({
  // A world for each test. For one world per worker, use [worlds.fixture(), { scope: 'worker' }].
  world: worlds.fixture(),
  sallyport: async ({ world }, use) => {
    await use(new Sallyport({ ...world.credentials, fetch: world.fetch }));
  },
  members: async ({ world, sallyport }, use) => {
    const { credentials, env, fetch } = world;
    await use(membersOf({ sallyport, credentials, fetch, password: env.SALLYPORT_COOKIE_PASSWORD }));
  },
});
