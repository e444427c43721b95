const { Sallyport } = require('sallyport');
const { testWorlds } = require('sallyport/testing');
const { createSessions } = require('sallyport/session');
const { invite } = require('./invite.js');

const worlds = testWorlds({
  emulator: { dialect: 'workos' },
  seed: {
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
  },
});
// A world for each test. For one world per file, pass { beforeAll, afterAll }.
const world = worlds.during({ beforeEach, afterEach });
const clientOf = ({ credentials, fetch }) => new Sallyport({ ...credentials, fetch });

afterAll(() => worlds.close());

test('somebody new is invited', async () => {
  expect(await invite(clientOf(world()), 'org_acme', 'bob@acme.test')).toBe('invited');

  const { url } = await world().inbox.waitFor({ to: 'bob@acme.test', kind: 'invitation' });
  expect(url).toContain('invitation');
});

test('a member is not', async () => {
  expect(await invite(clientOf(world()), 'org_acme', 'ada@acme.test')).toBe('member');

  expect(await world().inbox.list()).toEqual([]);
});

test('a session begins without a browser', async () => {
  const { headers } = await world().signInAs('user_ada');

  const { credentials, env, fetch } = world();
  const sessions = createSessions({ ...credentials, cookiePassword: env.SALLYPORT_COOKIE_PASSWORD, fetch });
  const { session } = await sessions.read(headers.cookie);
  expect(session.organizationId).toBe('org_acme');
});
