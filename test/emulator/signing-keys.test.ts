import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { claimsOf, clientId, headerOf, signingIn } from './signing-in.js';

/** An emulator with one session, and its published keys. */
async function signedIn(options = {}) {
  const world = await signingIn(options);
  const ada = await world.user('ada@example.com');
  const keys = async () =>
    (await world.send(`GET /sso/jwks/${clientId}`, undefined, { authorization: undefined })).body;
  const token = async () => (await world.byPassword('ada@example.com')).body.access_token as string;
  const check = async (jwt: string) =>
    jwtVerify(jwt, createLocalJWKSet(await keys()), {
      algorithms: ['RS256'],
      issuer: `http://emulator.localhost/user_management/${clientId}`,
      currentDate: new Date(world.emulator.clock.now()),
    });
  return { ...world, ada, keys, token, check };
}

describe('the certificate of a key', () => {
  test('is its own, signed by itself, in dialect workos', async () => {
    const { keys } = await signedIn({ dialect: 'workos' });

    const [key] = (await keys()).keys;

    const certificate = new X509Certificate(Buffer.from(key.x5c[0], 'base64'));
    expect(certificate.publicKey.equals(createPublicKey({ key, format: 'jwk' }))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(createHash('sha256').update(certificate.raw).digest('base64url')).toBe(key['x5t#S256']);
  });

  test('is not published in dialect spec', async () => {
    const { keys } = await signedIn();

    expect(Object.keys((await keys()).keys[0])).toEqual(['kid', 'kty', 'alg', 'use', 'n', 'e']);
  });
});

describe('an access token', () => {
  test('is signed by a published key of 2048 bits, and says who has signed in', async () => {
    const { ada, keys, token, check } = await signedIn();

    const jwt = await token();

    const { payload, protectedHeader } = await check(jwt);
    const [key] = (await keys()).keys;
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: key.kid });
    expect(payload).toEqual({
      iss: 'http://emulator.localhost/user_management/client_sallyport_emulator',
      sub: ada.id,
      sid: expect.stringMatching(/^session_/),
      jti: expect.stringMatching(/^[A-Za-z0-9]{26}$/),
      client_id: 'client_sallyport_emulator',
      auth_time: 1767225600,
      iat: 1767225600,
      exp: 1767225900,
    });
    expect(Buffer.from(key.n, 'base64url')).toHaveLength(256);
  });

  test("says the organization with the user's role and permissions there", async () => {
    const { emulator, ada, organization, send, byPassword } = await signedIn();
    const acme = await organization('Acme');
    await emulator.createRole({ slug: 'docks', organizationId: acme, permissions: ['docks:plan', 'docks:read'] });
    await send('POST /user_management/organization_memberships', {
      user_id: ada.id,
      organization_id: acme,
      role_slug: 'docks',
    });

    const { body } = await byPassword('ada@example.com');

    expect(claimsOf(body.access_token)).toMatchObject({
      org_id: acme,
      role: 'docks',
      roles: ['docks'],
      permissions: ['docks:plan', 'docks:read'],
    });
  });

  test('expires by the clock', async () => {
    const { emulator, token, check } = await signedIn();
    const jwt = await token();
    await emulator.clock.advance('300s');

    await expect(check(jwt)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  test('names the issuer that the emulator was given', async () => {
    const { token } = await signedIn({ issuer: 'https://auth.acme.test/' });

    expect(claimsOf(await token()).iss).toBe('https://auth.acme.test/');
  });
});

describe('the key set', () => {
  test('is public, and holds nothing that signs', async () => {
    const { keys } = await signedIn();

    expect(await keys()).toEqual({
      keys: [
        {
          kid: expect.stringMatching(/^[\w-]{43}$/),
          kty: 'RSA',
          alg: 'RS256',
          use: 'sig',
          n: expect.any(String),
          e: 'AQAB',
        },
      ],
    });
  });

  test('of another client is not there', async () => {
    const { send } = await signedIn();

    expect((await send('GET /sso/jwks/client_other')).status).toBe(404);
  });

  test('of another client has other keys', async () => {
    const { token } = await signedIn();
    const other = await signedIn({ clientId: 'client_other' });
    const { body } = await other.send('GET /sso/jwks/client_other');

    expect(body.keys.map(({ kid }: { kid: string }) => kid)).not.toContain(headerOf(await token()).kid);
  });
});

describe('a rotation of keys', () => {
  test('has a new key sign, and keeps the old one published', async () => {
    const { emulator, token, keys, check } = await signedIn();
    const before = await token();

    const { kid } = await emulator.keys.rotate();

    const after = await token();
    expect([headerOf(after).kid, headerOf(before).kid === kid]).toEqual([kid, false]);
    expect((await keys()).keys.map((key: { kid: string }) => key.kid)).toEqual([kid, headerOf(before).kid]);
    await expect(check(before)).resolves.toBeDefined();
    await expect(check(after)).resolves.toBeDefined();
  });

  test('that retires the old keys leaves the new one alone', async () => {
    const { emulator, token, keys, check } = await signedIn();
    const before = await token();

    const { kid } = await emulator.keys.rotate({ retire: true });

    expect((await keys()).keys).toMatchObject([{ kid }]);
    await expect(check(before)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  test('is undone by a reset', async () => {
    const { emulator, keys } = await signedIn();
    const before = await keys();
    await emulator.keys.rotate({ retire: true });

    await emulator.reset();

    expect(await keys()).toEqual(before);
  });
});
