import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Header of a token. */
export type Header = Readonly<Record<string, unknown>>;
/** Claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** A service that signs tokens with `node:crypto`, independent of the tested code. */
export interface Issuer {
  readonly kid: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly keys: { readonly keys: readonly object[] };
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Sign a token. `claims` and `header` override the default ones, and undefined removes one. */
  token(claims?: Claims, header?: Header): string;
}

export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Noon of a day in 2026, in milliseconds. */
export const noon = Date.UTC(2026, 5, 1, 12);

export const userId = 'user_01JREADER00000000000000000';
export const sessionId = 'session_01JREADER00000000000000000';

/** Claims of a token that is valid at noon and for five more minutes. */
export const goodClaims: Claims = {
  iss: 'https://api.example.com',
  sub: userId,
  sid: sessionId,
  jti: '01JREADER00000000000000000',
  iat: noon / 1000,
  exp: noon / 1000 + 300,
};

/** Create a service with a new key. Generating the key takes longer than most tests. */
export function issuer(kid = 'key_1', modulusLength = 2048): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
  return {
    kid,
    jwk,
    keys: { keys: [jwk] },
    privateKey,
    publicKey,
    token: (claims = {}, header = {}) =>
      signed({ alg: 'RS256', kid, ...header }, { ...goodClaims, ...claims }, (text) =>
        sign('sha256', text, privateKey),
      ),
  };
}

/** The service of most tests. */
export const service = issuer();
/** A different service whose key has the same id. */
export const stranger = issuer(service.kid);

/** Build a token by hand. */
export function signed(header: unknown, claims: unknown, signature: (text: Buffer) => Uint8Array): string {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${Buffer.from(signature(Buffer.from(text))).toString('base64url')}`;
}
