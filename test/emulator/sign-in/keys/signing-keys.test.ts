import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../../src/emulator/index.js';
import { claimsOf, clientId, headerOf, signingIn } from '../signing-in.js';

/** Starts an emulator with one session, and reads its published keys. */
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

describe("a signing key's certificate", () => {
  test('in the workos dialect is self-signed and matches the key', async () => {
    const { keys } = await signedIn({ dialect: 'workos' });

    const [key] = (await keys()).keys;

    const certificate = new X509Certificate(Buffer.from(key.x5c[0], 'base64'));
    expect(certificate.publicKey.equals(createPublicKey({ key, format: 'jwk' }))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(createHash('sha256').update(certificate.raw).digest('base64url')).toBe(key['x5t#S256']);
  });

  test('is not published in the spec dialect', async () => {
    const { keys } = await signedIn();

    expect(Object.keys((await keys()).keys[0])).toEqual(['kid', 'kty', 'alg', 'use', 'n', 'e']);
  });
});

describe('an access token', () => {
  test('is signed with a published 2048-bit key, and names the user', async () => {
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

  test("contains the organization, and the user's role and permissions in the organization", async () => {
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

  test('expires after 300 seconds', async () => {
    const { emulator, token, check } = await signedIn();
    const jwt = await token();
    await emulator.clock.advance('300s');

    await expect(check(jwt)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  test("contains the issuer from the emulator's options", async () => {
    const { token } = await signedIn({ issuer: 'https://auth.acme.test/' });

    expect(claimsOf(await token()).iss).toBe('https://auth.acme.test/');
  });
});

describe('the key set', () => {
  test('is public, and contains no private key', async () => {
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

  test('is not found for an unknown client', async () => {
    const { send } = await signedIn();

    expect((await send('GET /sso/jwks/client_other')).status).toBe(404);
  });

  test('is different for each client', async () => {
    const { token } = await signedIn({ signingKey: undefined });
    const other = await signedIn({ clientId: 'client_other', signingKey: undefined });
    const { body } = await other.send('GET /sso/jwks/client_other');

    expect(body.keys.map(({ kid }: { kid: string }) => kid)).not.toContain(headerOf(await token()).kid);
  });
});

describe('a key rotation', () => {
  test('introduces a new signing key, and keeps the old key published', async () => {
    const { emulator, token, keys, check } = await signedIn();
    const before = await token();

    const { kid } = await emulator.keys.rotate();

    const after = await token();
    expect([headerOf(after).kid, headerOf(before).kid === kid]).toEqual([kid, false]);
    expect((await keys()).keys.map((key: { kid: string }) => key.kid)).toEqual([kid, headerOf(before).kid]);
    await expect(check(before)).resolves.toBeDefined();
    await expect(check(after)).resolves.toBeDefined();
  });

  test('that retires the old keys leaves only the new key published', async () => {
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

describe('a pinned key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'spki' | 'sec1') =>
    key.export({ type, format: 'pem' }).toString();
  const jwk = privateKey.export({ format: 'jwk' });
  /** RFC 7638, section 3. */
  const thumbprint = createHash('sha256').update(`{"e":"${jwk.e}","kty":"RSA","n":"${jwk.n}"}`).digest('base64url');

  test.each([
    ['PKCS #8 in PEM', pem(privateKey, 'pkcs8')],
    ['PKCS #1 in PEM', pem(privateKey, 'pkcs1')],
    ['a JWK', jwk],
    ['a JWK with more fields', { ...jwk, alg: 'RS256', use: 'sig', kid: 'mine', key_ops: ['sign'] }],
    ['a JWK string', JSON.stringify(jwk)],
  ])('given as %s signs tokens, with the key thumbprint as the key ID', async (_form, signingKey) => {
    const { keys, token, check } = await signedIn({ signingKey });

    const jwt = await token();

    await expect(check(jwt)).resolves.toMatchObject({ protectedHeader: { kid: thumbprint } });
    expect((await keys()).keys).toEqual([
      { kid: thumbprint, kty: 'RSA', alg: 'RS256', use: 'sig', n: jwk.n, e: 'AQAB' },
    ]);
  });

  test('has a certificate in the workos dialect', async () => {
    const { keys } = await signedIn({ signingKey: jwk, dialect: 'workos' });

    const [key] = (await keys()).keys;

    const certificate = new X509Certificate(Buffer.from(key.x5c[0], 'base64'));
    expect(certificate.publicKey.equals(publicKey)).toBe(true);
    expect(certificate.verify(publicKey)).toBe(true);
  });

  test('verifies tokens of an earlier emulator with the same key', async () => {
    const before = await (await signedIn({ signingKey: jwk })).token();

    const { check } = await signedIn({ signingKey: jwk });

    await expect(check(before)).resolves.toBeDefined();
    await expect((await signedIn()).check(before)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  test('can be rotated, and is restored by a reset', async () => {
    const { emulator, keys, token, check } = await signedIn({ signingKey: jwk });
    const before = await token();

    const { kid } = await emulator.keys.rotate();

    expect((await keys()).keys.map((key: { kid: string }) => key.kid)).toEqual([kid, thumbprint]);
    expect(headerOf(await token()).kid).toBe(kid);
    await expect(check(before)).resolves.toBeDefined();
    await emulator.reset();
    expect((await keys()).keys).toMatchObject([{ kid: thumbprint }]);
  });

  test('applies only to staging, and production uses a separate key', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const live = 'client_sallyport_emulator_production';
    const published = async (options: object) => {
      const { send } = await signedIn(options);
      return (await send(`GET /sso/jwks/${live}`)).body.keys.map(({ n }: { readonly n: string }) => n);
    };

    expect(await published({ signingKey: jwk })).not.toContain(jwk.n);
    expect(await published({ signingKey: jwk, production: { signingKey: other } })).toEqual([other.n]);
  });

  test.each([
    ['a public key in PEM', pem(publicKey, 'spki'), 'it is a public key'],
    ['a public JWK', publicKey.export({ format: 'jwk' }), 'it is a public key'],
    [
      'an EC key in PEM',
      pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'pkcs8'),
      'it is an EC key',
    ],
    [
      'an EC key in the SEC1 format',
      pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sec1'),
      'it is an EC key',
    ],
    ['an Ed25519 key', pem(generateKeyPairSync('ed25519').privateKey, 'pkcs8'), 'it is an Ed25519 key'],
    [
      'a JWK of an EC key',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
      'a JWK of type EC',
    ],
    ['a JWK for PS256', { ...jwk, alg: 'PS256' }, 'it is a JWK for PS256'],
    ['a JWK without primes', { ...jwk, p: undefined, q: undefined }, 'it is a JWK without p, q'],
    [
      'a JWK with parts of two keys',
      { ...jwk, n: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }).n },
      'it is damaged',
    ],
    [
      'an encrypted PKCS #8 key',
      privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'hush' }),
      'it is encrypted',
    ],
    [
      'an encrypted PKCS #1 key',
      privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'hush' }),
      'it is encrypted',
    ],
    [
      'a 1024-bit key',
      pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey, 'pkcs8'),
      'has fewer than 2,048 bits',
    ],
    ['a damaged PEM key', pem(privateKey, 'pkcs8').replace(/\n.{30}/, '\n'), 'it is damaged'],
    ['a file path', './signing.pem', 'it is neither PEM nor JSON'],
    ['an empty string', '', 'it is neither PEM nor JSON'],
    ['a number', 42, 'it is neither a string nor an object'],
  ])('that is %s is rejected, and the error does not contain the key', async (_what, signingKey, why) => {
    // JavaScript callers may pass anything.
    const error = await createEmulator({ signingKey: signingKey as string }).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_option' });
    const { message } = error as Error;
    expect(message).toContain(why);
    expect(message).not.toContain(jwk.d!.slice(0, 20));
    expect(message).not.toContain('hush');
  });
});
