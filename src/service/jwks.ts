import { keySetAddress } from './addresses.js';
import { array, essential, type Fields, open, optional, part, ref, string, wire } from './describe/define.js';
import { get, room } from './describe/operation.js';

export const signingKey = part({
  /** Names the key; the header of a token says the `kid` of the key that signed it. */
  kid: string,
  /** Kind of key, `RSA`. */
  kty: string,
  /** Algorithm the key signs with, `RS256`. */
  alg: optional(open<'RS256'>()),
  /** What the key is for, `sig`. */
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
/** A public key that signs access tokens (RFC 7517). */
export interface SigningKey extends Fields<typeof signingKey> {}

export const signingKeys = part({
  /** The keys; during a rotation the old one and the new one. */
  keys: essential(array(ref<SigningKey>(signingKey))),
});
/** The public keys that sign the access tokens of a client (RFC 7517); what JWT libraries take as a key set. */
export interface SigningKeys extends Fields<typeof signingKeys> {}

export const jwks = room('jwks', 'userManagement', {
  get: get(keySetAddress.get.path, { ...keySetAddress.get.io, returns: signingKeys, extension: true }),
});
