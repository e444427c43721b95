import { type EarlierMagicAuthResponse, type EarlierProfile, InvalidArgumentError, Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';

// Answers that a service of today gives no more, as the specification has them; the emulator does not send them.

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

describe('the earlier answer to a mailed code', () => {
  const payload = { code: '123456', email: 'ada@acme.test' };

  test('is the user and the organization, and no tokens', async () => {
    const { userManagement } = answering({ user, organization_id: 'org_01' });

    const answer: EarlierMagicAuthResponse = await userManagement.authenticateWithMagicAuth(payload);

    expect(answer).toMatchObject({ user: { id: 'user_01', firstName: 'Ada' }, organizationId: 'org_01' });
    expect(answer).not.toHaveProperty('accessToken');
  });

  test('holds nothing that could be sealed, which an error says', async () => {
    const { userManagement } = answering({ user, organization_id: null });
    const session = { sealSession: true, cookiePassword: 'correct-horse-battery-staple-0001' } as const;

    const sealing = userManagement.authenticateWithMagicAuth({ ...payload, session });

    await expect(sealing).rejects.toThrow(InvalidArgumentError);
    await expect(sealing).rejects.toThrow(/older form of magic auth.*Omit session/);
  });

  test('is none of a password: there the tokens must be', async () => {
    const { userManagement } = answering({ user, organization_id: null });

    const call = userManagement.authenticateWithPassword({ email: 'ada@acme.test', password: 'p' });

    await expect(call).rejects.toMatchObject({ code: 'unexpected_response', path: 'access_token' });
  });

  test('has its user, without whom it is refused', async () => {
    const { userManagement } = answering({ organization_id: 'org_01' });

    await expect(userManagement.authenticateWithMagicAuth(payload)).rejects.toMatchObject({ path: 'user' });
  });
});

describe('the earlier profile', () => {
  test('is read from both answers that bring one', async () => {
    const { sso } = answering({ access_token: 'at_01', profile });

    const { profile: first }: { profile: EarlierProfile } = await sso.getProfileAndToken({ code: 'c' });
    const second: EarlierProfile = await answering(profile).sso.getProfile({ accessToken: 'at_01' });

    expect(first).toEqual({
      object: 'profile',
      id: 'prof_01',
      idpId: 'okta|1',
      identityProvider: 'OktaSAML',
      email: 'ada@acme.test',
      firstName: 'Ada',
      lastName: 'Lovelace',
      workosId: 'internal_01',
      // An organization here could be taken for a membership of the user.
      organizationId: null,
    });
    expect(second).toEqual(first);
  });

  test.each([
    ['connection_id', { ...profile, workos_id: undefined }],
    ['email', { ...profile, email: undefined }],
    ['workos_id', { ...profile, workos_id: 7 }],
  ])('is refused by %s where that is missing or no text', async (path, body) => {
    await expect(answering(body).sso.getProfile({ accessToken: 'at_01' })).rejects.toMatchObject({ path });
  });
});
