import type { AccessTokenClaims } from '../crypto/access-token.js';

/**
 * What an access token says, its signature and time unchecked; nothing for what is no token. For tokens that have just come
 * from the service, or out of our own seal, where what they say opens no door.
 */
export function uncheckedClaims(token: string): Partial<AccessTokenClaims> {
  try {
    const [, payload = ''] = token.split('.');
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (letter) =>
      letter.charCodeAt(0),
    );
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}
