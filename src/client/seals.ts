import { type Password, type PasswordRing, passwordRing, seal, unseal } from '../crypto/seal.js';
import { configured } from '../http/environment.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { type Dialect, dialects } from '../service/describe/dialect.js';
import { sealedFrom } from '../session/cookie/sealed-session.js';

// Loaded on first use, together with the code that seals and unseals.

/** Seal data for `ttl` seconds; 0 for any time. @throws {ConfigurationError} */
export const sealData = async (data: unknown, password: Password, ttl = 0): Promise<string> =>
  seal(data, passwordRing(password), { ttlMs: ttl * 1_000 });

/** Check the passwords of the cookie, which default to those of the environment. @throws {ConfigurationError} */
export const cookieRing = (password: Password | undefined, dialect: Dialect): PasswordRing =>
  passwordRing(
    configured('cookiePassword', password, 'cookie_password', dialect === dialects.workos ? 'workos' : undefined),
  );

/** Check a password and return a function that seals a session's tokens with it. @throws {ConfigurationError} */
export function sessionSealerFor(
  password: Password | undefined,
  dialect: Dialect,
): (tokens: AuthenticationResponse) => Promise<string> {
  const ring = cookieRing(password, dialect);
  return (tokens) => seal(sealedFrom(tokens), ring);
}

/** Return the content of a seal, or undefined if it does not open. @throws {ConfigurationError} */
export async function openSeal(sealed: string, password: Password): Promise<unknown> {
  const result = await unseal(sealed, passwordRing(password));
  return result.status === 'ok' ? result.value : undefined;
}
