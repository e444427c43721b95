import { type Password, passwordRing } from '../crypto/passwords.js';
import { seal, unseal } from '../crypto/seal.js';
import { InvalidArgumentError } from '../errors/index.js';
import { configured } from '../http/environment.js';
import { checkedTokens } from '../oauth/tokens.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { sealedFrom } from '../session/sealed-session.js';

// Loaded at first use, and with it everything that seals and opens.

/** Seals values under a password that was checked. */
export type Sealer = (value: unknown, ttlSec?: number) => Promise<string>;

/** Checks a password, and gives what seals under it. @throws {ConfigurationError} */
export function sealerFor(password: Password): Sealer {
  const ring = passwordRing(password);
  return (value, ttlSec = 0) => seal(value, ring, { ttlSec });
}

/** Checks a password, and gives what seals the tokens of a session under it. @throws {ConfigurationError} */
export function sessionSealerFor(password: Password | undefined): (tokens: AuthenticationResponse) => Promise<string> {
  const seal = sealerFor(configured('cookiePassword', password, 'cookie_password'));
  return (tokens) => {
    if (checkedTokens(tokens)) return seal(sealedFrom(tokens));
    throw new InvalidArgumentError({
      argument: 'session',
      what: 'session.sealSession seals the tokens of an answer, and this answer has none',
      why: 'the service answers in the earlier form of magic auth, by the user and the organization alone',
      next: 'Leave session out, and keep a session of your own for the user',
    });
  };
}

/** What a seal holds, or undefined. @throws {ConfigurationError} */
export async function opened(sealed: string, password: Password): Promise<unknown> {
  const result = await unseal(sealed, passwordRing(password));
  return result.ok ? result.value : undefined;
}
