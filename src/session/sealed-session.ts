import type { PasswordRing } from '../crypto/passwords.js';
import { type SealRefusal, type Unsealed, unseal } from '../crypto/seal.js';
import { isRecord, isText, textIn } from '../http/json.js';
import type { Impersonator } from '../service/authentication.js';
import type { User } from '../service/users.js';

/** What stands in the cookie, sealed: the same fields that other packages for the service seal. */
export interface SealedSession {
  /** Signed token that says who is signed in. */
  readonly accessToken: string;
  /** Gets the next access token. */
  readonly refreshToken: string;
  /** Who has signed in. */
  readonly user: User;
  /** Organization of the session at sign-in; the access token knows better. */
  readonly organizationId?: string | null;
  /** Who acts as the user. */
  readonly impersonator?: Impersonator;
  /** How the user signed in. */
  readonly authenticationMethod?: string;
}

/** Why a cookie holds no session. */
export type CookieRefusal =
  /** The request has no such cookie. */
  | 'no_cookie'
  /** The seal expired, which only seals with a time limit do. */
  | 'seal_expired'
  | Exclude<SealRefusal, 'expired'>;

/** What opening a session's cookie gives. */
export type UnsealedSession =
  | (Extract<Unsealed, { readonly ok: true }> & { readonly sealed: SealedSession })
  | { readonly ok: false; readonly reason: CookieRefusal };

/** Opens the value of a session's cookie. No text makes it throw. */
export async function unsealSession(
  text: string | undefined,
  ring: PasswordRing,
  now: number,
): Promise<UnsealedSession> {
  if (!text) return { ok: false, reason: 'no_cookie' };
  const unsealed = await unseal(text, ring, { now });
  if (!unsealed.ok) return { ok: false, reason: unsealed.reason === 'expired' ? 'seal_expired' : unsealed.reason };
  const sealed = sealedSessionOf(unsealed.value);
  return sealed ? { ...unsealed, sealed } : { ok: false, reason: 'malformed' };
}

/** The session in an opened seal; undefined for anything else that was sealed under the same password. */
function sealedSessionOf(value: unknown): SealedSession | undefined {
  const { accessToken, refreshToken, user, organizationId, impersonator, authenticationMethod } = Object(value);
  if (!isText(accessToken) || !isText(refreshToken) || !isRecord(user) || !isText(user.id)) return undefined;
  return {
    accessToken,
    refreshToken,
    // Sealed by a holder of the password, who got it from the service; a field it lacked then is lacking now.
    user: user as unknown as User,
    ...((isText(organizationId) || organizationId === null) && { organizationId }),
    ...(isText(impersonator?.email) && {
      impersonator: { email: impersonator.email, reason: textIn(impersonator.reason) },
    }),
    ...(isText(authenticationMethod) && { authenticationMethod }),
  };
}
