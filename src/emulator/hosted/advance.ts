import { type Answer, redirect } from '../http/answer.js';
import { issueVerification } from '../rooms/users/email-verification.js';
import { emailVerifications, maxAttempts } from '../rooms/users/one-time-codes.js';
import { authorizations, finishAuthorization } from '../sign-in/authorizations/authorizations.js';
import {
  dropProgressOf,
  endingOf,
  isRepeatable,
  recordEnding,
  updateProgress,
} from '../sign-in/authorizations/progress.js';
import { acceptBySignIn, invitationOf } from '../sign-in/flow/invited.js';
import { inOrganization, nextStep, type SignIn, type Step } from '../sign-in/flow/sign-in.js';
import type { Memory } from '../world/memory.js';
import { addressOf } from './layout.js';
import { goTo, type Visit } from './visit.js';

/** Continue a sign-in after a proof: redirect to the page of the next step, or back to the application. */
export function advance(visit: Pick<Visit, 'memory' | 'authorization'>, proven: SignIn): Answer {
  const { memory, authorization } = visit;
  const current = memory.of(authorizations).find(authorization.id);
  // A concurrent request has finished the authorization.
  if (!current) return repeatEnding(visit);
  // Drop the progress of another user, who may have seen the secret of a new second factor.
  if (current.signIn && current.signIn.userId !== proven.userId) dropProgressOf(memory, current.id);
  const accepted = acceptBySignIn(memory, proven, invitationOf(memory, authorization));
  const signIn = inOrganization(authorization, accepted);
  const step = nextStep(memory, signIn);
  if (step.kind === 'ready')
    return recordEnding(memory, authorization, finishAuthorization(memory, authorization, signIn));
  memory.of(authorizations).update(authorization.id, { signIn });
  updateProgress(memory, authorization, { challengeId: null });
  if (step.kind === 'email_verification' && !hasWorkingCode(memory, signIn.userId))
    issueVerification(memory, signIn.userId);
  return goToStep(visit, step);
}

/** Repeat the final redirect of the authorization if it is still valid. Otherwise show that the authorization has ended. */
function repeatEnding({ memory, authorization }: Pick<Visit, 'memory' | 'authorization'>): Answer {
  const ending = endingOf(memory, authorization.token);
  return ending && isRepeatable(memory, ending) ? ending.answer : redirect(addressOf('sign-in', authorization), 303);
}

function hasWorkingCode(memory: Memory, userId: string): boolean {
  const record = memory.of(emailVerifications).where('userId', userId).first;
  return record !== undefined && record.attempts < maxAttempts && !memory.isPast(record.expiresAt);
}

/** Return the current step if it is of this kind, or else a redirect to the right page. */
export function stepOrRedirect<Kind extends Step['kind']>(
  visit: Visit,
  kind: Kind,
): { readonly signIn: SignIn; readonly step: Extract<Step, { readonly kind: Kind }> } | { readonly redirect: Answer } {
  const { memory, authorization } = visit;
  const { signIn } = authorization;
  if (signIn === null) return { redirect: goTo(visit, 'sign-in') };
  const step = nextStep(memory, signIn);
  // The cast is safe because the kinds are equal.
  if (step.kind === kind) return { signIn, step: step as Extract<Step, { readonly kind: Kind }> };
  return { redirect: step.kind === 'ready' ? advance(visit, signIn) : goToStep(visit, step) };
}

function goToStep(visit: Pick<Visit, 'authorization'>, step: Exclude<Step, { readonly kind: 'ready' }>): Answer {
  switch (step.kind) {
    case 'organization_selection':
      return goTo(visit, 'organization');
    case 'email_verification':
      return goTo(visit, 'verify-email');
    case 'mfa_challenge':
      return goTo(visit, 'second-factor');
    case 'mfa_enrollment':
      return goTo(visit, 'enroll');
    case 'methods_required':
      return goTo(visit, 'password');
    case 'sso_required':
      return goToConnection(visit, step.connectionIds);
  }
}

/** Redirect to the identity provider, or to the page for choosing one if there are several. */
export function goToConnection(visit: Pick<Visit, 'authorization'>, connectionIds: readonly string[]): Answer {
  const [only, ...others] = connectionIds;
  return only !== undefined && others.length === 0
    ? goTo(visit, 'identity-provider', { connection: only })
    : goTo(visit, 'single-sign-on');
}
