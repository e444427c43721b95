import { parsedJson, textIn } from '../http/json.js';
import { type Access, accessFromClaims, withCheck } from '../oauth/access.js';
import type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
import type { CustomClaims } from '../service/sallyport-types.js';
import type { User } from '../service/users.js';

/**
 * The session of the signed-in user. Use its permissions only to show or hide things; your server must check the access token.
 */
export interface BrowserSession extends Access {
  readonly user: User;
  /** Id of the session, the `sid` claim of its access token. */
  readonly sessionId: string;
  /** Organization of the session; null if none. */
  readonly organizationId: string | null;
  /** The member of your staff who impersonates the user; null if none. */
  readonly impersonator: Impersonator | null;
  /** All claims of the access token. It comes directly from the service, so its signature is not verified. */
  readonly claims: Readonly<Record<string, unknown>> & CustomClaims;
}

/** Data to get the next access token. Only this is written to storage. */
export interface StoredSession {
  /** When the user signed in, in milliseconds by this device's clock. A later sign-in replaces an earlier one. */
  readonly signedInAt: number;
  /** Number of renewals since the sign-in. The session with more renewals is newer. */
  readonly renewals: number;
  readonly refreshToken: string;
  /**
   * Random value of this sign-in. It identifies the sign-in, and keeps others who know a refresh token from guessing idempotency
   * keys.
   */
  readonly salt: string;
  readonly sessionId: string;
  /** Offset of the service's clock to this device's, in milliseconds. Devices can be wrong by hours. */
  readonly clockOffsetMs: number;
}

/** A session with its access token, which is only kept in memory. */
export interface LiveSession {
  readonly stored: StoredSession;
  readonly session: BrowserSession;
  readonly accessToken: string;
  /** When the access token expires, by this device's clock. */
  readonly expiresAt: number;
  /** When to renew it: slightly earlier, so that it does not expire on the way to a server. */
  readonly renewAt: number;
}

/** Whether a session is newer than another. True without another. */
export const isNewer = (one: StoredSession, other: StoredSession | undefined): boolean =>
  !other || (one.salt === other.salt ? one.renewals > other.renewals : one.signedInAt > other.signedInAt);

/** An access token is renewed at most this long before it expires. */
const marginMs = 30_000;

/** Two responses issued within this number of seconds count as issued at the same time. */
const sameTimeSeconds = 10;

/**
 * Create a session from a token response. Returns undefined if the token has no valid expiry.
 *
 * @param base The session it continues, with its count and clock offset.
 * @param before `just now` if the response cannot be an old one, or the session of the previous response. The service may repeat
 * an old response for an idempotency key, and the device's clock may be wrong. Two consecutive responses issued at about the same
 * time are fresh, so their time corrects the clock offset.
 */
export function liveSession(
  tokens: AuthenticationResponse,
  base: Pick<StoredSession, 'signedInAt' | 'renewals' | 'salt' | 'clockOffsetMs'>,
  now: number,
  before: LiveSession | 'just now' | undefined,
): LiveSession | undefined {
  const claims = claimsOf(tokens.accessToken);
  const { sid, exp, iat = now / 1000, org_id } = claims;
  if (typeof exp !== 'number' || typeof iat !== 'number') return undefined;
  const isFresh = before === 'just now' || (before && iat - Number(before.session.claims.iat) < sameTimeSeconds);
  // A token issued in the future also means that the clock is wrong.
  const clockOffsetMs = isFresh || iat * 1000 > now + base.clockOffsetMs ? iat * 1000 - now : base.clockOffsetMs;
  const expiresAt = exp * 1000 - clockOffsetMs;
  const sessionId = textIn(sid) ?? '';
  return {
    stored: { ...base, refreshToken: tokens.refreshToken, sessionId, clockOffsetMs },
    session: withCheck({
      user: tokens.user,
      sessionId,
      organizationId: tokens.organizationId ?? textIn(org_id),
      ...accessFromClaims(claims),
      impersonator: tokens.impersonator ?? null,
      // The application declares its custom claims.
      claims: claims as BrowserSession['claims'],
    }),
    accessToken: tokens.accessToken,
    expiresAt,
    renewAt: expiresAt - Math.min(marginMs, ((exp - iat) * 1000) / 4),
  };
}

/** Decode the claims of an access token without verifying it. Empty if it is not a token. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
  try {
    return Object(parsedJson(Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))));
  } catch {
    return {};
  }
}
