import type { AccessTokenClaims } from './access-token.js';
import { jsonPart } from './json-part.js';

/**
 * What an access token says, its signature and time unchecked; nothing for what is no token. For tokens that have just come
 * from the service, or out of our own seal, where what they say opens no door.
 */
export const uncheckedClaims = (token: string): Partial<AccessTokenClaims> => Object(jsonPart(token.split('.')[1]));
