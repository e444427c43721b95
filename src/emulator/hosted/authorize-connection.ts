import type { Answer } from '../http/answer.js';
import { admits, type ConnectionIdentity, notAdmitted, upsertProfile } from '../rooms/connections/profiles.js';
import { connections, type ProfileRecord } from '../rooms/connections/records.js';
import { countActivity } from '../rooms/rate-limits/rate-limiter.js';
import {
  type AuthorizationRecord,
  failAuthorization,
  finishAuthorization,
} from '../sign-in/authorizations/authorizations.js';
import { acceptBySignIn, invitationOf } from '../sign-in/flow/invited.js';
import { beginSignIn, type SignIn } from '../sign-in/flow/sign-in.js';
import { connectionNotTrusted, emitSsoSuccess, proveBySso } from '../sign-in/sso/sso-proof.js';
import type { World } from '../world/world.js';
import { advance } from './advance.js';

/**
 * Sign in with an identity from the identity provider of the authorization's connection. Redirects to the application with a code
 * or an error, or to the hosted page of the next step.
 *
 * Creates the user and the membership if needed. For a profile, neither is needed.
 *
 * @throws {Refusal} 404 if the connection has been deleted meanwhile, 429 after too many sign-ins.
 */
export function signInByConnection(
  world: World,
  authorization: AuthorizationRecord,
  identity: ConnectionIdentity,
): Answer {
  countActivity(world, 'sso_sign_in');
  const connection = world.of(connections).get(authorization.connectionId ?? '');
  if (connection.state !== 'active')
    return failAuthorization(
      world,
      authorization,
      'connection_unlinked',
      `The connection ${connection.id} is ${connection.state}, not active.`,
    );
  if (!admits(world, connection, identity.email))
    return failAuthorization(world, authorization, 'profile_not_allowed_outside_organization', notAdmitted);
  const profile = upsertProfile(world, connection.id, identity);
  if (authorization.purpose === 'sso') return finishWithProfile(world, authorization, profile);

  const signIn = proveBySso(world, authorization, connection, profile);
  if (!signIn) return failAuthorization(world, authorization, 'access_denied', connectionNotTrusted);
  return continueAuthorization(world, authorization, signIn);
}

/** Send the user back with a code for a profile. */
export function finishWithProfile(world: World, authorization: AuthorizationRecord, profile: ProfileRecord): Answer {
  const connection = world.of(connections).get(profile.connectionId);
  emitSsoSuccess(world, authorization, connection, null, profile.email);
  // The user id is empty, because applications that use only SSO manage their users themselves.
  const signIn = beginSignIn(authorization, '', 'SSO', { connectionId: connection.id });
  return finishAuthorization(world, authorization, signIn, { profileId: profile.id });
}

/**
 * Continue after a proof by a connection or provider. A sign-in that began on the hosted pages continues there. Any other sign-in
 * gets its code now, and `/user_management/authenticate` requires the remaining steps.
 *
 * @throws {Refusal} 400 for an invitation to another user.
 */
export function continueAuthorization(world: World, authorization: AuthorizationRecord, signIn: SignIn): Answer {
  if (authorization.selector === 'hosted') return advance({ world, authorization }, signIn);
  return finishAuthorization(world, authorization, acceptBySignIn(world, signIn, invitationOf(world, authorization)));
}
