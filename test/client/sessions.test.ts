import { InvalidArgumentError, Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { UserManagement } from '../../src/client/user-management.js';
import { page, recorded } from './sent.js';

const wireKeys = {
  keys: [{ alg: 'RS256', kty: 'RSA', use: 'sig', kid: 'key_1', n: 'AQAB', e: 'AQAB', x5c: ['MII'], 'x5t#S256': 'abc' }],
};

test("the methods that list and end a user's sessions require an id", async () => {
  const { transport, sent } = recorded(page([]));
  const userManagement = new UserManagement(transport);

  // @ts-expect-error the id is forgotten
  await expect(userManagement.revokeSession({})).rejects.toMatchObject({ argument: 'sessionId' });
  await expect(userManagement.listSessions('')).rejects.toMatchObject({ argument: 'userId' });
  expect(sent).toEqual([]);
});

describe('the key set for access tokens', () => {
  test('is returned in the format that JWT libraries use', async () => {
    const { transport, sent } = recorded(wireKeys);

    const keys = await new UserManagement(transport).getJwks();

    expect(sent[0]).toMatchObject({ method: 'GET', path: '/sso/jwks/client_01' });
    expect(sent[0]?.headers.has('authorization')).toBe(false);
    expect(keys).toEqual(wireKeys);
  });

  test('has a separate URL for each client id', () => {
    const { transport, sent } = recorded();
    const userManagement = new UserManagement(transport);

    expect(userManagement.getJwksUrl()).toBe('https://service.test/sso/jwks/client_01');
    expect(userManagement.getJwksUrl('client_of another')).toBe('https://service.test/sso/jwks/client_of%20another');
    expect(sent).toEqual([]);
  });

  test('requires a client id', async () => {
    const { userManagement } = new Sallyport({ apiKey: 'sk_test_0123456789', baseUrl: 'https://service.test' });

    expect(() => userManagement.getJwksUrl()).toThrow(InvalidArgumentError);
    await expect(userManagement.getJwks()).rejects.toMatchObject({ argument: 'clientId' });
  });
});
