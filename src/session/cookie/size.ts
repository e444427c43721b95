import { utf8 } from '../../crypto/encoding.js';
import { uncheckedClaims } from '../../crypto/unchecked-claims.js';
import { SallyportError } from '../../errors/sallyport-error.js';
import type { SealedSession } from './sealed-session.js';

/**
 * Name the three largest fields of a session with their sizes, such as `claims.permissions (9120 bytes)`. Never prints their
 * values.
 */
function largestFields({ user, accessToken }: SealedSession): string {
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

/** Create the error for a session that is too large for cookies. */
export const sessionTooLargeError = (sealed: SealedSession, bytes: number) =>
  new SallyportError('session_too_large', {
    what: `The session needs ${bytes} bytes of cookies, more than servers accept in headers`,
    why: `Its largest fields are ${largestFields(sealed)}`,
    next: "Store less in the user's metadata and in the claims of the access token",
  });
