import { expect, test } from 'vitest';
import { createPkce, hashOf } from '../../src/crypto/pkce.js';

test('the PKCE challenge for the verifier in RFC 7636, appendix B, is the challenge given there', async () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

  const challenge = await hashOf(verifier);

  expect(challenge).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('a PKCE verifier that differs in one character has another challenge', async () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK';

  const challenge = await hashOf(verifier);

  expect(challenge).not.toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('a new PKCE verifier has 43 characters that need no escaping, and is different each time', async () => {
  const pairs = await Promise.all(Array.from({ length: 50 }, createPkce));

  const verifiers = pairs.map(({ codeVerifier }) => codeVerifier);
  for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(verifiers).size).toBe(50);
});

test('a new PKCE challenge belongs to its verifier and names its method', async () => {
  const { codeVerifier, codeChallenge, codeChallengeMethod } = await createPkce();

  expect(codeChallengeMethod).toBe('S256');
  expect(codeChallenge).toBe(await hashOf(codeVerifier));
  expect(codeChallenge).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
