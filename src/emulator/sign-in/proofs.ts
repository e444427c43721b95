import { emailVerifications, useCode, wrongCode } from '../rooms/users/one-time-codes.js';
import { isPassword } from '../rooms/users/passwords.js';
import { confirmEmail, userByEmail, users } from '../rooms/users/records.js';
import { notFound, Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { type Attempt, type AttemptType, emitFailure, emitSuccess } from './attempts.js';
import { challenges, factors, verifyChallenge } from './factors.js';
import { flowError, policyError } from './flow.js';
import { useMagicAuth, userWhoReads } from './magic-auth.js';
import { refusalByPolicy } from './policies.js';
import { begin, type Origin, type SignIn } from './sign-in.js';

// Every function checks one proof, emits what came of it, and returns how far the sign-in has come with it.

/**
 * Begin a sign-in by a password.
 *
 * @throws {Refusal} 400 `invalid_credentials`; 400 for a password that was imported in an unknown form; 400 `sso_required`
 * or `organization_authentication_methods_required`.
 */
export function provePassword(
  world: World,
  origin: Origin,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SignIn> {
  const userId = userByEmail(world, email)?.id;
  return recordAttempt(world, { ...attemptOf(origin, 'password'), userId: userId ?? null, email }, async () => {
    const right = await isPassword(world, userId, password);
    // The user may have gone meanwhile.
    const user = userId !== undefined && right ? world.of(users).find(userId) : undefined;
    if (user) return requireAllowed(world, begin(origin, user.id, 'Password'));
    refuseByPolicy(world, email, 'Password');
    throw new Refusal(400, 'invalid_credentials', 'The email address or the password is wrong', {
      error: 'invalid_grant',
      error_description: 'The email address or the password is wrong',
    });
  });
}

/**
 * Begin a sign-in by the code that was mailed; somebody new becomes a user.
 *
 * @throws {Refusal} 400 for a code that is no good, or `sign_up_not_allowed`; 400 `sso_required` or
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
    if (userId === null) refuseByPolicy(world, email, 'MagicAuth');
    const user = userWhoReads(world, record.email, record.userId);
    return requireAllowed(world, begin(origin, user.id, 'MagicAuth'));
  });
}

/** Prove the address of the user by the code that was mailed. @throws {Refusal} 400 for a code that is no good. */
export function proveAddress(world: World, signIn: SignIn, code: string): Promise<SignIn> {
  return recordAttempt(world, attemptOfUser(world, signIn, 'email_verification'), () => {
    const { email } = useCode(world, emailVerifications, signIn.userId, code);
    confirmEmail(world, signIn.userId, email);
    return signIn;
  });
}

/**
 * Prove a second factor of the user by the answer to a challenge.
 *
 * @throws {Refusal} 404 for a challenge of somebody else, 400 for a wrong code, 422 for a challenge that is spent.
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

/** Refuse a sign-in whose method the policy forbids, and return any other. @throws {Refusal} */
function requireAllowed(world: World, signIn: SignIn): SignIn {
  const objection = refusalByPolicy(world, world.of(users).get(signIn.userId).email, signIn);
  if (objection) throw flowError(world, signIn, objection);
  return signIn;
}

/** Refuse somebody who has proven nothing or is not a user yet, without a token to go on with. @throws {Refusal} */
function refuseByPolicy(world: World, email: string, method: string): void {
  const objection = refusalByPolicy(world, email, { method, connectionId: null });
  if (objection) throw policyError(world, email, objection, () => null);
}

const attemptOf = ({ ipAddress, userAgent }: Origin, type: AttemptType) => ({ type, ipAddress, userAgent });

const attemptOfUser = (world: World, signIn: SignIn, type: AttemptType): Attempt => ({
  ...attemptOf(signIn, type),
  userId: signIn.userId,
  email: world.of(users).get(signIn.userId).email,
});

/** Carry out an attempt and emit what comes of it. */
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
