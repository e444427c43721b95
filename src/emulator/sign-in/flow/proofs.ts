import { emailVerifications, useCode, wrongCode } from '../../rooms/users/one-time-codes.js';
import { isPassword } from '../../rooms/users/passwords.js';
import { confirmEmail, userByEmail, users } from '../../rooms/users/records.js';
import { notFound, Refusal } from '../../store/refusal.js';
import type { World } from '../../world/world.js';
import { useMagicAuth, userOfProvenEmail } from '../codes/magic-auth.js';
import { challenges, factors, verifyChallenge } from '../factors/factors.js';
import { type Attempt, type AttemptType, emitFailure, emitSuccess } from './attempts.js';
import { flowError, policyError } from './flow.js';
import { refusalByPolicy } from './policies.js';
import { beginSignIn, type Origin, type SignIn } from './sign-in.js';

// Each exported function checks one proof, emits an event with the result, and returns the sign-in with that proof.

/**
 * Begin a sign-in with a password.
 *
 * @throws {Refusal} 400 `invalid_credentials`; 400 for a password imported in an unsupported format; 400 `sso_required`
 * or `organization_authentication_methods_required`.
 */
export function provePassword(
  world: World,
  origin: Origin,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SignIn> {
  const userId = userByEmail(world, email)?.id;
  return recordAttempt(world, { ...attemptOf(origin, 'password'), userId: userId ?? null, email }, async () => {
    const isCorrect = await isPassword(world, userId, password);
    // Read again, because the user may have been deleted meanwhile.
    const user = userId !== undefined && isCorrect ? world.of(users).find(userId) : undefined;
    if (user) return requireAllowed(world, beginSignIn(origin, user.id, 'Password'));
    checkPolicy(world, email, 'Password');
    throw new Refusal(400, 'invalid_credentials', 'The email address or the password is wrong', {
      error: 'invalid_grant',
      error_description: 'The email address or the password is wrong',
    });
  });
}

/**
 * Begin a sign-in with a mailed code. Creates a user for a new address.
 *
 * @throws {Refusal} 400 for an invalid code, or `sign_up_not_allowed`; 400 `sso_required` or
 * `organization_authentication_methods_required`.
 */
export function proveMagicAuth(
  world: World,
  origin: Origin,
  { email, code }: { readonly email: string; readonly code: string },
): Promise<SignIn> {
  const userId = userByEmail(world, email)?.id ?? null;
  return recordAttempt(world, { ...attemptOf(origin, 'magic_auth'), userId, email }, () => {
    const record = useMagicAuth(world, email, code);
    if (userId === null) checkPolicy(world, email, 'MagicAuth');
    const user = userOfProvenEmail(world, record.email, record.userId);
    return requireAllowed(world, beginSignIn(origin, user.id, 'MagicAuth'));
  });
}

/** Verify the user's address with a mailed code. @throws {Refusal} 400 for an invalid code. */
export function proveAddress(world: World, signIn: SignIn, code: string): Promise<SignIn> {
  return recordAttempt(world, attemptOfUser(world, signIn, 'email_verification'), () => {
    const { email } = useCode(world, emailVerifications, signIn.userId, code);
    confirmEmail(world, signIn.userId, email);
    return signIn;
  });
}

/**
 * Verify a second factor with the code for a challenge.
 *
 * @throws {Refusal} 404 for a challenge of another user, 400 for a wrong code, 422 for a verified or expired challenge.
 */
export function proveFactor(
  world: World,
  signIn: SignIn,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
): Promise<SignIn> {
  return recordAttempt(world, attemptOfUser(world, signIn, 'mfa'), async () => {
    const challenge = world.of(challenges).find(challengeId);
    const factor = challenge && world.of(factors).find(challenge.authenticationFactorId);
    if (factor?.userId !== signIn.userId) throw notFound('authentication challenge of this user', challengeId);
    const { valid } = await verifyChallenge(world, challengeId, code);
    if (!valid) throw wrongCode();
    return { ...signIn, secondFactor: true };
  });
}

/** Return the sign-in if the policy allows its method. @throws {Refusal} If the policy forbids it. */
function requireAllowed(world: World, signIn: SignIn): SignIn {
  const step = refusalByPolicy(world, world.of(users).get(signIn.userId).email, signIn);
  if (step) throw flowError(world, signIn, step);
  return signIn;
}

/** Apply the policy to an address without a proof or a user. The error contains no pending token. @throws {Refusal} */
function checkPolicy(world: World, email: string, method: string): void {
  const step = refusalByPolicy(world, email, { method, connectionId: null });
  if (step) throw policyError(world, email, step, () => null);
}

const attemptOf = ({ ipAddress, userAgent }: Origin, type: AttemptType) => ({ type, ipAddress, userAgent });

const attemptOfUser = (world: World, signIn: SignIn, type: AttemptType): Attempt => ({
  ...attemptOf(signIn, type),
  userId: signIn.userId,
  email: world.of(users).get(signIn.userId).email,
});

/** Run an attempt, and emit an event for its success or failure. */
async function recordAttempt(world: World, attempt: Attempt, act: () => SignIn | Promise<SignIn>): Promise<SignIn> {
  let signIn: SignIn;
  try {
    signIn = await act();
  } catch (error) {
    if (error instanceof Refusal) emitFailure(world, attempt, error);
    throw error;
  }
  emitSuccess(world, { ...attempt, userId: signIn.userId });
  return signIn;
}
