import { type Password, passwordRing } from '../crypto/passwords.js';
import { seal, unseal } from '../crypto/seal.js';
import { configured } from '../http/environment.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { sealedFrom } from '../session/cookie/sealed-session.js';

// Loaded on first use, together with the code that seals and unseals.

/** Seals values with a checked password, for `ttl` seconds. */
export type Sealer = (value: unknown, ttl?: number) => Promise<string>;

/** Check a password and return a function that seals with it. @throws {ConfigurationError} */
export function sealerFor(password: Password): Sealer {
  const ring = passwordRing(password);
  return (value, ttl = 0) => seal(value, ring, { ttlMs: ttl * 1_000 });
}

/** Check a password and return a function that seals a session's tokens with it. @throws {ConfigurationError} */
export function sessionSealerFor(password: Password | undefined): (tokens: AuthenticationResponse) => Promise<string> {
  const seal = sealerFor(configured('cookiePassword', password, 'cookie_password'));
  return (tokens) => seal(sealedFrom(tokens));
}

/** Return the content of a seal, or undefined if it does not open. @throws {ConfigurationError} */
export async function openSeal(sealed: string, password: Password): Promise<unknown> {
  const result = await unseal(sealed, passwordRing(password));
  return result.ok ? result.value : undefined;
}
