import { createSessionReader, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { type Claims, issuer, noon, userId } from './issuer.js';

const password = 'correct horse battery staple, twice over';
const service = issuer();
const reader = createSessionReader({
  cookiePassword: password,
  clientId: 'client_1',
  baseUrl: 'https://api.example.com',
  keys: service.keys,
  now: () => noon,
  cache: sessionCache(),
});

const editor: Claims = {
  org_id: 'org_1',
  role: 'editor',
  roles: ['editor', 'member'],
  permissions: ['posts:write', 'posts:read'],
  entitlements: ['audit-logs'],
  feature_flags: ['new-editor'],
  auth_time: noon / 1000 - 600,
};

async function sessionWith(claims: Claims) {
  const accessToken = service.token(claims);
  const sealed = { accessToken, refreshToken: 'refresh_1', user: { id: userId, email: 'ada@acme.test' } };
  const result = await reader.read(`sallyport-session=${await seal(sealed, passwordRing(password))}`);
  if (result.status !== 'active') throw new Error(`The session is ${result.status}.`);
  return result.session;
}

describe('a session', () => {
  test.each([
    [{ permission: 'posts:write' }],
    [{ role: 'editor' }],
    [{ role: 'member' }],
    [{ feature: 'new-editor' }],
    [{ entitlement: 'audit-logs' }],
    [{ permission: 'posts:read', role: 'member', feature: 'new-editor', entitlement: 'audit-logs' }],
  ])('has each role, permission, feature and entitlement that its token contains: %j', async (requirement) => {
    const session = await sessionWith(editor);

    expect(session.has(requirement)).toBe(true);
  });

  test.each([
    ['another permission', { permission: 'posts:delete' }],
    ['a permission that is the start of a longer one', { permission: 'posts' }],
    ['another role', { role: 'admin' }],
    ['a permission that is a feature', { permission: 'new-editor' }],
    ['two requirements if one is not met', { permission: 'posts:write', role: 'admin' }],
    // Callers without types.
    ['an empty requirement', {} as { role: string }],
    ['a permission that is undefined', { permission: undefined as never }],
    ['a kind of requirement that does not exist', { permission: 'posts:write', permisson: 'posts:write' }],
    ['a property of every object', { constructor: 'Object' } as never],
  ])('does not have %s', async (_, requirement) => {
    const session = await sessionWith(editor);

    expect(session.has(requirement)).toBe(false);
  });

  test('has no permissions and no roles if the token names none', async () => {
    const session = await sessionWith({});

    expect(session.has({ permission: 'posts:write' })).toBe(false);
    expect(session.has({ role: 'member' })).toBe(false);
  });

  test('returns the same results if it comes from the cache', async () => {
    const first = await sessionWith(editor);
    const second = await sessionWith(editor);

    expect([first.has({ role: 'editor' }), second.has({ role: 'editor' })]).toEqual([true, true]);
    expect(Object.isFrozen(second)).toBe(true);
  });

  test('is plain data: printed, cloned and spread copies have its fields, but not its method', async () => {
    const session = await sessionWith(editor);
    const fields = [
      'claims',
      'authenticatedAtMs',
      'endsAtMs',
      'entitlements',
      'expiresAtMs',
      'featureFlags',
      'impersonator',
      'organizationId',
      'permissions',
      'role',
      'roles',
      'sessionId',
      'startedAtMs',
      'user',
      'userId',
    ];

    expect(Object.keys(JSON.parse(JSON.stringify(session))).sort()).toEqual(fields.sort());
    expect(structuredClone(session)).toEqual({ ...session });
    expect(Object.getPrototypeOf(session)).toBe(Object.prototype);
  });

  test("has the time when the user proved their identity, and the user's id", async () => {
    const session = await sessionWith(editor);

    expect([session.authenticatedAtMs, session.userId]).toEqual([noon - 600_000, userId]);
  });

  test.each([
    ['absent', undefined],
    ['a string', '1780314600'],
    ['null', null],
  ])('has no sign-in time if auth_time is %s', async (_, auth_time) => {
    const session = await sessionWith({ ...editor, auth_time });

    expect(session.authenticatedAtMs).toBe(null);
  });
});
