/** What makes a public RSA key, and nothing else: a private key given by mistake is not imported as one. */
export interface RsaJwk {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

/** A whole RSA key, to sign with: what is public of it, and its secret numbers (RFC 7518, section 6.3). */
export interface PrivateRsaJwk extends RsaJwk, Readonly<Record<'d' | 'p' | 'q' | 'dp' | 'dq' | 'qi', string>> {}

/** The same before it has an id. */
export type NamelessRsaJwk = Omit<PrivateRsaJwk, 'kid'>;
