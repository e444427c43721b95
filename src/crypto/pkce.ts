import { base64url, utf8 } from './encoding.js';

/** Proves that a code is redeemed by the client that requested it (RFC 7636). */
export interface Pkce {
  /** 43 characters. The client keeps it until it redeems the code. */
  readonly codeVerifier: string;
  /** Sent with the authorization request. */
  readonly codeChallenge: string;
  readonly codeChallengeMethod: 'S256';
}

/** Return 32 random bytes as 43 URL-safe characters. */
export const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Return the SHA-256 hash of a text as 43 URL-safe characters. That of a code verifier is its S256 challenge. */
export const hashOf = async (text: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))));

/** Create a code verifier and its challenge. */
export async function createPkce(): Promise<Pkce> {
  const codeVerifier = randomText();
  return { codeVerifier, codeChallenge: await hashOf(codeVerifier), codeChallengeMethod: 'S256' };
}

/** Secrets of one sign-in. `state` and `codeVerifier` are stored until the user returns. */
export interface Proof extends Pkce {
  /** Returned with the user, to find the sign-in. */
  readonly state: string;
}

/** Create the secrets of a sign-in. */
export const newProof = async (state = randomText()): Promise<Proof> => ({ state, ...(await createPkce()) });
