import { expect, test } from 'vitest';
import { createPkce, hashOf } from '../../src/crypto/pkce.js';

test('the PKCE verifier from RFC 7636, appendix B, has the challenge from the RFC', async () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

  const challenge = await hashOf(verifier);

  expect(challenge).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('PKCE verifiers that differ in one character have different challenges', async () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK';

  const challenge = await hashOf(verifier);

  expect(challenge).not.toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('a new PKCE verifier has 43 random URL-safe characters', async () => {
  const pairs = await Promise.all(Array.from({ length: 50 }, createPkce));

  const verifiers = pairs.map(({ codeVerifier }) => codeVerifier);
  for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(verifiers).size).toBe(50);
});

test('a new PKCE challenge is the S256 hash of the verifier', async () => {
  const { codeVerifier, codeChallenge, codeChallengeMethod } = await createPkce();

  expect(codeChallengeMethod).toBe('S256');
  expect(codeChallenge).toBe(await hashOf(codeVerifier));
  expect(codeChallenge).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
