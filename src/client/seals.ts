import { type Password, type PasswordRing, passwordRing, seal, unseal } from '../crypto/seal.js';
import { configured } from '../http/environment.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { type Dialect, dialects } from '../service/describe/dialect.js';
import { sealedFrom } from '../session/cookie/sealed-session.js';

// Loaded on first use, together with the code that seals and unseals.

/** Seals values with a checked password, for `ttl` seconds. */
export type Sealer = (value: unknown, ttl?: number) => Promise<string>;

/** Check a password and return a function that seals with it. @throws {ConfigurationError} */
export function sealerFor(password: Password): Sealer {
  const ring = passwordRing(password);
  return (value, ttl = 0) => seal(value, ring, { ttlMs: ttl * 1_000 });
}

/** Return the password of the cookie, which defaults to that of the environment. @throws {ConfigurationError} It is missing. */
export const cookiePasswordOf = (password: Password | undefined, dialect: Dialect): Password =>
  configured('cookiePassword', password, 'cookie_password', dialect === dialects.workos ? 'workos' : undefined);

/** Check the passwords of the cookie, which default to those of the environment. @throws {ConfigurationError} */
export const cookieRing = (password: Password | undefined, dialect: Dialect): PasswordRing =>
  passwordRing(cookiePasswordOf(password, dialect));

/** Check a password and return a function that seals a session's tokens with it. @throws {ConfigurationError} */
export function sessionSealerFor(
  password: Password | undefined,
  dialect: Dialect,
): (tokens: AuthenticationResponse) => Promise<string> {
  const seal = sealerFor(cookiePasswordOf(password, dialect));
  return (tokens) => seal(sealedFrom(tokens));
}

/** Return the content of a seal, or undefined if it does not open. @throws {ConfigurationError} */
export async function openSeal(sealed: string, password: Password): Promise<unknown> {
  const result = await unseal(sealed, passwordRing(password));
  return result.status === 'ok' ? result.value : undefined;
}
