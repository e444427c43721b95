import { passwords } from '../../rooms/users/passwords.js';
import type { Memory } from '../../world/memory.js';
import { nextStep, type Origin, type SignIn, startSignIn } from './sign-in.js';

/**
 * Start a sign-in with the first method that the policy for the user's address allows: the password if the user has one, then an
 * emailed code, then a social provider. The second factor is assumed to be proven.
 */
export function startAllowedSignIn(memory: Memory, origin: Origin, userId: string): SignIn {
  const password = memory.of(passwords).get(userId) ? ['Password'] : [];
  const all = [...password, 'MagicAuth', 'GoogleOAuth', 'MicrosoftOAuth', 'GitHubOAuth'].map((method) =>
    startSignIn(origin, userId, method, { secondFactor: true }),
  );
  return all.find((one) => nextStep(memory, one).kind !== 'organization_authentication_methods_required') ?? all[0]!;
}
