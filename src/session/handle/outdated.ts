import { type IssuedClaims, isOlder } from '../../crypto/token-order.js';
import type { TokenSettings } from '../read/reader-options.js';
import { hasEnded } from '../read/recent-changes.js';

/** Whether no response may set the cookie of a token any more, because the session has ended or moved on. Asks no store. */
export function isOutdated(
  { changes, revocations, now }: Pick<TokenSettings, 'changes' | 'revocations' | 'now'>,
  claims: IssuedClaims,
): boolean {
  const newest = changes().newest.get(claims.sid);
  return (
    hasEnded(changes(), claims.sid, now()) ||
    (newest !== undefined && newest.until > now() && isOlder(claims, newest)) ||
    revocations.isReplaced?.(claims) === true
  );
}
