import { createPkce, type Pkce, randomText } from '../crypto/pkce.js';

/** Secrets of one sign-in. `state` and `codeVerifier` are stored until the user returns. */
export interface Proof extends Pkce {
  /** Returned with the user, to find the sign-in. */
  readonly state: string;
}

/** Create the secrets of a sign-in. */
export const newProof = async (state = randomText()): Promise<Proof> => ({ state, ...(await createPkce()) });
