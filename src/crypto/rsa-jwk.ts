/** What makes a public RSA key, and nothing else: a private key given by mistake is not imported as one. */
export interface RsaJwk {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}
