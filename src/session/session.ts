import type { AccessTokenClaims } from '../crypto/access-token.js';
import { textIn, textsIn } from '../http/json.js';
import type { Impersonator } from '../service/authentication.js';
import type { User } from '../service/users.js';
import type { SealedSession } from './sealed-session.js';

/** Who is signed in, and what the access token says about it. Holds no token, so it may be logged and sent to a page. */
export interface CurrentSession {
  /** Who is signed in, as of the last sign-in or refresh. */
  readonly user: User;
  /** Id of the session, prefix `session_`. */
  readonly sessionId: string;
  /** Organization the user has signed in to; null for none. */
  readonly organizationId: string | null;
  /** The user's role in that organization; null for none. */
  readonly role: string | null;
  /** All of the user's roles there. */
  readonly roles: readonly string[];
  /** What the user may do there. */
  readonly permissions: readonly string[];
  /** What the organization has paid for. */
  readonly entitlements: readonly string[];
  /** Features switched on. */
  readonly featureFlags: readonly string[];
  /** The member of your staff who acts as the user; null for the user in person. */
  readonly impersonator: Impersonator | null;
  /** The access token's claims as they are, those you had added included. */
  readonly claims: AccessTokenClaims;
  /** When the access token stops working, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The session of a sealed one whose token was checked. */
export function sessionOf(sealed: SealedSession, claims: AccessTokenClaims): CurrentSession {
  const role = textIn(claims.role);
  const actor = textIn(claims.act?.sub);
  return {
    user: sealed.user,
    sessionId: claims.sid,
    organizationId: textIn(claims.org_id),
    role,
    roles: textsIn(Array.isArray(claims.roles) ? claims.roles : [role]),
    permissions: textsIn(claims.permissions),
    entitlements: textsIn(claims.entitlements),
    featureFlags: textsIn(claims.feature_flags),
    impersonator: sealed.impersonator ?? (actor ? { email: actor, reason: null } : null),
    claims,
    expiresAt: claims.exp * 1000,
  };
}
