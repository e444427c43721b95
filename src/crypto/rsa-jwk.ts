/** A public RSA key. It has no other fields, so that a private key passed by mistake is imported as a public one. */
export interface RsaJwk {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

/** A private RSA key for signing (RFC 7518, section 6.3). */
export interface PrivateRsaJwk extends RsaJwk, Readonly<Record<'d' | 'p' | 'q' | 'dp' | 'dq' | 'qi', string>> {}
