import { keySetAddress } from './addresses.js';
import { array, essential, type Fields, open, optional, part, ref, string, wire } from './describe/define.js';
import { get, room } from './describe/operation.js';

export const signingKey = part({
  /** Key id, which each signed token contains as `kid` in its header. */
  kid: string,
  /** Key type, `RSA`. */
  kty: string,
  /** Signing algorithm, `RS256`. */
  alg: optional(open<'RS256'>()),
  /** Use of the key, `sig`. */
  use: optional(open<'sig'>()),
  /** Modulus of an RSA key, base64url. */
  n: optional(string),
  /** Exponent of an RSA key, base64url. */
  e: optional(string),
  /** Certificates of the key, base64. */
  x5c: optional(array(string)),
  /** SHA-256 of the first certificate, base64url. */
  'x5t#S256': wire('x5t#S256', optional(string)),
});
/** A public key that verifies access tokens (RFC 7517). */
export interface SigningKey extends Fields<typeof signingKey> {}

export const signingKeys = part({
  /** Public keys; the old and the new one during a rotation. */
  keys: essential(array(ref<SigningKey>(signingKey))),
});
/** The key set that verifies the access tokens of a client, in the JWKS format of JWT libraries (RFC 7517). */
export interface SigningKeys extends Fields<typeof signingKeys> {}

export const jwks = room('jwks', 'userManagement', {
  get: get(keySetAddress.get.path, { ...keySetAddress.get.io, returns: signingKeys, extension: true }),
});
