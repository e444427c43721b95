import { type EarlierMagicAuthResponse, type EarlierProfile, Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';

// Responses that the service no longer sends, as in the specification. The emulator does not send them.

const user = {
  object: 'user',
  id: 'user_01',
  email: 'ada@acme.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email_verified: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const profile = {
  object: 'profile',
  id: 'prof_01',
  idp_id: 'okta|1',
  identity_provider: 'OktaSAML',
  email: 'ada@acme.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  workos_id: 'internal_01',
};

const answering = (body: unknown) =>
  new Sallyport({
    apiKey: 'sk_test_0123456789abcdef',
    clientId: 'client_01',
    baseUrl: 'https://service.test',
    fetch: async () => Response.json(body),
  });

const refused = { code: 'unexpected_response', name: 'UnexpectedResponseError' };

describe('a sign-in response in the old format', () => {
  const payload = { code: '123456', email: 'ada@acme.test' };
  const answer = { user, organization_id: 'org_01' };

  test('is accepted by the legacy method for one-time codes', async () => {
    const result: EarlierMagicAuthResponse = await answering(answer).legacy.authenticateWithMagicAuth(payload);

    expect(result).toMatchObject({ user: { id: 'user_01', firstName: 'Ada' }, organizationId: 'org_01' });
    expect(result).not.toHaveProperty('accessToken');
  });

  test('is rejected by the current method for one-time codes, and the error names the legacy method', async () => {
    const call = answering(answer).userManagement.authenticateWithMagicAuth(payload);

    await expect(call).rejects.toMatchObject({ ...refused, path: 'access_token' });
    await expect(call).rejects.toThrow(
      /is missing.*Call legacy\.authenticateWithMagicAuth if the service responds in the older form/s,
    );
  });

  test('is rejected by the current method for one-time codes even if the method seals the session', async () => {
    const session = { sealSession: true, cookiePassword: 'correct-horse-battery-staple-0001' } as const;

    const sealing = answering(answer).userManagement.authenticateWithMagicAuth({ ...payload, session });

    await expect(sealing).rejects.toThrow(/Call legacy\.authenticateWithMagicAuth/);
  });

  test('is rejected by the password method, and the error names no legacy method', async () => {
    const call = answering(answer).userManagement.authenticateWithPassword({ email: 'ada@acme.test', password: 'p' });

    await expect(call).rejects.toMatchObject({ ...refused, path: 'access_token' });
    await expect(call).rejects.not.toThrow(/legacy/);
  });

  test('is rejected by the legacy method if the user is missing', async () => {
    const call = answering({ organization_id: 'org_01' }).legacy.authenticateWithMagicAuth(payload);

    await expect(call).rejects.toMatchObject({ ...refused, path: 'user' });
    await expect(call).rejects.toThrow(/^legacy\.authenticateWithMagicAuth .*\. Check that/);
  });
});

describe('a profile in the old format', () => {
  const answer = { access_token: 'at_01', profile };

  test('is accepted by the legacy method', async () => {
    const { accessToken, profile: read } = await answering(answer).legacy.getProfileAndToken({ code: 'c' });
    const typed: EarlierProfile = read;

    expect(accessToken).toBe('at_01');
    // An organization in this profile could be confused with a membership of the user.
    expect(typed).toEqual({
      object: 'profile',
      id: 'prof_01',
      idpId: 'okta|1',
      identityProvider: 'OktaSAML',
      email: 'ada@acme.test',
      firstName: 'Ada',
      lastName: 'Lovelace',
      workosId: 'internal_01',
    });
  });

  test('is rejected by the current methods, and the errors name the legacy method', async () => {
    const calls = [
      [answering(answer).sso.getProfileAndToken({ code: 'c' }), 'profile.connection_id'],
      [answering(profile).sso.getProfile({ accessToken: 'at_01' }), 'connection_id'],
    ] as const;

    for (const [call, path] of calls) {
      await expect(call).rejects.toMatchObject({ ...refused, path });
      await expect(call).rejects.toThrow(/Call legacy\.getProfileAndToken if/);
    }
  });

  test('is required by the legacy method, and the error for a current profile names the current method', async () => {
    const { identity_provider: _, workos_id: __, ...rest } = profile;
    const today = { ...rest, connection_id: 'conn_01', connection_type: 'OktaSAML', organization_id: 'org_01' };

    const call = answering({ ...answer, profile: today }).legacy.getProfileAndToken({ code: 'c' });

    await expect(call).rejects.toMatchObject({ ...refused, path: 'profile.workos_id' });
    await expect(call).rejects.toThrow(
      /^legacy\.getProfileAndToken .*Call sso\.getProfileAndToken if the service responds in today's form/,
    );
  });

  test.each([
    ['profile.workos_id', 'missing', { ...profile, workos_id: undefined }],
    ['profile.email', 'missing', { ...profile, email: undefined }],
    ['profile.workos_id', 'not a string', { ...profile, workos_id: 7 }],
  ])('is rejected if %s is %s', async (path, _what, wrong) => {
    const call = answering({ ...answer, profile: wrong }).legacy.getProfileAndToken({ code: 'c' });

    await expect(call).rejects.toMatchObject({ ...refused, path });
  });
});
