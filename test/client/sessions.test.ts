import { InvalidArgumentError, Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { UserManagement } from '../../src/client/user-management.js';
import { page, recorded } from './sent.js';

const wireSession = {
  object: 'session',
  id: 'session_01',
  user_id: 'user_01',
  organization_id: null,
  ip_address: '203.0.113.7',
  user_agent: 'Firefox',
  auth_method: 'password',
  status: 'active',
  expires_at: '2026-02-02T03:04:05.678Z',
  ended_at: null,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};
const wireKeys = {
  keys: [{ alg: 'RS256', kty: 'RSA', use: 'sig', kid: 'key_1', n: 'AQAB', e: 'AQAB', x5c: ['MII'], 'x5t#S256': 'abc' }],
};

describe('the sessions of a user', () => {
  test('are listed by the id of the user', async () => {
    const { transport, sent } = recorded(page([wireSession]));

    const { data } = await new UserManagement(transport).listSessions('user_01', { limit: 5 });

    expect(sent[0]).toMatchObject({ method: 'GET', path: '/user_management/users/user_01/sessions' });
    expect(sent[0]?.query).toEqual({ limit: '5' });
    expect(data[0]).toMatchObject({ id: 'session_01', userId: 'user_01', authMethod: 'password', endedAt: null });
  });

  test('are ended by their id', async () => {
    const { transport, sent } = recorded({ ...wireSession, status: 'revoked' });

    const result = await new UserManagement(transport).revokeSession({ sessionId: 'session_01' });

    expect(result).toBeUndefined();
    expect(sent[0]).toMatchObject({
      method: 'POST',
      path: '/user_management/sessions/revoke',
      body: { session_id: 'session_01' },
    });
  });

  test('are neither listed nor ended without an id, before the network', async () => {
    const { transport, sent } = recorded(page([]));
    const userManagement = new UserManagement(transport);

    // @ts-expect-error the id is forgotten
    await expect(userManagement.revokeSession({})).rejects.toMatchObject({ argument: 'sessionId' });
    await expect(userManagement.listSessions('')).rejects.toMatchObject({ argument: 'userId' });
    expect(sent).toEqual([]);
  });
});

describe('the key set for access tokens', () => {
  test('is returned in the form of JWT libraries', async () => {
    const { transport, sent } = recorded(wireKeys);

    const keys = await new UserManagement(transport).getJwks();

    expect(sent[0]).toMatchObject({ method: 'GET', path: '/sso/jwks/client_01' });
    expect(sent[0]?.headers.has('authorization')).toBe(false);
    expect(keys).toEqual(wireKeys);
  });

  test('has a URL for every client', () => {
    const { transport, sent } = recorded();
    const userManagement = new UserManagement(transport);

    expect(userManagement.getJwksUrl()).toBe('https://service.test/sso/jwks/client_01');
    expect(userManagement.getJwksUrl('client_of another')).toBe('https://service.test/sso/jwks/client_of%20another');
    expect(sent).toEqual([]);
  });

  test('needs a client id', async () => {
    const { userManagement } = new Sallyport({ apiKey: 'sk_test_0123456789', baseUrl: 'https://service.test' });

    expect(() => userManagement.getJwksUrl()).toThrow(InvalidArgumentError);
    await expect(userManagement.getJwks()).rejects.toMatchObject({ argument: 'clientId' });
  });
});

describe('an email that the application sends itself', () => {
  const times = { expires_at: '2026-01-02T03:14:05.678Z', created_at: '2026-01-02T03:04:05.678Z' };

  test('can contain a sign-in code', async () => {
    const wire = {
      object: 'magic_auth',
      id: 'magic_auth_01',
      user_id: 'user_01',
      email: 'ada@acme.test',
      code: '123456',
    };
    const { transport, sent } = recorded({ ...wire, ...times });
    const userManagement = new UserManagement(transport);

    const made = await userManagement.createMagicAuth({ email: 'ada@acme.test', invitationToken: 'invited' });
    const read = await userManagement.getMagicAuth('magic_auth_01');

    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /user_management/magic_auth',
      'GET /user_management/magic_auth/magic_auth_01',
    ]);
    expect(sent[0]?.body).toEqual({ email: 'ada@acme.test', invitation_token: 'invited' });
    expect(made).toMatchObject({ id: 'magic_auth_01', userId: 'user_01', code: '123456' });
    expect(read).toEqual(made);
  });

  test('can contain a token to set a password', async () => {
    const { transport, sent } = recorded({
      object: 'password_reset',
      id: 'password_reset_01',
      user_id: 'user_01',
      email: 'ada@acme.test',
      password_reset_token: 'reset-0815',
      password_reset_url: 'https://hosted.test/reset?token=reset-0815',
      ...times,
    });
    const userManagement = new UserManagement(transport);

    const made = await userManagement.createPasswordReset({ email: 'ada@acme.test' });
    const read = await userManagement.getPasswordReset('password_reset_01');

    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /user_management/password_reset',
      'GET /user_management/password_reset/password_reset_01',
    ]);
    expect(made).toMatchObject({
      passwordResetToken: 'reset-0815',
      passwordResetUrl: 'https://hosted.test/reset?token=reset-0815',
    });
    expect(read).toEqual(made);
  });
});
