import { Sallyport } from 'sallyport';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { wireSession, wireUser } from '../servers/wire.js';

// Fields that the public service sends and that are not in the specification. The emulator sends only the full name.

const answering = (body: unknown) =>
  new Sallyport({
    apiKey: 'sk_test_0123456789abcdef',
    clientId: 'client_01',
    baseUrl: 'https://service.test',
    fetch: async () => Response.json(body),
  });

const domain = { object: 'organization_domain', id: 'org_domain_01', domain: 'acme.test', state: 'pending' };
const directoryUser = { object: 'directory_user', id: 'directory_user_01', directory_id: 'directory_01' };
const magicAuth = { object: 'magic_auth', id: 'magic_auth_01', user_id: 'user_01', code: '123456' };

describe('in responses from the public service, the client decodes', () => {
  test('the full name of a user', async () => {
    const { name } = await answering(wireUser({ name: 'Ada Lovelace' })).userManagement.getUser('user_01');
    const unnamed = await answering(wireUser({ name: null })).userManagement.getUser('user_01');

    expectTypeOf(name).toEqualTypeOf<string | null | undefined>();
    expect(name).toBe('Ada Lovelace');
    expect(unnamed.name).toBeNull();
  });

  test('all roles of a directory user', async () => {
    const body = { ...directoryUser, role: { slug: 'admin' }, roles: [{ slug: 'admin' }, { slug: 'billing' }] };

    const { roles } = await answering(body).directorySync.getUser('directory_user_01');

    expect(roles).toEqual([{ slug: 'admin' }, { slug: 'billing' }]);
  });

  test('the prefix of a DNS record', async () => {
    const body = { ...domain, verification_prefix: 'acme-verification-kZ3v' };

    const read = await answering(body).organizationDomains.getOrganizationDomain('org_domain_01');

    expect(read.verificationPrefix).toBe('acme-verification-kZ3v');
  });

  test('the Radar attempt id of a new user and of a sign-in code', async () => {
    const radar_auth_attempt_id = 'radar_auth_attempt_01';
    const created = await answering(wireUser({ radar_auth_attempt_id })).userManagement.createUser({
      email: 'ada@acme.test',
    });
    const code = await answering({ ...magicAuth, radar_auth_attempt_id }).userManagement.createMagicAuth({
      email: 'ada@acme.test',
    });

    expect(created.radarAuthAttemptId).toBe('radar_auth_attempt_01');
    expect(code.radarAuthAttemptId).toBe('radar_auth_attempt_01');
  });

  test('the authorization code for another application', async () => {
    const body = wireSession({ authkit_authorization_code: 'authkit_authz_code_01' });

    const signedIn = await answering(body).userManagement.authenticateWithCode({ code: 'c' });

    expect(signedIn.authkitAuthorizationCode).toBe('authkit_authz_code_01');
  });
});

test('the client accepts a response without the fields that only the public service sends', async () => {
  const user = await answering(wireUser()).userManagement.createUser({ email: 'ada@acme.test' });
  const signedIn = await answering(wireSession()).userManagement.authenticateWithCode({ code: 'c' });

  expect(user).not.toHaveProperty('name');
  expect(user).not.toHaveProperty('radarAuthAttemptId');
  expect(signedIn).not.toHaveProperty('authkitAuthorizationCode');
});
