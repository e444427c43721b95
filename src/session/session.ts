import type { AccessTokenClaims } from '../crypto/access-token.js';
import { textIn } from '../http/json.js';
import { type Access, accessIn, impersonatorIn, withCheck } from '../oauth/access.js';
import type { CustomClaims } from '../oauth/sallyport-types.js';
import type { Impersonator } from '../service/authentication.js';
import type { User } from '../service/users.js';
import type { SealedSession } from './sealed-session.js';

/** What an access token says of whoever is signed in. */
export interface TokenSession extends Access {
  /** Id of the user, prefix `user_`. */
  readonly userId: string;
  /** Id of the session, prefix `session_`. */
  readonly sessionId: string;
  /** Organization the user has signed in to; null for none. */
  readonly organizationId: string | null;
  /** The member of your staff who acts as the user; null for the user in person. */
  readonly impersonator: Impersonator | null;
  /** When the user last proved who they are, in milliseconds since 1970; null where the service does not say. */
  readonly authenticatedAt: number | null;
  /** The access token's claims as they are, those you had added included. */
  readonly claims: AccessTokenClaims & CustomClaims;
  /** When the access token stops working, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Who is signed in, and what the access token says about it. Holds no token, so it may be logged and sent to a page. */
export interface CurrentSession extends TokenSession {
  /** Who is signed in, as of the last sign-in or refresh. */
  readonly user: User;
}

/** What there is to say of a session by the claims of its token alone. */
function dataIn(claims: AccessTokenClaims): Omit<TokenSession, 'has'> {
  const { sub, sid, org_id, auth_time, exp } = claims;
  return {
    userId: sub,
    sessionId: sid,
    organizationId: textIn(org_id),
    ...accessIn(claims),
    impersonator: impersonatorIn(claims),
    authenticatedAt: typeof auth_time === 'number' ? auth_time * 1000 : null,
    // What you had added is whatever you say it is.
    claims: claims as AccessTokenClaims & CustomClaims,
    expiresAt: exp * 1000,
  };
}

/** The session of a token that was checked. */
export const tokenSession = (claims: AccessTokenClaims): TokenSession => withCheck(dataIn(claims));

/** The session of a sealed one whose token was checked. */
export function sessionOf({ user, impersonator }: SealedSession, claims: AccessTokenClaims): CurrentSession {
  const data = dataIn(claims);
  return withCheck({ user, ...data, impersonator: impersonator ?? data.impersonator });
}
