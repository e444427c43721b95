import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../../src/emulator/index.js';
import { browse, oneBrowser } from '../../browser.js';
import { clientId, signingIn } from '../signing-in.js';

const url = { response_type: 'code', client_id: clientId, redirect_uri: 'http://localhost:3000/callback', state: 's' };

/** A browser at the consent page of a social provider. */
async function atProvider(options: EmulatorOptions = {}, provider = 'GoogleOAuth') {
  const { emulator, send, grant } = await signingIn({
    seed: {
      users: [
        { id: 'user_ada', email: 'ada@acme.test', email_verified: true },
        { id: 'user_new', email: 'new@acme.test' },
        {
          id: 'user_bob',
          email: 'bob@acme.test',
          email_verified: true,
          identities: [{ idp_id: 'google-7', provider: 'GoogleOAuth' }],
        },
      ],
    },
    ...options,
  });
  const { params } = await browse(emulator)('/user_management/authorize', { ...url, provider }, oneBrowser.headers);
  const consent = async (fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({
      authorization: params.authorization ?? '',
      provider,
      ...oneBrowser.fields,
      ...fields,
    });
    const answer = await emulator.fetch(`${emulator.url}/hosted/provider`, {
      method: 'POST',
      headers: oneBrowser.headers,
      body,
      redirect: 'manual',
    });
    return Object.fromEntries(new URL(answer.headers.get('location') ?? '', emulator.url).searchParams);
  };
  const authenticate = (code: string | undefined) => grant('authorization_code', { code });
  const listEvents = async (names: string): Promise<{ event: string; data: Record<string, unknown> }[]> =>
    (await send(`GET /events?events=${names}`)).body.data;
  return { emulator, send, consent, authenticate, told: listEvents };
}

describe('a sign-in with a social provider', () => {
  test('links the provider account to the user with the same email address', async () => {
    const { send, consent, authenticate, told } = await atProvider();

    const { code, state } = await consent({ email: 'Ada@acme.test' });
    const { body } = await authenticate(code);

    expect([state, body.user.id]).toEqual(['s', 'user_ada']);
    expect((await send('GET /user_management/users/user_ada/identities')).body).toMatchObject([
      { type: 'OAuth', provider: 'GoogleOAuth' },
    ]);
    expect(await told('authentication.oauth_succeeded')).toMatchObject([
      { data: { type: 'oauth', status: 'succeeded', user_id: 'user_ada' } },
    ]);
  });

  test('returns the same authorization code if the consent page is submitted twice', async () => {
    const { consent, told } = await atProvider();

    const first = await consent({ email: 'ada@acme.test' });
    const second = await consent({ email: 'ada@acme.test' });

    expect(second).toEqual(first);
    expect(await told('authentication.oauth_succeeded')).toHaveLength(1);
  });

  test("verifies the user's email address", async () => {
    const { consent, authenticate } = await atProvider();

    const { body } = await authenticate((await consent({ email: 'new@acme.test' })).code);

    expect(body.user).toMatchObject({ id: 'user_new', email_verified: true });
  });

  test('does not link a provider account that has an unverified email address', async () => {
    const { send, consent } = await atProvider();

    const params = await consent({ email: 'ada@acme.test', unverified: 'yes' });

    expect(params).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 's' });
    expect((await send('GET /user_management/users/user_ada/identities')).body).toEqual([]);
  });

  test('requires a new user to verify an email address that the provider has not verified', async () => {
    const { consent, authenticate } = await atProvider();

    const { status, body } = await authenticate((await consent({ email: 'eve@home.test', unverified: 'yes' })).code);

    expect([status, body.code, body.email]).toEqual([403, 'email_verification_required', 'eve@home.test']);
  });

  test('does not create a user if sign-up is turned off', async () => {
    const { send, consent } = await atProvider({ allowSignUp: false });

    expect(await consent({ email: 'eve@home.test' })).toMatchObject({ error: 'access_denied' });
    expect((await send('GET /user_management/users')).body.data).toHaveLength(3);
  });

  test("returns the provider's tokens in the workos dialect", async () => {
    const { consent, authenticate } = await atProvider({ dialect: 'workos' });

    const { body } = await authenticate((await consent({ email: 'ada@acme.test' })).code);

    expect(body).toMatchObject({
      authentication_method: 'GoogleOAuth',
      oauth_tokens: { provider: 'GoogleOAuth', access_token: expect.any(String), expires_at: 1_767_229_200 },
    });
  });
});

describe('the social provider page', () => {
  test.each(['access_denied', 'oauth_failed'])(
    'reports the failure %s to the application, and creates an event',
    async (error) => {
      const { consent, told } = await atProvider();

      const params = await consent({ fail: error });

      expect(params).toEqual({ error, error_description: expect.any(String), state: 's' });
      expect(await told('authentication.oauth_failed')).toMatchObject([
        { data: { type: 'oauth', status: 'failed', error: { code: error } } },
      ]);
    },
  );

  test('cannot be used again after a failure', async () => {
    const { emulator, consent } = await atProvider();
    await consent({ fail: 'access_denied' });

    const again = await consent({ email: 'ada@acme.test' });

    expect(again.code).toBeUndefined();
    expect(emulator.served.get('userManagement.authorize')).toBe(1);
  });
});

describe('the identity provider page', () => {
  const atIdentityProvider = async (fail: string) => {
    const { emulator, send } = await signingIn({
      seed: { connections: [{ id: 'conn_own', connection_type: 'GenericSAML' }] },
    });
    const { params } = await browse(emulator)('/sso/authorize', { ...url, connection: 'conn_own' }, oneBrowser.headers);
    const body = new URLSearchParams({
      authorization: params.authorization ?? '',
      connection: 'conn_own',
      fail,
      ...oneBrowser.fields,
    });
    const answer = await emulator.fetch(`${emulator.url}/hosted/identity-provider`, {
      method: 'POST',
      headers: oneBrowser.headers,
      body,
      redirect: 'manual',
    });
    return { answer, send };
  };

  test.each(['access_denied', 'server_error'])(
    'reports the failure %s to the application, and creates an event',
    async (error) => {
      const { answer, send } = await atIdentityProvider(error);

      const { searchParams } = new URL(answer.headers.get('location') ?? '');
      expect([searchParams.get('error'), searchParams.get('state')]).toEqual([error, 's']);
      const { data } = (await send('GET /events?events=authentication.sso_failed')).body;
      expect(data).toMatchObject([{ data: { sso: { connection_id: 'conn_own' }, error: { code: error } } }]);
    },
  );

  test('ignores an unknown failure code', async () => {
    const { answer } = await atIdentityProvider('toString');

    expect(answer.headers.get('location')).toBeNull();
  });
});
