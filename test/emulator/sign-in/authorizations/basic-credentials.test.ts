import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';
import { apiKey, clientId } from '../signing-in.js';

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

const seed = { users: [{ email: 'ada@acme.test', password: 'correct horse', email_verified: true }] };
const grant = { grant_type: 'password', email: 'ada@acme.test', password: 'correct horse' };

async function ask(dialect: 'spec' | 'workos', authorization: string, fields: Readonly<Record<string, unknown>> = {}) {
  const { send } = await stage({ dialect, seed });
  const { status, body } = await send('POST /user_management/authenticate', { ...grant, ...fields }, { authorization });
  return { status, error: body.error };
}

describe('the client’s id and secret in the header', () => {
  test('are taken where tokens are asked for, in dialect workos', async () => {
    expect(await ask('workos', basic(clientId, apiKey))).toEqual({ status: 200, error: undefined });
  });

  test('are not taken in dialect spec, which knows them in the body alone', async () => {
    expect(await ask('spec', basic(clientId, apiKey))).toMatchObject({ status: 400 });
  });

  test('are refused where the secret is wrong', async () => {
    expect(await ask('workos', basic(clientId, 'sk_wrong'))).toEqual({ status: 400, error: 'invalid_client' });
  });

  test('are refused where a secret comes in the body too', async () => {
    const both = await ask('workos', basic(clientId, apiKey), { client_secret: apiKey });

    expect(both).toEqual({ status: 400, error: 'invalid_request' });
  });

  test.each(['Basic', 'Basic !', 'Basic a', `Basic ${btoa('no colon')}`])('count as absent in %s', async (header) => {
    expect(await ask('workos', header)).toEqual({ status: 400, error: 'invalid_client' });
  });
});
