import type { Answer } from '../../http/answer.js';
import { issueVerification } from '../../rooms/users/email-verification.js';
import { emailVerifications, maxAttempts } from '../../rooms/users/one-time-codes.js';
import type { Memory } from '../../world/memory.js';
import { acceptBySignIn, invitationOf } from '../proof/invited.js';
import { inOrganization, nextStep, type SignIn } from '../proof/sign-in.js';
import { type AuthorizationRecord, authorizations, completeAuthorization } from './authorizations.js';
import { repeatEnding } from './endings.js';
import { dropProgressOf, updateProgress } from './progress.js';

/**
 * Continue an authorization after a proof. If no step is left, completes it and returns the redirect to the application. Otherwise
 * returns undefined, and a page must ask for the next step.
 *
 * A sign-in that started at a connection or provider has no pages: it gets its code now, and `/user_management/authenticate`
 * requires the remaining steps.
 *
 * @throws {EmulatorRefusal} 400 for an invitation to another user.
 */
export function continueAuthorization(
  memory: Memory,
  authorization: AuthorizationRecord,
  proven: SignIn,
): Answer | undefined {
  const current = memory.of(authorizations).find(authorization.id);
  // A concurrent request has ended the authorization.
  if (!current) return repeatEnding(memory, authorization.token);
  // Drop the progress of another user, who may have seen the secret of a new second factor.
  if (current.signIn && current.signIn.userId !== proven.userId) dropProgressOf(memory, current.id);
  const accepted = acceptBySignIn(memory, proven, invitationOf(memory, authorization));
  if (authorization.selector !== 'hosted') return completeAuthorization(memory, authorization, accepted);
  const signIn = inOrganization(authorization, accepted);
  const step = nextStep(memory, signIn);
  if (step.kind === 'ready') return completeAuthorization(memory, authorization, signIn);
  memory.of(authorizations).update(authorization.id, { signIn });
  updateProgress(memory, authorization, { challengeId: null });
  if (step.kind === 'email_verification_required' && !hasWorkingCode(memory, signIn.userId))
    issueVerification(memory, signIn.userId);
  return undefined;
}

function hasWorkingCode(memory: Memory, userId: string): boolean {
  const record = memory.of(emailVerifications).where('userId', userId).first;
  return record !== undefined && record.attempts < maxAttempts && !memory.isPast(record.expiresAt);
}
