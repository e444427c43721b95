import { SignJWT } from 'jose';
import type { PrivateRsaJwk } from '../rsa-jwk.js';

/** Create a function that signs tokens with RS256. */
export function tokenSigner(jwk: PrivateRsaJwk): (claims: object) => Promise<string> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = crypto.subtle.importKey('jwk', { ...jwk }, algorithm, false, ['sign']);
  return async (claims) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: jwk.kid }).sign(await key);
}
