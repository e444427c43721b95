import type { AccessTokenClaims } from '../../crypto/access-token.js';
import { textIn } from '../../http/json.js';
import { type Access, accessFromClaims, impersonatorFromClaims, withCheck } from '../../oauth/access.js';
import type { Impersonator } from '../../service/authentication.js';
import type { CustomClaims } from '../../service/sallyport-types.js';
import type { User } from '../../service/users.js';
import type { SealedSession } from '../cookie/sealed-session.js';

/** The session of a user, as described by the access token. */
export interface TokenSession extends Access {
  /** Id of the user, prefix `user_`. */
  readonly userId: string;
  /** Id of the session, prefix `session_`. */
  readonly sessionId: string;
  /** Organization of the session; null if there is none. */
  readonly organizationId: string | null;
  /** The staff member who impersonates the user; null if there is none. */
  readonly impersonator: Impersonator | null;
  /** When the user last authenticated, in milliseconds since 1970; null if the service does not report it. */
  readonly authenticatedAtMs: number | null;
  /** All claims of the access token, including custom claims. */
  readonly claims: AccessTokenClaims & CustomClaims;
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** The session of a user, including the user. It contains no tokens, so it is safe to log and to send to a page. */
export interface CurrentSession extends TokenSession {
  /** The user, as of the last sign-in or refresh. */
  readonly user: User;
  /** When the user signed in, in milliseconds since 1970. */
  readonly startedAtMs: number;
  /** When `limits` end the session, in milliseconds since 1970; null without limits. Activity of the user moves an idle limit. */
  readonly endsAtMs: number | null;
}

/** Derive the data of a session from the claims of its token. */
function sessionData(claims: AccessTokenClaims): Omit<TokenSession, 'has'> {
  const { sub, sid, org_id, auth_time, exp } = claims;
  return {
    userId: sub,
    sessionId: sid,
    organizationId: textIn(org_id),
    ...accessFromClaims(claims),
    impersonator: impersonatorFromClaims(claims),
    authenticatedAtMs: typeof auth_time === 'number' ? auth_time * 1000 : null,
    // The application declares the types of its custom claims.
    claims: claims as AccessTokenClaims & CustomClaims,
    expiresAtMs: exp * 1000,
  };
}

/** Create the session of a verified token. */
export const tokenSession = (claims: AccessTokenClaims): TokenSession => withCheck(sessionData(claims));

/** Create the session of a sealed session with a verified token. */
export function sessionOf({ user, impersonator, startedAt }: SealedSession, claims: AccessTokenClaims): CurrentSession {
  const data = sessionData(claims);
  return withCheck({
    user,
    ...data,
    impersonator: impersonator ?? data.impersonator,
    startedAtMs: startedAt ?? startIn(claims),
    endsAtMs: null,
  });
}

/** Return the start of a session whose seal does not contain it. */
export const startIn = ({ auth_time, iat }: { readonly auth_time?: unknown; readonly iat?: unknown }): number =>
  Number([auth_time, iat].find((time) => typeof time === 'number') ?? 0) * 1000;

/** Return the session with the time when limits end it. */
export const withEnd = (session: CurrentSession, endsAtMs: number): CurrentSession =>
  withCheck({ ...session, endsAtMs });

/** Create a `signed_out` result. */
export const signedOut = <Reason extends string>(reason: Reason) =>
  ({ status: 'signed_out', session: null, reason }) as const;
