import type { AuthenticationResponse } from '../../../service/authentication.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { authenticationChallenge } from '../../../service/mfa.js';
import { user as userModel } from '../../../service/users.js';
import { membershipOf } from '../../rooms/memberships/records.js';
import { issueVerification } from '../../rooms/users/email-verification.js';
import { users } from '../../rooms/users/records.js';
import { badRequest, EmulatorRefusal, forbidden, oauthError } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { challengeFactor, challengeView, type FactorRecord } from '../factors/factors.js';
import { storePending } from '../proof/pending-authentications.js';
import { missingConnection } from '../proof/policies.js';
import { type NextStep, nextStep, organizationFor, type PolicyStep, type SignIn } from '../proof/sign-in.js';
import { signAccessToken } from '../sessions/access-tokens.js';
import type { TokenPair } from '../sessions/refresh-tokens.js';
import { openSession, type SessionRecord } from '../sessions/sessions.js';

const userDescriptor = descriptorOf(userModel);
const challengeDescriptor = descriptorOf(authenticationChallenge);

/** Open a session if the sign-in is complete. @throws {EmulatorRefusal} If another step is required: see `flowError`. */
export async function completeSignIn(memory: Memory, signIn: SignIn): Promise<View<AuthenticationResponse>> {
  requireMembership(memory, signIn);
  const step = nextStep(memory, signIn);
  if (step.kind !== 'ready') throw flowError(memory, signIn, step);
  const organizationId = organizationFor(memory, signIn);
  const { session, refreshToken } = openSession(memory, { ...signIn, organizationId });
  const accessToken = await signAccessToken(memory, session);
  return answerOf(memory, session, { accessToken, refreshToken }, signIn.oauthTokens);
}

/** Require that the user is an active member of the organization, if one is set. @throws {EmulatorRefusal} 403. */
export function requireMembership(
  memory: Memory,
  { userId, organizationId }: Pick<SignIn, 'userId' | 'organizationId'>,
): void {
  if (organizationId === null || membershipOf(memory, userId, organizationId)?.status === 'active') return;
  throw oauthError(
    403,
    'user_not_organization_member',
    `This user is not an active member of the organization ${JSON.stringify(organizationId)}`,
  );
}

/** Build the response to a grant: the user and the tokens of the session. */
export function answerOf(
  memory: Memory,
  session: SessionRecord,
  { accessToken, refreshToken }: TokenPair,
  oauthTokens?: SignIn['oauthTokens'],
): View<AuthenticationResponse> {
  const { userId, organizationId, impersonator, method } = session;
  const answer = {
    user: memory.of(users).get(userId),
    organizationId: organizationId ?? undefined,
    accessToken,
    refreshToken,
    ...(impersonator === null ? {} : { impersonator }),
  };
  if (!memory.settings.dialect.extraResponseFields) return answer;
  return { ...answer, authenticationMethod: method, ...(oauthTokens ? { oauthTokens } : {}) };
}

/** Build the error for the next step, with a pending authentication token. For an unverified address, also mail a code. */
export function flowError(
  memory: Memory,
  signIn: SignIn,
  step: Exclude<NextStep, { readonly kind: 'ready' }>,
): EmulatorRefusal {
  const { email } = memory.of(users).get(signIn.userId);
  if (step.kind === 'sso_required' || step.kind === 'organization_authentication_methods_required')
    return policyError(memory, email, step, () => storePending(memory, signIn));
  const pending = { pending_authentication_token: storePending(memory, signIn) };
  const user = project(memory.codec, userDescriptor, memory.of(users).get(signIn.userId));
  switch (step.kind) {
    case 'organization_selection_required':
      return forbidden(step.kind, 'The user belongs to several organizations and must choose one', {
        ...pending,
        organizations: step.organizations.map(({ id, name }) => ({ id, name })),
        user,
      });
    case 'email_verification_required':
      return forbidden(step.kind, 'The user must verify the email address; a code was sent to it', {
        ...pending,
        email,
        email_verification_id: issueVerification(memory, signIn.userId).id,
      });
    case 'mfa_challenge':
      return forbidden(step.kind, 'The user must verify a second factor', {
        ...pending,
        authentication_factors: step.factors.map(({ id, type }) => ({ id, type })),
        ...readyChallenge(memory, step.factors),
        user,
      });
    case 'mfa_enrollment':
      return forbidden(step.kind, 'The user must enroll a second factor', { ...pending, user });
  }
}

/** Create the challenge in advance, if the responses of the dialect contain one. */
function readyChallenge(memory: Memory, [factor]: readonly FactorRecord[]): Record<string, unknown> {
  if (!memory.settings.dialect.extraResponseFields || !factor) return {};
  const challenge = challengeView(challengeFactor(memory, factor.id));
  return { authentication_challenge: project(memory.codec, challengeDescriptor, challenge) };
}

/**
 * Build the error for a sign-in that an organization's policy refuses. `pendingToken` returns null if the user has proven nothing
 * yet.
 */
export function policyError(
  memory: Memory,
  email: string,
  step: PolicyStep,
  pendingToken: () => string | null,
): EmulatorRefusal {
  if (step.kind === 'sso_required' && step.connectionIds.length === 0)
    return badRequest('sso_connection_missing', missingConnection(memory, step.organizationId));
  const error = (description: string, fields: Readonly<Record<string, unknown>>): EmulatorRefusal =>
    new EmulatorRefusal(400, step.kind, description, {
      error: step.kind,
      error_description: description,
      email,
      ...fields,
    });
  if (step.kind === 'sso_required')
    return error('The organization of this email domain requires SSO', {
      connection_ids: step.connectionIds,
      pending_authentication_token: pendingToken(),
    });
  return error('The organization of this email domain does not allow this sign-in method', {
    sso_connection_ids: step.ssoConnectionIds,
    auth_methods: step.authMethods,
  });
}
