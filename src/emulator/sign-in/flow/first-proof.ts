import { passwords } from '../../rooms/users/passwords.js';
import type { Memory } from '../../world/memory.js';
import { beginSignIn, nextStep, type Origin, type SignIn } from './sign-in.js';

/**
 * Begin a sign-in with the first method that the policy for the user's address allows: the password if the user has one, then an
 * emailed code, then a social provider. The second factor is assumed to be proven.
 */
export function beginAllowedSignIn(memory: Memory, origin: Origin, userId: string): SignIn {
  const password = memory.of(passwords).get(userId) ? ['Password'] : [];
  const all = [...password, 'MagicAuth', 'GoogleOAuth', 'MicrosoftOAuth', 'GitHubOAuth'].map((method) =>
    beginSignIn(origin, userId, method, { secondFactor: true }),
  );
  return all.find((one) => nextStep(memory, one).kind !== 'methods_required') ?? all[0]!;
}
