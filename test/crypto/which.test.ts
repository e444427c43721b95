import { expect, test } from 'vitest';
import { verificationKey } from '#crypto/sessions';
import { service } from '../session/issuer.js';

test('the tests use the cryptography engine that SALLYPORT_CRYPTOGRAPHY names', async () => {
  const { kty, n, e } = service.jwk as { kty: 'RSA'; n: string; e: string };

  const key = await verificationKey({ kty, kid: 'key_1', n, e });

  expect(key instanceof CryptoKey).toBe(process.env.SALLYPORT_CRYPTOGRAPHY === 'web');
});
