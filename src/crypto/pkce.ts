import { utf8 } from './encoding.js';

/** Proof that who redeems a code is who asked for it (RFC 7636). */
export interface Pkce {
  /** Kept by who asks, until the code is redeemed: 43 characters. */
  readonly codeVerifier: string;
  /** Sent along when asking. */
  readonly codeChallenge: string;
  readonly codeChallengeMethod: 'S256';
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/=/g, '')
    .replace(/\+/g, '-')
    .replace(/\//g, '_');

/** 32 random bytes as 43 characters that need no escaping in an address. */
export const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** The S256 challenge of a code verifier. */
export const codeChallengeOf = async (codeVerifier: string): Promise<string> =>
  base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(codeVerifier))));

/** A new code verifier and its challenge. */
export async function createPkce(): Promise<Pkce> {
  const codeVerifier = randomText();
  return { codeVerifier, codeChallenge: await codeChallengeOf(codeVerifier), codeChallengeMethod: 'S256' };
}
