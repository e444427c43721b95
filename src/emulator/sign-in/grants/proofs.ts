import { emailVerifications, useCode, wrongCode } from '../../rooms/users/one-time-codes.js';
import { isPassword } from '../../rooms/users/passwords.js';
import { confirmEmail, userByEmail, users } from '../../rooms/users/records.js';
import { EmulatorRefusal, notFound } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import { useMagicAuth, userOfProvenEmail } from '../codes/magic-auth.js';
import { challenges, factors, verifyChallenge } from '../factors/factors.js';
import { type Attempt, type AttemptType, emitFailure, emitSuccess } from '../proof/attempts.js';
import { refusalByPolicy } from '../proof/policies.js';
import { type Origin, type SignIn, startSignIn } from '../proof/sign-in.js';
import { flowError, policyError } from './flow.js';

// Each exported function checks one proof, emits an event with the result, and returns the sign-in with that proof.

/**
 * Start a sign-in with a password.
 *
 * @throws {EmulatorRefusal} 400 `invalid_credentials`; 400 for a password imported in an unsupported format; 400 `sso_required`
 * or `organization_authentication_methods_required`.
 */
export function provePassword(
  memory: Memory,
  origin: Origin,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SignIn> {
  const userId = userByEmail(memory, email)?.id;
  return recordAttempt(memory, { ...attemptOf(origin, 'password'), userId: userId ?? null, email }, async () => {
    const isCorrect = await isPassword(memory, userId, password);
    // Read again, because the user may have been deleted meanwhile.
    const user = userId !== undefined && isCorrect ? memory.of(users).find(userId) : undefined;
    if (user) return requireAllowed(memory, startSignIn(origin, user.id, 'Password'));
    checkPolicy(memory, email, 'Password');
    throw new EmulatorRefusal(400, 'invalid_credentials', 'The email address or the password is wrong', {
      error: 'invalid_grant',
      error_description: 'The email address or the password is wrong',
    });
  });
}

/**
 * Start a sign-in with a mailed code. Creates a user for a new address.
 *
 * @throws {EmulatorRefusal} 400 for an invalid code, or `sign_up_not_allowed`; 400 `sso_required` or
 * `organization_authentication_methods_required`.
 */
export function proveMagicAuth(
  memory: Memory,
  origin: Origin,
  { email, code }: { readonly email: string; readonly code: string },
): Promise<SignIn> {
  const userId = userByEmail(memory, email)?.id ?? null;
  return recordAttempt(memory, { ...attemptOf(origin, 'magic_auth'), userId, email }, () => {
    const record = useMagicAuth(memory, email, code);
    if (userId === null) checkPolicy(memory, email, 'MagicAuth');
    const user = userOfProvenEmail(memory, record.email, record.userId);
    return requireAllowed(memory, startSignIn(origin, user.id, 'MagicAuth'));
  });
}

/** Verify the user's address with a mailed code. @throws {EmulatorRefusal} 400 for an invalid code. */
export function proveAddress(memory: Memory, signIn: SignIn, code: string): Promise<SignIn> {
  return recordAttempt(memory, attemptOfUser(memory, signIn, 'email_verification'), () => {
    const { email } = useCode(memory, emailVerifications, signIn.userId, code);
    confirmEmail(memory, signIn.userId, email);
    return signIn;
  });
}

/**
 * Verify a second factor with the code for a challenge.
 *
 * @throws {EmulatorRefusal} 404 for a challenge of another user, 400 for a wrong code, 422 for a verified or expired challenge.
 */
export function proveFactor(
  memory: Memory,
  signIn: SignIn,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
): Promise<SignIn> {
  return recordAttempt(memory, attemptOfUser(memory, signIn, 'mfa'), async () => {
    const challenge = memory.of(challenges).find(challengeId);
    const factor = challenge && memory.of(factors).find(challenge.authenticationFactorId);
    if (factor?.userId !== signIn.userId) throw notFound('authentication challenge of this user', challengeId);
    const { valid } = await verifyChallenge(memory, challengeId, code);
    if (!valid) throw wrongCode();
    return { ...signIn, secondFactor: true };
  });
}

/** Return the sign-in if the policy allows its method. @throws {EmulatorRefusal} If the policy forbids it. */
function requireAllowed(memory: Memory, signIn: SignIn): SignIn {
  const step = refusalByPolicy(memory, memory.of(users).get(signIn.userId).email, signIn);
  if (step) throw flowError(memory, signIn, step);
  return signIn;
}

/** Apply the policy to an address without a proof or a user. The error contains no pending token. @throws {EmulatorRefusal} */
function checkPolicy(memory: Memory, email: string, method: string): void {
  const step = refusalByPolicy(memory, email, { method, connectionId: null });
  if (step) throw policyError(memory, email, step, () => null);
}

const attemptOf = ({ ipAddress, userAgent }: Origin, type: AttemptType) => ({ type, ipAddress, userAgent });

const attemptOfUser = (memory: Memory, signIn: SignIn, type: AttemptType): Attempt => ({
  ...attemptOf(signIn, type),
  userId: signIn.userId,
  email: memory.of(users).get(signIn.userId).email,
});

/** Run an attempt, and emit an event for its success or failure. */
async function recordAttempt(memory: Memory, attempt: Attempt, act: () => SignIn | Promise<SignIn>): Promise<SignIn> {
  let signIn: SignIn;
  try {
    signIn = await act();
  } catch (error) {
    if (error instanceof EmulatorRefusal) emitFailure(memory, attempt, error);
    throw error;
  }
  emitSuccess(memory, { ...attempt, userId: signIn.userId });
  return signIn;
}
