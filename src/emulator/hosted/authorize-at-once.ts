import type { Answer } from '../http/answer.js';
import { profiles } from '../rooms/connections/records.js';
import { canSignUp } from '../rooms/invitations/records.js';
import { createUserAtOnce, ensureVerified, userByEmail } from '../rooms/users/records.js';
import {
  type AuthorizationRecord,
  failAuthorization,
  finishAuthorization,
} from '../sign-in/authorizations/authorizations.js';
import { beginAllowedSignIn } from '../sign-in/flow/first-proof.js';
import { inOrganization, nextStep } from '../sign-in/flow/sign-in.js';
import { emailKeyOf, isEmail } from '../store/email-key.js';
import { Refusal } from '../store/refusal.js';
import type { World } from '../world/world.js';
import { advance } from './advance.js';
import { signInByConnection } from './authorize-connection.js';
import { signInByProvider } from './authorize-provider.js';

/**
 * Finish an authorization without a page, as if the user had completed every step. `login_hint` names the user; it may be omitted
 * for a connection with a single profile. Returns undefined if the user is unknown or the hint is not an email address. If the
 * pages would refuse the user, redirects with `access_denied`.
 *
 * Codes and second factors are assumed to be given. If the user belongs to several organizations, `/user_management/authenticate`
 * still requires a choice.
 */
export function authorizeAtOnce(world: World, authorization: AuthorizationRecord): Answer | undefined {
  const { selector, loginHint: email } = authorization;
  if (email !== null && !isEmail(email)) return undefined;
  try {
    if (selector === 'connection') return signInAtConnection(world, authorization);
    if (email === null) return undefined;
    return selector === 'provider'
      ? signInByProvider(world, authorization, { email })
      : signInAtPages(world, authorization, email);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 429) throw error;
    return failAuthorization(world, authorization, 'access_denied', error.message);
  }
}

function signInAtConnection(world: World, authorization: AuthorizationRecord): Answer | undefined {
  const { connectionId, loginHint } = authorization;
  const all = world
    .of(profiles)
    .where('connectionId', connectionId ?? '')
    .values();
  const [only, ...others] = all;
  if (loginHint === null)
    return only && others.length === 0 ? signInByConnection(world, authorization, only) : undefined;
  const hintedProfile = all.find(({ email }) => emailKeyOf(email) === emailKeyOf(loginHint));
  return signInByConnection(world, authorization, hintedProfile ?? { email: loginHint });
}

function signInAtPages(world: World, authorization: AuthorizationRecord, email: string): Answer {
  const owner = userByEmail(world, email);
  if (!owner && !canSignUp(world, email))
    return failAuthorization(
      world,
      authorization,
      'access_denied',
      'No user has this address, and sign-up is by invitation only.',
    );
  const user = ensureVerified(world, owner ?? createUserAtOnce(world, { email, emailVerified: true }));
  const signIn = inOrganization(authorization, beginAllowedSignIn(world, authorization, user.id));
  const step = nextStep(world, signIn);
  if (step.kind === 'sso_required' && step.connectionIds[0] !== undefined)
    return signInAtConnection(world, { ...authorization, connectionId: step.connectionIds[0] }) ?? finish();
  return step.kind === 'ready' ? advance({ world, authorization }, signIn) : finish();

  function finish(): Answer {
    return finishAuthorization(world, authorization, signIn);
  }
}
