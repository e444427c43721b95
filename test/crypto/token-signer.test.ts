import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import * as native from '../../src/crypto/native/token-signer.js';
import type { PrivateRsaJwk } from '../../src/crypto/rsa-jwk.js';
import * as web from '../../src/crypto/web/token-signer.js';

const newKey = (): PrivateRsaJwk =>
  // An exported RSA private key has all of its numbers.
  ({
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
    kid: 'key_1',
  }) as PrivateRsaJwk;
const key = newKey();
const claims = { sub: 'user_1', name: 'Zoë 🦊', nested: { list: [1, 'two', null] } };

const decoded = (part: string | undefined): unknown => JSON.parse(Buffer.from(part!, 'base64url').toString());
const isSignedBy = ({ kty, n, e }: PrivateRsaJwk, token: string): boolean => {
  const [header, payload, signature] = token.split('.');
  const publicKey = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  return verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature!, 'base64url'));
};

for (const [name, { tokenSigner }] of Object.entries({ native, web })) {
  test(`a token signed by the ${name} engine has the given claims and the id of the signing key`, async () => {
    const [header, payload] = (await tokenSigner(key)(claims)).split('.');

    expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key_1' });
    expect(decoded(payload)).toEqual(claims);
  });

  test(`a token signed by the ${name} engine can be verified only with the signing key`, async () => {
    const token = await tokenSigner(key)(claims);

    expect(isSignedBy(key, token)).toBe(true);
    expect(isSignedBy(newKey(), token)).toBe(false);
    expect(isSignedBy(key, token.replace('.', '.e'))).toBe(false);
  });
}

test("Node's cryptography and Web Crypto create identical tokens from the same claims and key", async () => {
  expect(native.tokenSigner(key)(claims)).toBe(await web.tokenSigner(key)(claims));
});
