import { parsedJson } from '../http/json.js';
import type { AccessTokenClaims } from './access-token.js';
import { bytesIn } from './base64url.js';

/**
 * What an access token says, its signature and time unchecked; nothing for what is no token. For tokens that have just come
 * from the service, or out of our own seal, where what they say opens no door.
 */
export function uncheckedClaims(token: string): Partial<AccessTokenClaims> {
  try {
    return Object(parsedJson(bytesIn(token.split('.')[1] ?? '')));
  } catch {
    return {};
  }
}
