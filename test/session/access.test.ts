import { createSessionReader, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { type Claims, noon, service, userId } from './issuer.js';

const password = 'correct horse battery staple, twice over';
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

describe('session.has()', () => {
  test.each([
    [{ permission: 'posts:write' }],
    [{ role: 'editor' }],
    [{ role: 'member' }],
    [{ feature: 'new-editor' }],
    [{ entitlement: 'audit-logs' }],
    [{ permission: 'posts:read', role: 'member', feature: 'new-editor', entitlement: 'audit-logs' }],
  ])('returns true if the access token meets the requirement %j', async (requirement) => {
    const session = await sessionWith(editor);

    expect(session.has(requirement)).toBe(true);
  });

  test.each([
    ['a permission that the token does not contain', { permission: 'posts:delete' }],
    ['the beginning of a permission in the token', { permission: 'posts' }],
    ['a role that the token does not contain', { role: 'admin' }],
    ['a permission with the name of a feature', { permission: 'new-editor' }],
    ['two requirements if one is not met', { permission: 'posts:write', role: 'admin' }],
    // Callers without types.
    ['an empty requirement', {} as { role: string }],
    ['an undefined permission', { permission: undefined as never }],
    ['an unknown kind of requirement', { permission: 'posts:write', permisson: 'posts:write' }],
    ['a requirement named constructor', { constructor: 'Object' } as never],
  ])('returns false for %s', async (_, requirement) => {
    const session = await sessionWith(editor);

    expect(session.has(requirement)).toBe(false);
  });

  test('returns false for every permission and role if the token contains none', async () => {
    const session = await sessionWith({});

    expect(session.has({ permission: 'posts:write' })).toBe(false);
    expect(session.has({ role: 'member' })).toBe(false);
  });

  test('returns true for a cached session with the required role', async () => {
    const first = await sessionWith(editor);
    const second = await sessionWith(editor);

    expect([first.has({ role: 'editor' }), second.has({ role: 'editor' })]).toEqual([true, true]);
    expect(Object.isFrozen(second)).toBe(true);
  });
});

describe('a session', () => {
  test('is plain data that can be serialized, cloned and spread', async () => {
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

  test("contains the authentication time and the user's id", async () => {
    const session = await sessionWith(editor);

    expect([session.authenticatedAtMs, session.userId]).toEqual([noon - 600_000, userId]);
  });

  test.each([
    ['missing', undefined],
    ['a string', '1780314600'],
    ['null', null],
  ])('has no authentication time if auth_time is %s', async (_, auth_time) => {
    const session = await sessionWith({ ...editor, auth_time });

    expect(session.authenticatedAtMs).toBe(null);
  });
});
