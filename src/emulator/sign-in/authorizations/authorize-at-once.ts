import type { Answer } from '../../http/answer.js';
import { profiles } from '../../rooms/connections/records.js';
import { canSignUp } from '../../rooms/invitations/records.js';
import { createUserAtOnce, ensureVerified, userByEmail } from '../../rooms/users/records.js';
import { emailKeyOf, isEmail } from '../../store/email-key.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import { startAllowedSignIn } from '../proof/first-proof.js';
import { inOrganization, nextStep } from '../proof/sign-in.js';
import { type AuthorizationRecord, completeAuthorization, failAuthorization } from './authorizations.js';
import { signInByConnection } from './authorize-connection.js';
import { signInByProvider } from './authorize-provider.js';
import { continueAuthorization } from './continue-authorization.js';

/**
 * Complete an authorization without a page, as if the user had completed every step. `login_hint` names the user; it may be omitted
 * for a connection with a single profile. Returns undefined if a page is needed: the user is unknown, or the hint is not an
 * email address. If the pages would refuse the user, redirects with `access_denied`.
 *
 * Codes and second factors are assumed to be given. If the user belongs to several organizations, `/user_management/authenticate`
 * still requires a choice.
 */
export function authorizeAtOnce(memory: Memory, authorization: AuthorizationRecord): Answer | undefined {
  const { selector, loginHint: email } = authorization;
  if (email !== null && !isEmail(email)) return undefined;
  try {
    if (selector === 'connection') return signInAtConnection(memory, authorization);
    if (email === null) return undefined;
    return selector === 'provider'
      ? signInByProvider(memory, authorization, { email })
      : signInAtPages(memory, authorization, email);
  } catch (error) {
    if (!(error instanceof EmulatorRefusal) || error.status === 429) throw error;
    return failAuthorization(memory, authorization, 'access_denied', error.message);
  }
}

function signInAtConnection(memory: Memory, authorization: AuthorizationRecord): Answer | undefined {
  const { connectionId, loginHint } = authorization;
  const all = memory
    .of(profiles)
    .where('connectionId', connectionId ?? '')
    .values();
  const [only, ...others] = all;
  if (loginHint === null)
    return only && others.length === 0 ? signInByConnection(memory, authorization, only) : undefined;
  const hintedProfile = all.find(({ email }) => emailKeyOf(email) === emailKeyOf(loginHint));
  return signInByConnection(memory, authorization, hintedProfile ?? { email: loginHint });
}

function signInAtPages(memory: Memory, authorization: AuthorizationRecord, email: string): Answer | undefined {
  const owner = userByEmail(memory, email);
  if (!owner && !canSignUp(memory, email))
    return failAuthorization(
      memory,
      authorization,
      'access_denied',
      'No user has this address, and sign-up is by invitation only.',
    );
  const user = ensureVerified(memory, owner ?? createUserAtOnce(memory, { email, emailVerified: true }));
  const signIn = inOrganization(authorization, startAllowedSignIn(memory, authorization, user.id));
  const step = nextStep(memory, signIn);
  if (step.kind === 'sso_required' && step.connectionIds[0] !== undefined)
    return signInAtConnection(memory, { ...authorization, connectionId: step.connectionIds[0] });
  return step.kind === 'ready'
    ? continueAuthorization(memory, authorization, signIn)
    : completeAuthorization(memory, authorization, signIn);
}
