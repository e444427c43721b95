import { uncheckedClaims } from '../../crypto/access-token.js';
import { utf8 } from '../../crypto/encoding.js';
import { invalid } from '../../crypto/invalid.js';
import { type PasswordRing, type SealRefusal, seal, type Unsealed, unseal } from '../../crypto/seal.js';
import { SallyportError } from '../../errors/sallyport-error.js';
import { isText, textIn } from '../../http/json.js';
import type { AuthenticationResponse, Impersonator } from '../../service/authentication.js';
import type { User } from '../../service/users.js';
import { type CookieSettings, writeCookies } from './cookies.js';

/** Content of the cookie before sealing. Other packages for the service seal the same fields. */
export interface SealedSession {
  /** Signed token that identifies the user. */
  readonly accessToken: string;
  /** Token that is exchanged for the next access token. */
  readonly refreshToken: string;
  /** The signed-in user. */
  readonly user: User;
  /** Organization of the session at sign-in. The access token may be newer. */
  readonly organizationId?: string | null;
  /** The person who impersonates the user. */
  readonly impersonator?: Impersonator | undefined;
  /** How the user signed in. */
  readonly authenticationMethod?: string | undefined;
  /** When the user signed in, in milliseconds since 1970. */
  readonly startedAt?: number | undefined;
}

/** Why a cookie contains no session. */
export type CookieRefusal =
  /** The request has no such cookie. */
  | 'no_cookie'
  /** The seal has expired. Only seals with a time limit do. */
  | 'seal_expired'
  | Exclude<SealRefusal, 'expired'>;

/** Result of opening a session cookie. */
export type OpenedSeal = Unsealed<SealedSession, CookieRefusal>;

/** What sealing a session needs. */
export interface Sealing {
  readonly ring: PasswordRing;
  readonly cookie: CookieSettings;
}

/**
 * Seal a session, and create its `Set-Cookie` values.
 *
 * @param previous The request's `Cookie` header, or `withAllNames` if it is unknown.
 * @throws {SallyportError} `session_too_large`, naming the largest fields.
 */
export async function sessionCookies(
  { ring, cookie }: Sealing,
  sealed: SealedSession,
  previous: string | null | undefined,
): Promise<string[]> {
  const text = await seal(sealed, ring);
  const lines = writeCookies(text, previous, cookie);
  if (!lines) throw sessionTooLargeError(sealed, text.length, 'more than servers accept in headers');
  return lines;
}

/** Open the value of a session cookie. Never throws. */
export async function unsealSession(text: string | undefined, ring: PasswordRing, now: number): Promise<OpenedSeal> {
  if (!text) return invalid('no_cookie');
  const unsealed = await unseal(text, ring, { now });
  if (unsealed.status !== 'ok') return invalid(unsealed.reason === 'expired' ? 'seal_expired' : unsealed.reason);
  const value = sealedSessionOf(unsealed.value);
  return value ? { ...unsealed, value } : invalid('malformed');
}

/** Get the session from an opened seal, or undefined for anything else sealed with the same password. */
function sealedSessionOf(value: unknown): SealedSession | undefined {
  const content = Object(value);
  const { accessToken, refreshToken, user, impersonator, startedAt } = content;
  if (![accessToken, refreshToken, user?.id].every(isText)) return undefined;
  // Only a holder of the password can have sealed this, so optional fields may be missing but not wrong.
  const actor = isText(impersonator?.email) ? { email: impersonator.email, reason: textIn(impersonator.reason) } : null;
  return sealedFrom(
    { ...content, impersonator: actor },
    { startedAt: Number.isFinite(startedAt) ? startedAt : undefined },
  );
}

/** Choose the fields to seal. Fields that a refresh does not return keep their value from the sign-in. */
export function sealedFrom(tokens: AuthenticationResponse, before: Partial<SealedSession> = {}): SealedSession {
  return {
    organizationId: tokens.organizationId ?? null,
    user: tokens.user,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    authenticationMethod: tokens.authenticationMethod ?? before.authenticationMethod,
    impersonator: tokens.impersonator ?? before.impersonator,
    startedAt: before.startedAt,
  };
}

/**
 * Name the three largest fields of a session with their sizes, such as `claims.permissions (9120 bytes)`. Never prints their
 * values.
 */
export function largestFields({ user, accessToken }: SealedSession): string {
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
export const sessionTooLargeError = (sealed: SealedSession, bytes: number, limit: string) =>
  new SallyportError('session_too_large', {
    what: `The session needs ${bytes} bytes of cookies, ${limit}`,
    why: `Its largest fields are ${largestFields(sealed)}`,
    next: "Store less in the user's metadata and in the claims of the access token",
  });
