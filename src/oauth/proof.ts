import { createPkce, type Pkce, randomText } from '../crypto/pkce.js';

/** What only one sign-in has: `state` and `codeVerifier` are kept until the user comes back. */
export interface Proof extends Pkce {
  /** Comes back with the user, and says which sign-in it is. */
  readonly state: string;
}

/** A new proof. */
export const newProof = async (state = randomText()): Promise<Proof> => ({ state, ...(await createPkce()) });
