import type { PasswordRing } from '../crypto/passwords.js';
import { refused } from '../crypto/refused.js';
import { type SealRefusal, type Unsealed, unseal } from '../crypto/seal.js';
import { type Soon, whenThere } from '../crypto/soon.js';
import { isText, textIn } from '../http/json.js';
import type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
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
  readonly impersonator?: Impersonator | undefined;
  /** How the user signed in. */
  readonly authenticationMethod?: string | undefined;
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
  | (Omit<Extract<Unsealed, { readonly ok: true }>, 'value'> & { readonly sealed: SealedSession })
  | { readonly ok: false; readonly reason: CookieRefusal };

/** Opens the value of a session's cookie. No text makes it throw. */
export const unsealSession = (text: string | undefined, ring: PasswordRing, now: number): Soon<UnsealedSession> =>
  text
    ? whenThere<Unsealed, UnsealedSession>(unseal(text, ring, { now }), (unsealed) => {
        if (!unsealed.ok) return refused(unsealed.reason === 'expired' ? 'seal_expired' : unsealed.reason);
        const sealed = sealedSessionOf(unsealed.value);
        return sealed ? { ...unsealed, sealed } : refused('malformed');
      })
    : refused('no_cookie');

/** The session in an opened seal; undefined for anything else that was sealed under the same password. */
function sealedSessionOf(value: unknown): SealedSession | undefined {
  const content = Object(value);
  const { accessToken, refreshToken, user, impersonator } = content;
  if (![accessToken, refreshToken, user?.id].every(isText)) return undefined;
  // Sealed by a holder of the password, who got it from the service; a field it lacked then is lacking now.
  const actor = isText(impersonator?.email) ? { email: impersonator.email, reason: textIn(impersonator.reason) } : null;
  return sealedFrom({ ...content, impersonator: actor });
}

/** What is sealed of the service's tokens. What a refresh does not say again is as it was at sign-in. */
export function sealedFrom(tokens: AuthenticationResponse, before: Partial<SealedSession> = {}): SealedSession {
  return {
    organizationId: tokens.organizationId ?? null,
    user: tokens.user,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    authenticationMethod: tokens.authenticationMethod ?? before.authenticationMethod,
    impersonator: tokens.impersonator ?? before.impersonator,
  };
}
