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

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The session in an opened seal; undefined for anything else that was sealed under the same password. */
export function sealedSessionOf(value: unknown): SealedSession | undefined {
  if (!isRecord(value)) return undefined;
  const { accessToken, refreshToken, user, organizationId, impersonator, authenticationMethod } = value;
  if (!isText(accessToken) || !isText(refreshToken) || !isRecord(user) || !isText(user.id)) return undefined;
  return {
    accessToken,
    refreshToken,
    // Sealed by a holder of the password, who got it from the service; a field it lacked then is lacking now.
    user: user as unknown as User,
    ...(isText(organizationId) || organizationId === null ? { organizationId } : {}),
    ...(isRecord(impersonator) && isText(impersonator.email)
      ? {
          impersonator: { email: impersonator.email, reason: isText(impersonator.reason) ? impersonator.reason : null },
        }
      : {}),
    ...(isText(authenticationMethod) ? { authenticationMethod } : {}),
  };
}
