import { parsedJson, textIn } from '../http/json.js';
import { type Access, accessIn, withCheck } from '../oauth/access.js';
import type { CustomClaims } from '../oauth/sallyport-types.js';
import type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
import type { User } from '../service/users.js';

/**
 * Who is signed in. What it may do is for showing and hiding things: what is allowed, your server decides by the access token.
 */
export interface BrowserSession extends Access {
  readonly user: User;
  /** The session's id, the `sid` claim of its access token. */
  readonly sessionId: string;
  /** Organization of the session; null for none. */
  readonly organizationId: string | null;
  /** A member of your staff who acts as the user; null otherwise. */
  readonly impersonator: Impersonator | null;
  /** Everything the access token says. It came from the service itself; its signature is not checked here. */
  readonly claims: Readonly<Record<string, unknown>> & CustomClaims;
}

/** What it takes to get the next access token: all that storage may keep. */
export interface StoredSession {
  /** When the user signed in, in milliseconds by this device's clock; a later sign-in replaces an earlier one. */
  readonly signedInAt: number;
  /** How many times the tokens have been renewed since; tells the newer of two. */
  readonly renewals: number;
  readonly refreshToken: string;
  /** A secret of this browser's, made when the user signed in, so that it also tells sign-ins apart. With a refresh token alone nobody guesses an idempotency key. */
  readonly salt: string;
  readonly sessionId: string;
  /** How far the service's clock is ahead of this device's, in milliseconds; devices are wrong by hours. */
  readonly clockOffsetMs: number;
}

/** A session with its access token, which only memory holds. */
export interface LiveSession {
  readonly stored: StoredSession;
  readonly session: BrowserSession;
  readonly accessToken: string;
  /** When the access token stops working, by this device's clock. */
  readonly expiresAt: number;
  /** From when on it is renewed: a little earlier, so that it does not expire on its way to a server. */
  readonly renewAt: number;
}

/** Whether a session is newer than another, or there is no other. */
export const isNewer = (one: StoredSession, other: StoredSession | undefined): boolean =>
  !other || (one.salt === other.salt ? one.renewals > other.renewals : one.signedInAt > other.signedInAt);

/** The longest an access token is renewed before it expires. */
const marginMs = 30_000;

/** Answers that were made within as many seconds of each other were made at the same time. */
const nowSeconds = 10;

/**
 * The session that an answer of the service opens or goes on with.
 *
 * @param base What it goes on from; its count and clock are taken over.
 * @param before `just now` when the answer cannot be an old one, or the session of an answer got right before. An answer that
 * is repeated for its idempotency key may be old; the device's clock may be wrong. Two answers in a row that were made at
 * about the same time were made now, and show the clock to be wrong.
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
  const isFresh = before === 'just now' || (before && iat - Number(before.session.claims.iat) < nowSeconds);
  // A token cannot have been issued in the future either.
  const clockOffsetMs = isFresh || iat * 1000 > now + base.clockOffsetMs ? iat * 1000 - now : base.clockOffsetMs;
  const expiresAt = exp * 1000 - clockOffsetMs;
  const sessionId = textIn(sid) ?? '';
  return {
    stored: { ...base, refreshToken: tokens.refreshToken, sessionId, clockOffsetMs },
    session: withCheck({
      user: tokens.user,
      sessionId,
      organizationId: tokens.organizationId ?? textIn(org_id),
      ...accessIn(claims),
      impersonator: tokens.impersonator ?? null,
      // What you had added is whatever you say it is.
      claims: claims as BrowserSession['claims'],
    }),
    accessToken: tokens.accessToken,
    expiresAt,
    renewAt: expiresAt - Math.min(marginMs, ((exp - iat) * 1000) / 4),
  };
}

/** What an access token says, unchecked; nothing if it is not a token. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
  try {
    return Object(parsedJson(Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))));
  } catch {
    return {};
  }
}
