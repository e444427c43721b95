import { describe, expect, test } from 'vitest';
import { claimsOf, clientId, signingIn } from '../signing-in.js';

const path = `/user_management/${clientId}/.well-known/openid-configuration`;
const withoutKey = { authorization: undefined };

describe('the OpenID configuration', () => {
  test('contains the endpoints and the issuer of access tokens, and needs no API key', async () => {
    const { send, user, byPassword } = await signingIn({ dialect: 'workos' });
    await user('ada@example.com');

    const { status, body } = await send(`GET ${path}`, undefined, withoutKey);
    const { body: signedIn } = await byPassword('ada@example.com');

    expect([status, body]).toEqual([
      200,
      {
        issuer: `http://emulator.localhost/user_management/${clientId}`,
        authorization_endpoint: 'http://emulator.localhost/user_management/authorize',
        token_endpoint: 'http://emulator.localhost/user_management/authenticate',
        jwks_uri: `http://emulator.localhost/sso/jwks/${clientId}`,
        response_types_supported: ['code'],
      },
    ]);
    expect(claimsOf(signedIn.access_token).iss).toBe(body.issuer);
  });

  test("contains the issuer from the emulator's options", async () => {
    const { send } = await signingIn({ dialect: 'workos', issuer: 'https://id.acme.test' });

    expect((await send(`GET ${path}`, undefined, withoutKey)).body.issuer).toBe('https://id.acme.test');
  });

  test('is not found for an unknown client', async () => {
    const { send } = await signingIn({ dialect: 'workos' });

    const { status, body } = await send('GET /user_management/client_other/.well-known/openid-configuration');

    expect([status, body.code]).toEqual([404, 'entity_not_found']);
  });

  test("links to the key set of the client's world", async () => {
    const { emulator, send } = await signingIn({ dialect: 'workos' });
    const world = await emulator.worlds.create({ name: 'one' });
    const ofWorld = path.replace(clientId, world.credentials.clientId);

    const { body } = await send(`GET ${ofWorld}`, undefined, withoutKey);

    expect(body.jwks_uri).toBe(`http://emulator.localhost/sso/jwks/${world.credentials.clientId}`);
  });

  test('can be read by pages from any origin', async () => {
    const { emulator } = await signingIn({ dialect: 'workos' });
    const origin = 'https://app.acme.test';

    const read = await emulator.fetch(path, { headers: { origin } });
    const preflight = await emulator.fetch(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    });

    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET']);
  });
});
