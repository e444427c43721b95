import { describe, expect, test } from 'vitest';
import { stage } from '../../stage.js';
import { apiKey, clientId } from '../sign-in/signing-in.js';

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

const seed = { users: [{ email: 'ada@acme.test', password: 'correct horse', email_verified: true }] };
const grant = { grant_type: 'password', email: 'ada@acme.test', password: 'correct horse' };

async function requestTokens(
  dialect: 'spec' | 'workos',
  authorization: string,
  fields: Readonly<Record<string, unknown>> = {},
) {
  const { send } = await stage({ dialect, seed });
  const { status, body } = await send('POST /user_management/authenticate', { ...grant, ...fields }, { authorization });
  return { status, error: body.error };
}

describe('a client id and secret in the Authorization header', () => {
  test('are accepted by the token endpoint in the workos dialect', async () => {
    expect(await requestTokens('workos', basic(clientId, apiKey))).toEqual({ status: 200, error: undefined });
  });

  test('are rejected in the spec dialect', async () => {
    expect(await requestTokens('spec', basic(clientId, apiKey))).toMatchObject({ status: 400 });
  });

  test('are rejected if the secret is wrong', async () => {
    expect(await requestTokens('workos', basic(clientId, 'sk_wrong'))).toEqual({
      status: 400,
      error: 'invalid_client',
    });
  });

  test('are rejected if the request body also contains a secret', async () => {
    const both = await requestTokens('workos', basic(clientId, apiKey), { client_secret: apiKey });

    expect(both).toEqual({ status: 400, error: 'invalid_request' });
  });

  test.each(['Basic', 'Basic !', 'Basic a', `Basic ${btoa('no colon')}`])(
    'are ignored if the header has the malformed value "%s"',
    async (header) => {
      expect(await requestTokens('workos', header)).toEqual({ status: 400, error: 'invalid_client' });
    },
  );
});
