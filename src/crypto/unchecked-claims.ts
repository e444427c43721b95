import type { AccessTokenClaims } from './access-token.js';
import { jsonPart } from './json-part.js';

/**
 * Decode the claims of an access token without verifying it. Returns an empty object if it is not a token. Only for tokens that
 * come directly from the service or from our own seal, and never for access decisions.
 */
export const uncheckedClaims = (token: string): Partial<AccessTokenClaims> => Object(jsonPart(token.split('.')[1]));
