import { passwords } from '../rooms/users/passwords.js';
import type { World } from '../world/world.js';
import { begin, nextStep, type Origin, type SignIn } from './sign-in.js';

/**
 * A sign-in by the first method that the organization of the user's address allows: the password where there is one, otherwise that
 * mail arrives, or an account elsewhere. A second factor counts as proven.
 */
export function beginWhereAllowed(world: World, origin: Origin, userId: string): SignIn {
  const own = world.of(passwords).get(userId) ? ['Password'] : [];
  const all = [...own, 'MagicAuth', 'GoogleOAuth', 'MicrosoftOAuth', 'GitHubOAuth'].map((method) =>
    begin(origin, userId, method, { secondFactor: true }),
  );
  return all.find((one) => nextStep(world, one).kind !== 'methods_required') ?? all[0]!;
}
