import { utf8 } from '../crypto/encoding.js';
import { uncheckedClaims } from '../crypto/unchecked-claims.js';
import { SallyportError } from '../errors/sallyport-error.js';
import type { SealedSession } from './sealed-session.js';

/** The three fields of a session that weigh most, with their sizes: `claims.permissions (9120 bytes)`. Never what is in them. */
function heaviestFields({ user, accessToken }: SealedSession): string {
  const sizes = (at: string, of: object) =>
    Object.entries(of).map(([name, value]) => ({
      name: `${at}.${name}`,
      bytes: utf8(JSON.stringify(value)).length,
    }));
  return [...sizes('user', user), ...sizes('claims', uncheckedClaims(accessToken))]
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} (${bytes} bytes)`)
    .join(', ');
}

/** The error for a session that no browser or server would take. */
export const tooLarge = (sealed: SealedSession, bytes: number) =>
  new SallyportError('session_too_large', {
    what: `The session needs ${bytes} bytes of cookies, more than servers take in their headers`,
    why: `Its heaviest fields are ${heaviestFields(sealed)}`,
    next: "Keep less in the user's metadata and in the claims of the access token",
  });
